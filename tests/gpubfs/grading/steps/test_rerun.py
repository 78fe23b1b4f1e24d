"""A case that is lost, done once more: which one, under what, and the step where it goes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpubfs.errors import UsageError
from gpubfs.grading.exercise import Exercise
from gpubfs.grading.loading import load
from gpubfs.grading.outcome import Outcome
from gpubfs.grading.processes.clock import time_up
from gpubfs.grading.steps.rerun import has_steps, opened
from gpubfs.grading.steps.watching import RunTrace
from gpubfs.kernels import KERNELS
from tests.gpubfs.grading.doubling import RIGHT, TOML, exercise, submission
from tests.timing import allowed

LESSONS = Path(__file__).parents[4] / "lessons"
REVERSE = LESSONS / "00-warp" / "exercises" / "reverse"
#: Seconds for more than ten steps, and for few of what does not end.
LITTLE = round(allowed(0.3), 1)
HEAD = 'extern "C" __global__ void twice(const int *in, int *out, int size) {\n'


def toml(more: str) -> str:
    return f"{TOML}[[cases]]\nname = 'second'\npoints = 1\ngiven = {{ size = 16 }}\n{more}\n"


def traced(folder: Path, text: str, case: str = "", more: str = "") -> RunTrace:
    made = exercise(folder, toml=toml(more))
    with opened(made, submission(folder, text), case) as found:
        return found.watched.traced()


def line_at(shown: RunTrace) -> int:
    assert shown.at is not None
    return shown.lines[shown.at]


def test_a_case_that_is_lost_is_chosen_and_else_the_first(tmp_path: Path) -> None:
    made = exercise(tmp_path, toml=toml('sanitize = "all"'))
    for text, name in ((RIGHT, "small"), (RIGHT.replace("i < size", "i < 32"), "second")):
        with opened(made, submission(tmp_path, text)) as found:
            assert found.case.name == name
            assert (found.failure is None) == (name == "small")


@pytest.mark.parametrize("name", ["2", "second"])
def test_a_case_has_a_number_and_a_name(tmp_path: Path, name: str) -> None:
    shown = traced(tmp_path, RIGHT, name)
    assert shown.title == '00-lesson/double, case 2 "second", lockstep'
    assert shown.at is None


def test_a_case_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        traced(tmp_path, RIGHT, "secnd")
    assert "did you mean" in caught.value.hint
    assert '1 "small", 2 "second"' in caught.value.hint


def test_a_name_goes_before_a_number(tmp_path: Path) -> None:
    made = exercise(tmp_path, toml=TOML.replace("small", "2") + toml("")[len(TOML) :])
    with opened(made, submission(tmp_path, RIGHT), "2") as found:
        assert found.case is made.cases[0]


def test_a_fault_is_the_last_step_with_the_lanes_that_were_at_it(tmp_path: Path) -> None:
    text = f"{HEAD}  int i = threadIdx.x;\n  if (i > 7) out[i + 1] = 2 * in[i];\n}}\n"
    shown = traced(tmp_path, text)
    assert shown.at == len(shown) - 1
    step = shown.step(shown.at)
    assert (step.span.line, step.lanes.tolist()) == (3, list(range(8, 32)))
    assert "double.cu" in "\n".join(line.plain for line in shown.frame(shown.at, 80, 24))


def test_a_fault_in_the_first_statement_is_a_step(tmp_path: Path) -> None:
    shown = traced(tmp_path, f"{HEAD}  out[threadIdx.x + 1] = 1;\n}}\n")
    assert (len(shown), shown.at, line_at(shown)) == (1, 0, 2)


def test_a_fault_in_a_later_block_shows_its_lanes(tmp_path: Path) -> None:
    text = 'extern "C" __global__ void reverse(const int *in, int *out) {'
    last = "if (threadIdx.x == 99) out[blockIdx.x * 128 + 129] = 1;"
    file = submission(tmp_path, f"{text}\n  {last}\n}}\n", "mine.cu")
    with opened(load(REVERSE), file, "2", "warp") as found:
        shown = found.watched.traced()
    assert shown.at is not None
    assert shown.step(shown.at).lanes.tolist() == [2 * 128 + 99]
    shown.frame(shown.at, 100, 30)


@pytest.mark.parametrize(
    "loop",
    [
        "while (in[0] == 0) ;",
        pytest.param(
            "for (int i = 0; i >= 0; i = (i + 1) & 1023) out[threadIdx.x] = i;",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_an_endless_loop_is_shown_at_its_end(tmp_path: Path, loop: str) -> None:
    made = exercise(tmp_path)
    with opened(made, submission(tmp_path, f"{HEAD}  {loop}\n}}\n")) as found:
        shown = found.watched.traced()
    assert shown.at == len(shown) - 1
    assert line_at(shown) == 2


def without_end(folder: Path) -> tuple[Exercise, Path]:
    """An exercise with little time, and a submission that takes more."""
    much = " ".join(["x = x * 3 + i;"] * 20)  # or its steps are all taken before time is up
    loop = (
        f"for (int i = 0, x = threadIdx.x; i >= 0; i = (i + 1) & 1023) {{ {much} out[x & 1] = i; }}"
    )
    made = exercise(folder, toml=toml("").replace("kind", f"seconds = {LITTLE}\nkind", 1))
    assert made.seconds == LITTLE
    return made, submission(folder, f"{HEAD}  if (size > 0)\n    {loop}\n}}\n")


def test_what_the_clock_stops_is_shown_up_to_there(tmp_path: Path) -> None:
    with opened(*without_end(tmp_path)) as found:
        assert found.failure == time_up(LITTLE)
        shown = found.watched.traced()
    assert shown.failure == time_up(LITTLE)
    assert not shown.cut
    assert shown.at == len(shown) - 1 > 10
    words = [remark.text for remark in shown.remarks]
    assert words[0] == f"it took more than {LITTLE:g} seconds"
    assert words[-1] == "the trace ends: time is up"
    assert any("line 3 repeats" in text and "until time is up" in text for text in words)


def test_a_case_that_the_clock_ends_has_steps_to_look_at(tmp_path: Path) -> None:
    made, _ = without_end(tmp_path)
    assert has_steps(made, Outcome("small", 1, failure=time_up(LITTLE)))


def test_a_launch_that_the_clock_stops_is_not_counted_and_that_is_said(tmp_path: Path) -> None:
    with opened(*without_end(tmp_path)) as found, pytest.raises(UsageError) as caught:
        found.watched.counted()
    assert f"more than {LITTLE:g} seconds" in caught.value.message
    assert "gpubfs trace" in caught.value.hint


def test_the_order_is_told_in_which_time_is_up(tmp_path: Path) -> None:
    with opened(*without_end(tmp_path), schedule="warp") as found:
        assert found.watched.title.endswith(", warp")
        assert found.failure == time_up(LITTLE)


def test_what_is_more_than_a_trace_can_hold_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simulator.observe.trace.recorder.MOST_STEPS", 100)
    loop = "for (int i = 0; i < 999; i++) out[0] = i;"
    with opened(exercise(tmp_path), submission(tmp_path, f"{HEAD}  {loop}\n}}\n")) as found:
        shown = found.watched.traced()
    assert shown.cut
    assert (len(shown), shown.at) == (101, 100)


def test_a_race_is_shown_where_the_later_access_is(tmp_path: Path) -> None:
    with opened(load(REVERSE), REVERSE / "starter.cu", "no races") as found:
        assert found.sanitize == "all"
        shown = found.watched.traced()
    assert shown.at is not None
    step = shown.step(shown.at)
    assert step.span.line == 11
    assert 63 in step.lanes


def test_a_fault_whose_cause_is_in_the_same_statement_is_shown_at_it(tmp_path: Path) -> None:
    text = f"{HEAD}  int i;\n  if (in[0] == 1) i = 1;\n  out[i] = 1;\n}}\n"
    shown = traced(tmp_path, text, "second", 'sanitize = "init"')
    assert shown.at == len(shown) - 1
    assert line_at(shown) == 4


def test_a_kernel_without_statements_has_no_steps(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no statement was executed: out\[1\] is wrong"):
        traced(tmp_path, f"{HEAD}}}\n")


@pytest.mark.parametrize(
    ("case", "warp"), [("no races", "block 0, warp 1"), ("2", "block 2, warp")]
)
def test_the_warp_of_the_thread_at_fault_is_shown(tmp_path: Path, case: str, warp: str) -> None:
    file = REVERSE / "starter.cu"
    if case == "2":
        text = file.read_text().replace("= tile[", "= first < 256 ? 0 : in[first + 128] + tile[")
        file = submission(tmp_path, text, "mine.cu")
    with opened(load(REVERSE), file, case) as found:
        shown = found.watched.traced()
    assert shown.at is not None
    frame = [line.plain for line in shown.frame(shown.at, 100, 30)]
    assert any(warp in line for line in frame)
    shown.next_warp()
    assert any("block 0, warp 0" in line.plain for line in shown.frame(shown.at, 100, 30))


def test_the_schedule_that_loses_it_is_taken(tmp_path: Path) -> None:
    with opened(load(REVERSE), REVERSE / "starter.cu") as found:
        assert (found.case.name, found.schedule) == ("several warps and blocks", "warp")
        assert found.failure is not None
        assert found.failure.reason == "schedule"


def test_a_schedule_that_is_asked_for_is_the_only_one() -> None:
    with opened(load(REVERSE), REVERSE / "starter.cu", "2", "lockstep") as found:
        assert found.failure is None
    with (
        pytest.raises(UsageError, match="schedule"),
        opened(load(REVERSE), REVERSE / "starter.cu", "2", "fair"),
    ):
        pass


def test_a_wrong_element_is_shown_where_it_was_last_written(tmp_path: Path) -> None:
    text = HEAD + "  int i = threadIdx.x;\n  out[i] = 2 * in[i];\n  if (i == 5) out[i] = 3;\n"
    shown = traced(tmp_path, text + "  out[6] = 12;\n}\n")
    assert line_at(shown) == 4


def test_a_wrong_element_that_nothing_wrote_is_nowhere(tmp_path: Path) -> None:
    shown = traced(tmp_path, f"{HEAD}  out[0] = in[0];\n}}\n")
    assert shown.at is None


def test_a_limit_is_shown_at_the_dearest_line(tmp_path: Path) -> None:
    text = RIGHT.replace("if (i <", "int a = in[0] + in[31 - i];\n  if (a >= 0 && i <")
    shown = traced(tmp_path, text, "second", "limits = { load_sectors = 2 }")
    assert line_at(shown) == 4


def test_a_wrong_level_is_shown_where_it_was_written(tmp_path: Path) -> None:
    right = (KERNELS / "status_array.cu").read_text()
    text = right.replace("= depth + 1;", "= depth + (depth == 3 ? 2 : 1);")
    assert text != right
    expand = load(LESSONS / "01-levels" / "exercises" / "expand")
    with opened(expand, submission(tmp_path, text, "mine.cu")) as found:
        shown = found.watched.traced()
    assert shown.at is not None
    assert shown.graph is not None
    assert "? 2 : 1" in shown.step(shown.at).span.text
    assert shown.levels[shown.at] == 3


def test_what_cannot_be_compiled_has_no_steps(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there are no steps") as caught:
        traced(tmp_path, f"{HEAD}  out[0] = nothing;\n}}\n")
    assert "double.cu:2:" in caught.value.hint
    assert str(tmp_path) not in caught.value.hint


@pytest.mark.parametrize("name", ["01-levels/level-loop", "01-levels/on-paper", "00-warp/count"])
def test_exercises_without_a_kernel_say_what_to_do_instead(name: str) -> None:
    lesson, _, slug = name.partition("/")
    made = load(LESSONS / lesson / "exercises" / slug)
    with (
        pytest.raises(UsageError, match="asks for no kernel") as caught,
        opened(made, made.starter),
    ):
        pass
    assert "gpubfs" in caught.value.hint


def test_a_hidden_case_needs_the_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    reverse = load(REVERSE)
    monkeypatch.delenv("GPUBFS_SECRET", raising=False)
    with pytest.raises(UsageError, match="is hidden"), opened(reverse, reverse.starter, "5"):
        pass
    monkeypatch.setenv("GPUBFS_SECRET", "s")
    with opened(reverse, reverse.starter, "5") as found:
        assert found.failure is not None


def test_lines_are_counted_up_to_a_fault(tmp_path: Path) -> None:
    text = f"{HEAD}  out[threadIdx.x] = in[threadIdx.x];\n  out[threadIdx.x + 1] = 1;\n}}\n"
    with opened(exercise(tmp_path), submission(tmp_path, text)) as found:
        sites, failure = found.watched.counted()
    assert failure is not None
    assert {(site.kind, site.line): site.requests for site in sites if site.requests} == {
        ("load", 2): 1,
        ("store", 2): 1,
    }


def test_what_it_prints_is_not_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    traced(tmp_path, RIGHT.replace("if (i", 'printf("hello");\n  if (i'))
    assert capsys.readouterr().out == ""
