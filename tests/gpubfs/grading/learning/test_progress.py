"""The file of progress: nothing that is in it, or that comes between, loses what was reached."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpubfs.grading.exercise import Exercise
from gpubfs.grading.learning.progress import FILE, MOST, Progress
from gpubfs.grading.learning.record import NotUnderstoodError, Record, read, record_of, written

QUICK = settings(max_examples=40, deadline=None)
MARKS = st.tuples(st.integers(0, 9), st.sampled_from("abc"))


def exercise(home: Path, slug: str = "sum") -> Exercise:
    folder = home / "exercises" / slug
    folder.mkdir(parents=True, exist_ok=True)
    return Exercise(folder, "Sum", "write", (), ())


def graded(progress: Progress, one: Exercise, got: float, sha256: str = "a") -> Record:
    return progress.change(one, lambda record: record.graded(got, 9, got == 9, sha256))


def refuse(words: str) -> None:
    raise AssertionError(words)


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


VALUE = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3))
ALMOST = st.dictionaries(
    st.sampled_from(["best", "done", "best_sha256", "tries", "seconds", "new"]), VALUE
).map(lambda entry: json.dumps({"version": 1, "exercises": {"sum": entry}}).encode())
FIXED = [b"", b"null", b"\xff", b'{"version": 2}', b'{"version": 1, "exercises": []}']
FIXED += [b'{"version": 1, "exercises": {"sum": {"best": 1e999}}}', b"[" * 99999]
BYTES = st.one_of(st.binary(max_size=40), ALMOST, st.sampled_from(FIXED))


@given(BYTES)
@QUICK
def test_any_bytes_are_survived_and_kept_or_understood(content: bytes) -> None:
    with folder() as home:
        one, told = exercise(home), list[str]()
        file = one.folder.parent / FILE
        file.write_bytes(content)
        try:
            before = record_of(read(content).get("sum", {}))
        except NotUnderstoodError:
            before = None
        progress = Progress(told.append)
        progress.record(one)
        assert file.read_bytes() == content  # reading changes nothing
        after = graded(progress, one, 5)
        assert read(file.read_bytes())["sum"]["last"] == 5
        others = [path.read_bytes() for path in file.parent.glob(f"{FILE}.unreadable-*")]
        assert others == ([] if before else [content])
        assert bool(told) == (before is None)
        assert after == (before or Record()).graded(5, 9, False, "a")


def test_what_is_nested_too_deeply_to_be_written_is_not_understood() -> None:
    nested = "[" * 960 + "]" * 960
    with pytest.raises(NotUnderstoodError):
        read(b'{"version": 1, "exercises": {"sum": {"new": %b}}}' % nested.encode())


@given(st.lists(MARKS, max_size=8))
@QUICK
def test_the_best_marks_stay_and_what_is_written_is_read(marks: list[tuple[int, str]]) -> None:
    record = Record()
    for got, sha256 in marks:
        record = record.graded(got, 9, got == 9, sha256).worked(1.04)
        assert record_of(read(written({"x": vars(record)}).encode())["x"]) == record
    if marks:
        best = max(got for got, _ in marks)
        assert record.best == best
        assert record.best_sha256 == next(sha for got, sha in marks if got == best)
        assert record.done == (best == 9)
        assert (record.last, record.last_sha256) == marks[-1]


def test_more_than_this_version_knows_is_kept(tmp_path: Path) -> None:
    one = exercise(tmp_path)
    file = one.folder.parent / FILE
    entries = {"sum": {"best": 3, "colour": "red"}, "gone": {"tries": 7}}
    file.write_text(written(entries))
    graded(Progress(refuse), one, 5)
    found = read(file.read_bytes())
    assert (found["sum"]["last"], found["sum"]["colour"]) == (5, "red")
    assert found["gone"] == {"tries": 7}


def test_two_at_a_time_lose_nothing(tmp_path: Path) -> None:
    one, other = exercise(tmp_path), exercise(tmp_path, "reverse")

    def work(number: int) -> None:
        own = Progress(refuse)
        for _ in range(10):
            own.change(one if number % 2 else other, lambda record: record.worked(1))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    both = Progress(refuse)
    assert [both.record(x).seconds for x in (one, other)] == [20, 20]
    assert os.listdir(one.folder.parent).count(FILE) == 1


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    one, told = exercise(tmp_path), list[str]()
    one.folder.parent.chmod(0o555)
    try:
        check_kept(one, told)
    finally:
        one.folder.parent.chmod(0o755)


def check_kept(one: Exercise, told: list[str]) -> None:
    progress = Progress(told.append)
    graded(progress, one, 5)
    assert graded(progress, one, 4).best == 5
    assert progress.record(one).best == 5
    assert len(told) == 1
    assert "cannot be kept" in told[0]


def test_what_could_not_be_written_is_written_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, told = exercise(tmp_path), list[str]()

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("gpubfs.grading.learning.progress.write", full)
        check_kept(one, told)
        progress = Progress(told.append)
        graded(progress, one, 5)
    graded(progress, one, 4, "b")
    found = read((one.folder.parent / FILE).read_bytes())["sum"]
    assert (found["best"], found["last"], found["tries"]) == (5, 4, 2)


def test_a_file_that_is_far_too_long_or_no_file(tmp_path: Path) -> None:
    one, told = exercise(tmp_path), list[str]()
    file = one.folder.parent / FILE
    file.write_bytes(b" " * (MOST + 1))
    graded(Progress(told.append), one, 5)
    assert (file.parent / f"{FILE}.unreadable-1").stat().st_size == MOST + 1
    file.unlink()
    file.mkdir()
    progress = Progress(told.append)
    assert graded(progress, one, 6).best == 6
    assert "cannot be" in told[-1]
    assert file.is_dir()
