"""Finding steps of a trace, and where two traces differ."""

from __future__ import annotations

import pytest

from gpubfs.show.traces import Pair
from gpubfs.show.traces.files.viewer.columns import unpacked
from gpubfs.show.traces.files.viewer.document import document
from gpubfs.show.traces.pair import RESPECTS
from gpubfs.show.traces.showing import own_begin
from gpubfs.show.traces.terminal.finding import Finder, differences_in_words
from gpubfs.show.traces.terminal.stepping import Stepper
from tests.gpubfs.show.traces import searches


@pytest.fixture(scope="module")
def finder() -> Finder:
    return Finder(searches.scan_free())


def lines(finder: Finder) -> list[int]:
    return searches.scan_free().lines


def test_a_number_is_a_line(finder: Finder) -> None:
    for query in ("26", "line 26", ":26", " LINE 26 "):
        found = finder.find(query, 0)
        assert found.to == lines(finder).index(26)
    later = finder.find("26", found.to)
    assert later.to == lines(finder).index(26, found.to + 1)
    assert finder.find("26", later.to, -1).to == found.to
    assert finder.find("999", 3) == (None, "no step is at line 999", None)


def test_after_the_last_comes_the_first(finder: Finder) -> None:
    first = lines(finder).index(26)
    last = len(lines(finder)) - 1 - lines(finder)[::-1].index(26)
    assert finder.find("26", last).to == first
    assert finder.find("26", first, -1).to == last


def test_levels_steps_and_warps(finder: Finder) -> None:
    trace = searches.scan_free()
    assert finder.find("level 2", 0).to == trace.levels.index(2)
    assert finder.find("level 77", 0).message == "the trace has no level 77"
    assert finder.find("step 12", 0).to == 11
    assert finder.find("#122", 0).to == 121
    assert finder.find("step 123", 0).message == "there is no step 123"
    found = finder.find("warp 1", 0)
    assert found.warp == 1
    scene = trace.scene(found.to)
    assert 1 in scene.launch.warps_of(scene.step)
    assert finder.find("warp 9", 0).message == "warp 9 takes part in no step"


@pytest.mark.parametrize("text", ["atomicCAS", "ATOMIC LEVEL", "neighbours[e]", "store next"])
def test_text_is_found_in_statements_and_what_they_ask_of_memory(finder, text: str) -> None:
    found = finder.find(text, 0)
    step = searches.scan_free().step(found.to)
    asked = [f"{o.site.kind} {o.site.array}" for o in step.block.operands]
    line = step.focus.source.line(step.focus.line)
    assert text.lower() in "\n".join([step.span.text, line, *asked]).lower()
    assert finder.find("nowhere", 0).message == "no step shows “nowhere”"
    assert finder.find("  ", 0).to is None


def pressed(stepper: Stepper, *keys: str) -> Stepper:
    for key in keys:
        stepper.press(key)
    return stepper


def with_panes(show, at: int = 0) -> Stepper:
    stepper = Stepper(show, at)
    stepper.choice.offer(("source", "warp"))
    return stepper


def test_keys_find_and_find_again() -> None:
    stepper = pressed(with_panes(searches.scan_free()), "/", *"atomicCAS", "enter")
    first = stepper.at
    assert first > 0
    again = pressed(stepper, "m").at
    assert again > first
    assert pressed(stepper, "M").at == first
    assert pressed(stepper, "/", *"q x", "escape").prompt is None
    assert not stepper.over
    assert pressed(stepper, "/", *"warp 1", "enter").message == "following warp 1"
    stepper.show.follow(None)


def test_without_panes_such_keys_are_none() -> None:
    stepper = Stepper(searches.scan_free())
    for key in ("/", "m", "d", "tab", "f", "]"):
        assert pressed(stepper, key).message == "? lists the keys"
        assert stepper.prompt is None


# Two traces.


def test_a_pair_begins_where_the_two_kernels_differ() -> None:
    pair = searches.pair()
    own = own_begin(pair.left), own_begin(pair.right)
    both = [n for n, (a, b) in enumerate(pair._pairs) if a >= own[0] and b >= own[1]]
    differ = [n for n in both if any(pair._differ(n).values())]
    assert pair.begin == differ[0]
    assert pair.beginning == f"the two kernels differ from step {pair.begin + 1} on"


def test_two_of_one_kind_differ_nowhere() -> None:
    pair = Pair(searches.scan_free(), searches.scan_free())
    assert pair.beginning == "the two kernels differ in no step"
    assert pair.begin == own_begin(searches.scan_free())
    assert set(pair.differences().values()) == {None}
    assert pressed(with_panes(pair, 7), "d").at == 7


def test_where_two_differ_in_each_respect() -> None:
    pair = searches.pair()
    found = pair.differences()
    assert tuple(found) == RESPECTS
    for respect, at in found.items():
        assert at is not None
        assert pair._differ(at)[respect]
        assert not any(pair._differ(before)[respect] for before in range(at))
    stepper = pressed(with_panes(pair, 50), "d")
    assert stepper.at == min(found.values())
    assert stepper.message == differences_in_words(list(found.items()))
    assert pressed(with_panes(searches.scan_free()), "d").message == "there is one trace"


@pytest.mark.slow
def test_a_page_begins_there_and_says_how_to_get_to_the_rest() -> None:
    pair = searches.pair()
    tables, _ = unpacked(document(pair, pair.begin))
    assert tables["begin"] == pair.begin > 0
    assert tables["note"] == f"{pair.beginning}; Home leads to the first step"
    assert unpacked(document(pair, 0))[0]["note"] == ""


@pytest.mark.parametrize(
    ("search", "file"),
    [(searches.scan_free, "scan_free.cu"), (searches.long_names, "double_scan.cu")],
)
def test_a_trace_begins_in_its_own_kernels(search, file: str) -> None:
    trace = search()
    scene = trace.scene(trace.begin)
    assert scene.focus.source.name.endswith(file)
    assert trace.beginning == f"this is the first step of {file}"
    assert all(not trace.step(n).focus.source.name.endswith(file) for n in range(trace.begin))
    assert trace.first_printed == 0
    assert searches.launches().begin == 0
    assert searches.launches().beginning == ""
