"""What `gpubfs bench` prints where a technique fails, or where somebody ends it."""

import gc
import json
import os
import re
import signal
import subprocess
import sys
import weakref
from contextlib import nullcontext

import numpy as np
import pytest

from gpubfs.cli import bench as command
from gpubfs.cli.main import main
from gpubfs.errors import UsageError
from gpubfs.measure import bench
from gpubfs.search import runs
from gpubfs.search import verify as verification
from gpubfs.search.queues import QueueOverflowError
from gpubfs.search.verify import VerificationError

NAMES = ("status-array", "scan-free", "central-queue")


def _overflow() -> None:
    raise QueueOverflowError("the queue of 4 vertices was full", "give more", 7, 4)


def _unable() -> None:
    raise UsageError("scan-free cannot do this graph", "take another")


def _wrong() -> None:
    raise VerificationError(3, "has level 2, but no neighbour of it is at level 1")


def _no_memory() -> None:
    raise UsageError("the GPU is out of memory: 5 bytes", "take a smaller graph")


def _defect() -> None:
    raise KeyError("frontier")


def _ctrl_c() -> None:
    raise KeyboardInterrupt


def _term() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


@pytest.fixture
def failing(monkeypatch):
    """Let `fail` be called whenever scan-free runs on a graph."""

    def install(fail, on: str = "toy") -> None:
        def run(name, graph, **more):
            if name == "scan-free" and graph.spec == on:
                fail()
            return runs.run(name, graph, **more)

        monkeypatch.setattr(bench, "run", run)

    return install


def printed(capsys, *arguments: str) -> tuple[object, str, str]:
    graphs = ("--graph", "toy", "--graph", "star:9")
    with pytest.raises(SystemExit) as ended:
        main(["bench", *NAMES, *graphs, "--repeat", "1", *arguments])
    out, err = capsys.readouterr()
    return ended.value.code, out, err


FAILURES = [
    (_overflow, 0, "overflow", "the queue of 4 vertices was full"),
    (_unable, 2, "failed", "scan-free cannot do this graph"),
    (_no_memory, 2, "failed", "the GPU is out of memory"),
    (_wrong, 1, "wrong", "the result is wrong: vertex 3 has level 2"),
]


@pytest.mark.parametrize(("fail", "code", "outcome", "why"), FAILURES)
def test_a_failure_loses_no_other_row(failing, capsys, tmp_path, fail, code, outcome, why) -> None:
    failing(fail)
    page = tmp_path / "times.md"
    ended, out, err = printed(capsys, "--page", str(page))
    assert ended == code
    rows = [line.split()[:3] for line in out.splitlines() if line.startswith(("toy", "star:9"))]
    assert [row[:2] for row in rows] == [[g, n] for g in ("toy", "star:9") for n in NAMES]
    assert rows[1][2] == outcome
    assert all(float(row[2]) > 0 for row in rows[:1] + rows[2:])
    assert f"scan-free on toy: {why}" in " ".join(out.split())
    assert (why in err) == bool(code)
    assert re.search(rf"^\| `scan-free` \| {outcome} \| [\d.]+ \|$", page.read_text(), re.M)
    assert f"scan-free on toy: {why}" in page.read_text()
    assert "each result that has a time was verified" in page.read_text()


@pytest.mark.parametrize(("fail", "code", "outcome", "why"), FAILURES)
def test_json_says_which_failed(failing, capsys, fail, code, outcome, why) -> None:
    failing(fail)
    ended, out, _ = printed(capsys, "--json")
    assert ended == code
    made = json.loads(out)
    assert [(one["technique"], one["graph"]) for one in made["timings"]] == [
        (name, graph) for graph in ("toy", "star:9") for name in NAMES
    ]
    assert [bool(one["problem"]) for one in made["timings"]] == [False, True, *[False] * 4]
    assert why in made["timings"][1]["problem"]
    assert all("error" not in one for one in made["timings"])
    assert made["missing"] == []


def test_a_defect_ends_with_its_own_error_when_the_others_are_printed(failing, capsys) -> None:
    failing(_defect)
    graphs = ("--graph", "toy")
    with pytest.raises(KeyError, match="frontier"):
        main(["bench", *NAMES, *graphs, "--repeat", "1"])
    out, _ = capsys.readouterr()
    assert "central-queue" in out
    assert "scan-free on toy: KeyError" in out


def test_where_nothing_was_measured_the_error_stands_alone(failing, capsys) -> None:
    failing(_unable)
    with pytest.raises(SystemExit) as ended:
        main(["bench", "scan-free", "--graph", "toy"])
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (2, "")
    assert err == "error: scan-free cannot do this graph\n  take another\n"


@pytest.mark.parametrize(("end", "code"), [(_ctrl_c, 130), (_term, 128 + signal.SIGTERM)])
def test_who_ends_it_gets_what_was_measured(failing, capsys, tmp_path, end, code) -> None:
    failing(end, on="star:9")
    sentence = "measured 4 of 6; not measured: scan-free on star:9, central-queue on star:9"
    page = tmp_path / "times.md"
    ended, out, err = printed(capsys, "--page", str(page))
    assert ended == code
    assert [line.split()[:2] for line in out.splitlines() if line.startswith(("toy", "star"))] == [
        *(["toy", name] for name in NAMES),
        ["star:9", NAMES[0]],
    ]
    assert sentence in err
    text = page.read_text()
    assert sentence in text
    assert [line.count("|") for line in text.splitlines()[:5]] == [4] * 5
    ended, out, err = printed(capsys, "--json")
    assert ended == code
    made = json.loads(out)
    assert len(made["timings"]) == 4
    assert made["missing"] == [{"technique": n, "graph": "star:9"} for n in NAMES[1:]]
    assert sentence in err


def test_a_graph_that_cannot_be_made_loses_no_rows(capsys) -> None:
    code, out, err = printed(capsys, "--graph", "file:nowhere.txt")
    assert code == 2
    assert len([line for line in out.splitlines() if line.startswith(("toy", "star:9"))]) == 6
    assert "measured 6 of 9; not measured: status-array on file:nowhere.txt, scan-free" in err
    assert "error: " in err
    assert "nowhere.txt" in err


@pytest.mark.parametrize(("together", "more"), [(True, []), (False, []), (True, ["--json"])])
def test_what_is_missing_is_said_once_to_each_reader(together, more, capsys, monkeypatch) -> None:
    """On a terminal the table has said it; elsewhere the table may go into a file."""
    monkeypatch.setattr(command, "is_one_place", lambda: together)
    sentence = "measured 1 of 2; not measured: scan-free on file:nowhere.txt"
    given = ["--graph", "toy", "--graph", "file:nowhere.txt", "--repeat", "1", *more]
    with pytest.raises(SystemExit) as ended:
        main(["bench", "scan-free", *given])
    out, err = capsys.readouterr()
    assert ended.value.code == 2
    assert out.count(sentence) == (0 if more else 1)
    assert err.count(sentence) == (1 if more or not together else 0)


def test_streams_are_in_one_place_or_in_two(tmp_path) -> None:
    code = "from gpubfs.cli.streams import is_one_place as ask; print(ask())"
    program = [sys.executable, "-c", code]
    one = subprocess.run(program, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    two = subprocess.run(program, capture_output=True, text=True)
    assert (one.stdout.strip(), two.stdout.strip()) == ("True", "False")


def test_what_failed_keeps_no_memory_of_the_device(failing, monkeypatch) -> None:
    class Array:
        """Memory of the device."""

    arrays = []

    def fail() -> None:
        array = Array()
        arrays.append(weakref.ref(array))
        _no_memory()

    failing(fail)
    (timing,) = bench.bench(["toy"], ["scan-free"], repeats=1)
    gc.collect()
    assert timing.outcome == "failed"
    assert arrays[0]() is None


def test_every_result_is_verified_and_the_properties_are_looked_for_once_a_graph(
    monkeypatch,
) -> None:
    searched, compared = [], []
    look, compare = verification._check_levels, verification.verify
    monkeypatch.setattr(
        verification, "_check_levels", lambda *given: (searched.append(1), look(*given))
    )
    monkeypatch.setattr(runs, "verify", lambda *given: (compared.append(1), compare(*given)))
    made = list(bench.bench(["er:5", "grid:7x9"], NAMES, repeats=2))
    assert len(made) == 6
    assert (len(compared), len(searched)) == (12, 2)


def test_a_wrong_result_of_a_later_repeat_is_found(monkeypatch) -> None:
    answers = iter([None, 5])
    arrays = runs._arrays

    def tampered(machine, answer):
        levels, parents = arrays(machine, answer)
        if (level := next(answers)) is not None:
            levels = np.array(levels)
            levels[-1] = level
        return levels, parents

    monkeypatch.setattr(runs, "_arrays", tampered)
    (timing,) = bench.bench(["toy"], ["scan-free"], repeats=2)
    assert timing.outcome == "wrong"
    assert "the result is wrong: vertex 9 " in timing.problem


def test_the_page_has_a_row_for_each_technique_and_names_its_command(capsys, tmp_path) -> None:
    page = tmp_path / "times.md"
    code, _, _ = printed(capsys, "--page", str(page))
    assert code == 0
    head, rule, *rows = page.read_text().split("\n\n")[0].splitlines()
    assert head == "| technique | toy, ms | star:9, ms |"
    assert rule == "| --- | ---: | ---: |"
    assert [row.split("|")[1].strip() for row in rows] == [f"`{name}`" for name in NAMES]
    assert all(float(cell) > 0 for row in rows for cell in row.split("|")[2:4])
    command = (
        f"`gpubfs bench {' '.join(NAMES)} --graph toy --graph star:9 --machine sim --repeat 1`"
    )
    assert command in page.read_text()
    assert "each result was verified" in page.read_text()
    assert "the simulator's own time" in page.read_text()


def test_milliseconds_of_a_gpu_say_what_they_include() -> None:
    one = bench.Timing("scan-free", "toy", "gpu", 3, 0.0123, 0.02, 1.0, 1.0, 1.0, device="GPU X")
    text = bench.page([one], 1, "gpubfs bench")
    assert text.startswith("| technique | toy, ms |\n| --- | ---: |\n| `scan-free` | 12.30 |\n\n")
    assert "GPU X" in text
    assert "between two CUDA events" in text
    assert bench.DEVICE_TIME in bench.sheet([one]).notes


def test_a_page_that_cannot_be_written_is_refused_before_anything_is_measured(capsys) -> None:
    code, out, err = printed(capsys, "--page", "/nowhere/at/all.md")
    assert (code, out) == (2, "")
    assert "the page /nowhere/at/all.md cannot be written" in err


def test_a_terminal_is_told_how_far_it_is_and_what_was_measured_last(monkeypatch, capsys) -> None:
    told = []
    monkeypatch.setattr(command, "spinner", lambda title: nullcontext(told.append))
    printed(capsys)
    assert told[0] == "1 of 6: status-array on toy"
    assert re.fullmatch(r"2 of 6: scan-free on toy \(status-array: \d+\.\d\d ms\)", told[1])
    assert len(told) == 6
