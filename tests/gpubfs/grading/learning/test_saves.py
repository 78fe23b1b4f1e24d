"""When a file counts as saved: once for each save, however an editor does it."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from gpubfs.grading.learning.saves import QUIET, Saves
from gpubfs.grading.learning.stopwatch import PAUSE, Stopwatch


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def rest(self) -> None:
        self.now += 1.1 * QUIET


def watched(folder: Path) -> tuple[Path, Saves, Clock]:
    file, clock = folder / "starter.cu", Clock()
    file.write_text("one")
    return file, Saves(file, clock), clock


def looks(saves: Saves, clock: Clock, times: int = 4) -> list[bool]:
    """What is seen in the next looks, a rest between any two."""
    seen = [saves.look()]
    for _ in range(times - 1):
        clock.rest()
        seen.append(saves.look())
    return seen


def test_a_save_is_told_once(tmp_path: Path) -> None:
    file, saves, clock = watched(tmp_path)
    assert looks(saves, clock) == [False] * 4
    file.write_text("a second text")
    assert looks(saves, clock) == [False, True, False, False]


def test_half_a_file_is_waited_for(tmp_path: Path) -> None:
    file, saves, clock = watched(tmp_path)
    for text in ("", "ha", "half", "half of it"):
        file.write_text(text)
        clock.now += 0.9 * QUIET
        assert not saves.look()
    assert looks(saves, clock).count(True) == 1


def test_a_file_that_is_renamed_over_it(tmp_path: Path) -> None:
    file, saves, clock = watched(tmp_path)
    file.rename(tmp_path / "starter.cu~")
    assert looks(saves, clock) == [False] * 4
    new = tmp_path / ".swap"
    new.write_text("one")
    new.replace(file)
    assert looks(saves, clock) == [False, True, False, False]


def test_one_that_comes_back_as_it_was_is_no_save(tmp_path: Path) -> None:
    file, saves, clock = watched(tmp_path)
    file.rename(tmp_path / "away")
    saves.look()
    (tmp_path / "away").rename(file)
    assert looks(saves, clock) == [False] * 4


def test_a_file_that_comes_later(tmp_path: Path) -> None:
    clock = Clock()
    saves = Saves(tmp_path / "later.cu", clock)
    assert looks(saves, clock) == [False] * 4
    (tmp_path / "later.cu").write_text("there")
    assert looks(saves, clock) == [False, True, False, False]


@given(st.lists(st.floats(0, 5000)))
@settings(deadline=None)
def test_no_pause_counts_as_work(steps: list[float]) -> None:
    clock = Clock()
    watch, total = Stopwatch(clock), 0.0
    for step in steps:
        before = clock.now
        clock.now += step
        total += (lap := watch.lap())
        assert 0 <= lap <= min(clock.now - before, PAUSE)
    assert total <= clock.now + 1e-6
