"""Each planted bug is found, at its line, by its sanitizer; its correct twin raises nothing."""

from __future__ import annotations

import re
from collections import Counter
from itertools import product

import numpy as np
import pytest

import simulator
from gpubfs.machines import nvrtc
from tests.sampling import sampled
from tests.sanitize.bugs import BUGS
from tests.sanitize.planted import FOLDER, SCHEDULES, Bug, Unset, mentioned

#: What every report of a sanitizer says.
WORDS = {
    "memory": r"reads|writes|updates|rank",
    "init": r"nothing (has )?(wrote|written)|never written|uninitiali[sz]ed",
    "race": r"race",
    "sync": r"barrier|mask|shuffle",
    "livelock": r"livelock",
    "steps": r"steps",
}
#: Which optional check a fault says that it is of; barriers and shuffles are always checked.
OPTIONAL = {"race": {"race"}, "init": {"init"}, "sync": {"sync", ""}}
LEAST = {**dict.fromkeys(WORDS, 12), "race": 18}
EVERY = pytest.mark.parametrize("bug", BUGS, ids=str)


#: Each bug under each schedule under which it shows.
SHOWN = [(bug, schedule) for bug in BUGS for schedule in SCHEDULES if schedule in bug.schedules]


@pytest.mark.parametrize(("bug", "schedule"), sampled(SHOWN, 10, each=0), ids=str)
def test_the_bug_is_found(bug: Bug, schedule: str) -> None:
    with (
        simulator.Device(bug.profile, memory=1 << 20, schedule=schedule),
        simulator.sanitize(bug.sanitizer, steps=bug.steps),
        pytest.raises(simulator.Fault) as caught,
    ):
        bug.launch(buggy=True)
    report = f"{caught.value.message}\n{caught.value.hint}"  # without the place, which has the path
    assert caught.value.span is not None
    assert caught.value.span.line in bug.marked, report
    assert mentioned(caught.value, bug.path) <= bug.marked, report
    assert re.search(WORDS[bug.sanitizer], report, re.IGNORECASE), report
    assert re.search(bug.says, report, re.IGNORECASE), report
    assert caught.value.sanitizer in OPTIONAL.get(bug.sanitizer, {""})


@pytest.mark.parametrize(
    ("bug", "schedule"), sampled(product(BUGS, SCHEDULES), 10, each=0), ids=str
)
def test_the_twin_is_right(bug: Bug, schedule: str) -> None:
    with (
        simulator.Device(bug.profile, memory=1 << 20, schedule=schedule),
        simulator.sanitize("all", steps=bug.steps),
    ):
        found = bug.launch(buggy=False)
    for place, expected in bug.result.items():
        np.testing.assert_array_equal(found[place], expected, f"argument {place}")


# What the table itself must be, so that nothing above passes for nothing.


def test_each_file_has_a_row_and_each_row_a_file() -> None:
    files = {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.cu")}
    rows = [f"{bug.sanitizer}/{bug.name}.cu" for bug in BUGS]
    assert set(rows) == files
    assert len(rows) == len(files)


def test_there_are_enough_of_each_kind() -> None:
    count = Counter(bug.sanitizer for bug in BUGS)
    assert {name for name in LEAST if count[name] < LEAST[name]} == set()


@EVERY
def test_a_twin_that_did_nothing_would_be_seen(bug: Bug) -> None:
    before = {p: a for p, a in enumerate(bug.arguments) if isinstance(a, np.ndarray | Unset)}
    changed = 0
    for place, expected in bug.result.items():
        start = before[place]
        initial = np.zeros(start.shape) if isinstance(start, Unset) else start
        changed += not np.array_equal(initial, expected)
    assert changed > 0


@EVERY
def test_marks_stand_where_the_bug_is(bug: Bug) -> None:
    text = bug.path.read_text()
    assert bug.marked
    assert "BUGGY" in text
    assert f"void {bug.name}(" in text


@pytest.mark.parametrize("buggy", [True, False], ids=["buggy", "twin"])
@EVERY
def test_nvidias_compiler_takes_it(bug: Bug, buggy: bool) -> None:
    module, reason = nvrtc.load()
    if module is None:
        pytest.skip(reason)
    try:
        nvrtc.compile_file(bug.path, defines=("BUGGY",) if buggy else ())
    except RuntimeError as error:
        if "cannot open source file" not in str(error):
            raise
        pytest.skip("CUDA's headers are not installed")
