"""`gpubfs dynamic`: tables, JSON, lines, traces, and one message for what is wrong."""

from __future__ import annotations

import json

import pytest

from gpubfs.cli.main import main
from gpubfs.dynamic.rounds import rounds

#: Words of a command whose one batch takes all blocks that there are.
EXHAUSTING = (
    *("--graph", "grid:8x8", "--batch", "700", "--option", "memory=11800"),
    *("--distribution", "skewed", "--favoured", "0.05"),
)


def command(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["dynamic", *words])
    shown = capsys.readouterr()
    return int(ended.value.code or 0), shown.out, shown.err


def test_tables_say_what_was_done_and_what_it_cost(capsys) -> None:
    words = ("aimgraph", "--graph", "grid:8x8", "--batch", "30", "--rounds", "2")
    code, out, err = command(capsys, *words)
    assert (code, err) == (0, "")
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.split()[1:]}
    assert rows["launches"] == ["4", "2", "2"]
    assert rows["host_reads"] == ["1", "2", "2"]
    assert rows["static"] == ["1,536", "bytes"]
    assert "sectors_per_request" in rows
    assert int(rows["applied"][1]) <= 60


def test_json_has_every_operation_and_the_bytes_of_each_region(capsys) -> None:
    words = ("aimgraph:mode=weighted", "--graph", "toy", "--batch", "5", "--seed", "2", "--json")
    data = json.loads(command(capsys, *words)[1])
    assert [one["name"] for one in data["operations"]] == [
        "from_csr",
        "insert_edges",
        "delete_edges",
    ]
    assert data["options"]["mode"] == "weighted"
    inserted = data["operations"][1]
    assert inserted["applied"] + inserted["unchanged"] == 5
    assert inserted["lock_attempts"] >= 5
    assert {site["kind"] for site in data["sites"]} > {"load", "store", "atomic"}
    assert set(data["stats"]["memory"]["bytes"]) > {"manager", "static", "blocks", "free"}


@pytest.mark.slow
def test_lines_and_a_step_of_the_updates_are_shown(capsys, tmp_path) -> None:
    words = ("aimgraph:block=4", "--graph", "toy", "--batch", "2", "--device", "toy4")
    _, lines, _ = command(capsys, *words, "--lines")
    assert "aimgraph_update.cuh: aimgraph on toy" in lines
    assert " at " in lines
    file = tmp_path / "step.svg"
    assert command(capsys, *words, "--export", str(file))[0] == 0
    assert "aimgraph_insert" in file.read_text()


@pytest.mark.slow
def test_all_steps_of_the_updates_are_printed(capsys) -> None:
    words = ("aimgraph:block=4", "--graph", "toy", "--batch", "2", "--device", "toy4")
    code, out, _ = command(capsys, *words, "--trace")
    assert code == 0
    assert "aimgraph_delete<<<1, 4>>>" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["aim", "--graph", "toy"], 'there is no structure "aim"'),
        (["aimgraph", "--graph", "torus"], "torus"),
        (["aimgraph", "--graph", "toy", "--distribution", "any"], 'no distribution "any"'),
        (["aimgraph:device=toy2", "--graph", "toy"], "no option of aimgraph named"),
        (["aimgraph", "--graph", "toy", "--option", "structure=2"], "no option of aimgraph named"),
        (["aimgraph", "--graph", "toy", "--batch", "-1"], "-1 is not in the range"),
        (["aimgraph", "--graph", "toy", "--machine", "gpu", "--trace"], "gpu has no traces"),
        (["aimgraph", "--graph", "toy", "--favoured", "0.5"], "favoured=0.5 changes nothing"),
        (["aimgraph", "--graph", "toy", "--lines", "--json"], "--lines is a table of its own"),
        (["aimgraph", "--graph", "toy", "--lines", "--trace"], "--lines is a table of its own"),
        (["aimgraph", "--graph", "toy", "--export", "steps.pdf"], "steps.pdf"),
        (["aimgraph", "--graph", "toy", "--lines", "--no-counters"], "--no-counters counts none"),
        (["aimgraph", "--graph", "toy", "--rounds", "0", "--trace"], "no updates to step through"),
        (["aimgraph", "--graph", "toy", "--rounds", "0", "--distribution", "any"], '"any"'),
        (["aimgraph", "--graph", "toy", "--rounds", "0", "--favoured", "0.5"], "changes nothing"),
        (["aimgraph", "--graph", "path:1"], "joins two different vertices"),
        (["aimgraph", "--graph", "toy", "--batch", "99999999999999"], "needs about"),
        (["gpma", "--graph", "toy", "--option", "positions=16"], "give positions="),
        (["aimgraph", "--graph", "grid:8x8", "--option", "memory=9000", "--batch", "990"], "no up"),
        (["aimgraph", *EXHAUSTING], " of 700 updates took effect"),
    ],
)
def test_mistakes_have_one_message(capsys, words: list[str], message: str) -> None:
    code, out, err = command(capsys, *words)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert message in err
    assert "Traceback" not in err


def test_progress_counts_operations() -> None:
    seen = []
    rounds("aimgraph", "toy", batch=3, rounds=2, progress=lambda *at: seen.append(at))
    assert seen == [(at, 5) for at in range(6)]


def test_without_rounds_the_graph_is_only_put_in() -> None:
    done = rounds("aimgraph", "toy", rounds=0)
    assert [one.name for one in done.operations] == ["from_csr"]
    assert done.named("insert_edges") == ()


def test_observers_and_sanitizers_watch_all_launches(capsys, monkeypatch) -> None:
    import simulator
    from gpubfs.search import observing

    class Kernels(simulator.Observer):
        """Names of kernels."""

        def __init__(self) -> None:
            self.names: dict[str, int] = {}

        def begin(self, config):
            self.names[config.kernel.name] = self.names.get(config.kernel.name, 0) + 1

        def report(self):
            return self.names

    made = observing.ObserverKind("kernels", Kernels, "")
    monkeypatch.setitem(observing.OBSERVERS, "kernels", made)
    words = ("aimgraph", "--graph", "toy", "--batch", "3", "--observe", "kernels")
    code, out, _ = command(capsys, *words, "--sanitize", "all")
    assert code == 0
    assert "sanitizers: all" in out
    assert "aimgraph_insert       1" in out
    data = json.loads(command(capsys, *words, "--json")[1])
    assert data["observers"]["kernels"]["aimgraph_delete"] == 1
