"""`gpubfs trace`, `run.trace()` and `gpubfs pictures`, as people call them."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

import pytest

import gpubfs
from gpubfs.cli.main import main
from gpubfs.errors import UsageError
from gpubfs.show import pictures
from gpubfs.show.traces import Pair
from gpubfs.show.traces.files.viewer.columns import unpacked
from gpubfs.show.traces.terminal import session
from simulator.observe.trace import recorder
from tests.timing import allowed

SMALL = ["--graph", "toy", "--source", "0", "--device", "toy2", "--option", "block=2"]


@pytest.fixture
def call(capsys):
    def called(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        out, err = capsys.readouterr()
        return int(caught.value.code or 0), out, err

    return called


def packed_text(page: str) -> str:
    """The tables of a page as text."""
    return str(unpacked(re.findall(r'id="steps">([^<]+)<', page)[0])[0])


def in_page(file: Path) -> str:
    return packed_text(file.read_text("utf-8"))


@pytest.mark.slow
def test_without_a_terminal_all_frames_are_printed(call, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = call("trace", "scan-free", *SMALL)
    steps = re.findall(r"^step (\d+) of (\d+)$", out, re.MULTILINE)
    assert (code, err) == (0, "")
    assert [int(step) for step, _ in steps] == list(range(1, int(steps[0][1]) + 1))
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out
    assert "level[1] ← lane 0 finds -1, swaps" in out


def test_a_level_and_a_step_to_begin_with(call) -> None:
    _, out, _ = call("trace", "scan-free", *SMALL, "--level", "1-2", "--step", "3")
    assert set(re.findall(r"· level (\d)", out)) == {"1", "2"}
    assert re.findall(r"^step (\d+) of", out, re.MULTILINE)[0] == "3"


@pytest.mark.slow
def test_plain_frames_are_those_of_a_pipe(call, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    assert call("trace", "scan-free", *SMALL, "--plain") == call("trace", "scan-free", *SMALL)


@pytest.mark.slow
def test_on_a_terminal_plain_frames_have_no_colours(call, monkeypatch) -> None:
    stepped: list[int] = []
    monkeypatch.setattr(session, "can_step_through", lambda console: True)
    monkeypatch.setattr(session, "step_through", lambda show, at: stepped.append(at))
    _, printed, _ = call("trace", "scan-free", *SMALL, "--plain")
    assert printed.startswith("step 1 of 122\n")
    assert "\x1b" not in printed
    assert stepped == []
    # Where keys are read, it begins in the kernel's own file, and at the level that is asked for.
    call("trace", "scan-free", *SMALL)
    call("trace", "scan-free", *SMALL, "--step", "5")
    call("trace", "scan-free", *SMALL, "--level", "2")
    assert stepped == [1, 4, 1]


@pytest.mark.slow
def test_two_are_printed_from_where_they_differ_on(call) -> None:
    two = ("trace", "scan-free", "status-array", *SMALL)
    code, out, err = call(*two)
    first = re.findall(r"^step (\d+) of", out, re.MULTILINE)[0]
    assert (code, err) == (
        0,
        f"the two kernels differ from step {first} on; --step 1 is the first\n",
    )
    assert call(*two, "--step", "1")[1].startswith("step 1 of")


def test_pages_and_pictures_begin_in_the_kernels_own_file(call, tmp_path: Path) -> None:
    file = tmp_path / "trace.html"
    call("trace", "scan-free", *SMALL, "--export", str(file))
    tables, _ = unpacked(re.findall(r'id="steps">([^<]+)<', file.read_text("utf-8"))[0])
    assert tables["begin"] == 1
    assert tables["note"] == "this is the first step of scan_free.cu; Home leads to the first step"
    picture = tmp_path / "trace.svg"
    call("trace", "scan-free", *SMALL, "--export", str(picture))
    assert "scan_free.cu" in picture.read_text("utf-8")


def test_json_has_every_step(call) -> None:
    code, out, _ = call("trace", "scan-free", *SMALL, "--json")
    data = json.loads(out)
    run = gpubfs.run("scan-free", "toy", 0, device="toy2", block=2)
    assert code == 0
    assert data["technique"] == "scan-free"
    assert {step["level"] for step in data["steps"]} == set(range(run.depth + 1))
    sums: dict[str, int] = {}
    for step, after in zip(data["steps"], [*data["steps"][1:], {"level": -1}], strict=True):
        if after["level"] != step["level"]:
            for name, value in step["totals"].items():
                sums[name] = sums.get(name, 0) + value
    assert sums["load_sectors"] == run.counters["load_sectors"]


@pytest.mark.slow
def test_two_techniques_stay_at_one_level(call) -> None:
    _, out, _ = call("trace", "scan-free", "status-array", *SMALL[:-2], "--option", "block=4")
    assert "│ status-array" in out
    pair = Pair(
        gpubfs.trace("scan-free", "toy", 0, device="toy2", block=2),
        gpubfs.trace("status-array", "toy", 0, device="toy2", block=2),
    )
    for at in range(len(pair)):
        levels = re.findall(r"· level (\d)", pair.frame(at, 200, 24)[0].plain)
        assert len(levels) == 2
        assert levels[0] == levels[1]
    with_options = call("trace", "scan-free:block=2", "scan-free:block=4", *SMALL[:-2], "--json")
    assert with_options[0] == 0
    assert len(json.loads(with_options[1])["pairs"]) > 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["scan-fre"], "did you mean scan-free?"),
        (["scan-free", "--level", "9"], "the search has the levels 0 to 4"),
        (["scan-free", "--level", "2-1"], "is no level"),
        (["scan-free", "--step", "9999"], "there is no step 9,999"),
        (["scan-free", "--export", "trace.pdf"], "end it in .html"),
        (["scan-free", "--export", "nowhere/trace.html"], "cannot be written"),
        (["a", "b", "c"], "two side by side"),
    ],
)
def test_mistakes_are_told_with_their_remedy(call, arguments, words, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = call("trace", *arguments, *SMALL)
    assert (code, out) == (2, "")
    assert words in err
    assert list(tmp_path.iterdir()) == []


def test_a_run_too_large_to_trace_says_so_and_what_to_do(call, monkeypatch) -> None:
    monkeypatch.setattr(recorder, "MOST_STEPS", 100)
    code, _, err = call("trace", "scan-free", "--graph", "kron:6")
    assert code == 2
    assert "more than 100 steps" in err
    assert "--level" in err
    code, _, _ = call("trace", "scan-free", "--graph", "toy", "--level", "0", "--json")
    assert code == 0


@pytest.mark.parametrize("suffix", ["html", "svg", "txt"])
def test_export_writes_each_kind(call, suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"trace.{suffix}"
    code, out, err = call("trace", "scan-free", *SMALL, "--export", str(file), "--step", "5")
    assert (code, out, err) == (0, "", "")
    assert "virtual_warp" in (in_page(file) if suffix == "html" else file.read_text("utf-8"))


def test_a_run_traces_itself() -> None:
    run = gpubfs.run("scan-free", "toy", 0, device="toy2", block=2, schedule="warp")
    trace = run.trace()
    assert trace.run.as_dict()["options"] == run.as_dict()["options"]
    assert (trace.run.device, trace.run.schedule) == ("toy2", "warp")
    assert set(run.trace(levels=range(1, 2)).levels) == {1}
    page = trace._repr_html_()
    assert page.startswith("<iframe")
    assert "scan_free.cu" in packed_text(page)


def test_a_trace_too_long_for_a_notebook_says_what_to_do(monkeypatch) -> None:
    monkeypatch.setattr(sys.modules["gpubfs.show.traces.showing"], "MOST_IN_NOTEBOOK", 10)
    shown = gpubfs.run("scan-free", "toy").trace()._repr_html_()
    assert "too many for a notebook" in shown
    assert "levels=range" in shown


def test_no_level_in_range_is_an_error() -> None:
    with pytest.raises(UsageError, match="no launch of dfq-shared on toy expands level 3"):
        gpubfs.trace("dfq-shared", "toy", levels=range(3, 4), block=32, blocks=1)


@pytest.mark.slow
def test_steps_of_kron_8_are_fast() -> None:
    trace = gpubfs.trace("scan-free", "kron:8")
    trace.frame(0, 80, 24)

    def seconds(steps: range) -> list[float]:
        times = []
        for at in steps:
            begun = time.process_time()
            trace.frame(at, 80, 24)
            times.append(time.process_time() - begun)
        return sorted(times)

    middle, last = len(trace) // 2, len(trace) - 1
    onward = seconds(range(middle, middle + 200))
    most = allowed(0.1)
    assert onward[197] < most
    assert seconds(range(middle + 200, middle, -1))[197] < most
    assert seconds(range(last, 0, -97))[-3] < most  # jumps back


@pytest.mark.slow
def test_the_pictures_that_ship_are_of_today() -> None:
    assert pictures.stale() == []
    assert {path.name for path in pictures.FOLDER.glob("*.svg")} == set(pictures.PICTURES)


def test_a_picture_that_shows_something_else_is_stale(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(pictures, "FOLDER", tmp_path)
    monkeypatch.setattr(pictures, "PICTURES", {"a.svg": lambda: "<svg><text>now</text></svg>"})
    assert pictures.stale() == ["a.svg"]
    (tmp_path / "a.svg").write_text("<svg><text>then</text></svg>")
    assert pictures.stale() == ["a.svg"]
    pictures.draw()
    assert pictures.stale() == []
