"""What was reached, kept in a file beside the exercises, which nothing makes worse than it was."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gpubfs.grading.exercise import Exercise
from gpubfs.grading.learning.record import (
    NotUnderstoodError,
    Record,
    read,
    record_of,
    with_record,
    written,
)
from gpubfs.grading.writing import write

#: The file, beside the folders of a lesson's exercises.
FILE = ".gpubfs-progress.json"
#: The most bytes that are read of it: ours have some hundreds for each exercise.
MOST = 1 << 20

Change = Callable[[Record], Record]


class Progress:
    """The records of the exercises of a course, each lesson's in a file of its own.

    A file that cannot be understood is renamed before another is written; what cannot be written
    is kept in memory, and tried again with the next change.

    Parameters
    ----------
    tell : callable
        Called with a sentence when something is wrong with a file; with each sentence once.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._told: set[str] = set()
        self._waiting: list[tuple[Path, str, Change]] = []

    def record(self, exercise: Exercise) -> Record:
        """Return what was reached in an exercise."""
        place, slug = exercise.folder.parent, exercise.folder.name
        try:
            entry = _entries(place).get(slug, {})
        except (NotUnderstoodError, OSError) as error:
            self._say(f"{place / FILE} cannot be read: {_words(error)}")
            entry = {}
        record = record_of(entry)
        for folder, name, change in self._waiting:
            if (folder, name) == (place, slug):
                record = change(record)
        return record

    def change(self, exercise: Exercise, change: Change) -> Record:
        """Change a record, on disk if that can be done, and return it as it is then."""
        place = exercise.folder.parent
        self._waiting.append((place, exercise.folder.name, change))
        try:
            with _locked(place):
                self._write(place)
        except OSError as error:
            self._say(f"progress cannot be kept in {place / FILE}: {_words(error)}")
        return self.record(exercise)

    def _write(self, place: Path) -> None:
        """Write what waits for a file; it waits no more when it is there."""
        try:
            entries = _entries(place)
        except NotUnderstoodError as error:
            kept = _aside(place / FILE)
            self._say(f"{place / FILE} cannot be read: {error}; it is kept as {kept.name}")
            entries = {}
        for folder, slug, change in self._waiting:
            if folder == place:
                entry = entries.get(slug, {})
                entries[slug] = with_record(entry, change(record_of(entry)))
        write(place / FILE, written(entries))
        self._waiting = [one for one in self._waiting if one[0] != place]

    def _say(self, words: str) -> None:
        if words not in self._told:
            self._told.add(words)
            self._tell(words)


def _words(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _entries(place: Path) -> dict[str, dict[str, Any]]:
    """Return what a file holds; nothing where there is none."""
    try:
        with (place / FILE).open("rb") as opened:
            content = opened.read(MOST + 1)
    except FileNotFoundError:
        return {}
    if len(content) > MOST:
        raise NotUnderstoodError(f"it has more than {MOST:,} bytes")
    return read(content)


def _aside(path: Path) -> Path:
    """Rename a file to what no other is called, and return that."""
    number = 1
    while (to := path.with_name(f"{path.name}.unreadable-{number}")).exists():
        number += 1
    return path.rename(to)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one process at a time change a folder's file, where the system can do that."""
    if os.name != "posix":
        yield
        return
    import fcntl

    opened = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)
