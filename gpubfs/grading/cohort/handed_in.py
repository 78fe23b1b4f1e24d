"""What students handed in: the file for each exercise, which is no link and no pipe."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from gpubfs.grading.exercises.exercise import Exercise
from gpubfs.grading.limits import MOST_BYTES

#: Why a file is not read.
LINK = "the file is a link; hand in the file itself"


@dataclass(frozen=True)
class Found:
    """What was handed in for an exercise: a file, or none; or one that is not read, and why."""

    file: Path | None = None
    refused: str = ""


def places(exercise: Exercise) -> tuple[str, ...]:
    """Where a file for an exercise may stand in a student's folder, the first one first."""
    lesson, slug = exercise.name.split("/")
    name, starter = f"{slug}{exercise.suffix}", f"exercises/{slug}/{exercise.starter.name}"
    return f"{lesson}/{name}", name, f"{lesson}/{starter}", f"lessons/{lesson}/{starter}"


def find(student: Path, exercise: Exercise) -> Found:
    """What a student handed in for an exercise.

    A file counts if neither it nor a folder on its way is a link, and it is no pipe and no device.
    One that counts goes before links.
    """
    found = [_at(student, place) for place in places(exercise)]
    refused = (one for one in found if one.refused)
    return next((one for one in found if one.file and not one.refused), next(refused, Found()))


def _at(student: Path, place: str) -> Found:
    """What is at a place of a student's folder, without following links."""
    path, mode = student, 0
    try:
        for part in PurePosixPath(place).parts:
            path /= part
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                whole = student / place
                return Found(whole, LINK) if os.path.lexists(whole) else Found()
        inside = path.resolve().is_relative_to(student.resolve())
    except (FileNotFoundError, NotADirectoryError):
        return Found()
    except OSError as error:
        return Found(student / place, f"the file cannot be read: {error.strerror}")
    if not stat.S_ISREG(mode):
        return Found()
    return Found(path, "" if inside else LINK)


def beginning(file: Path) -> tuple[bytes, int]:
    """As much of a file as grading may look at, and its size; a link is not followed.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    more = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK"))
    with open(file, "rb", opener=lambda path, flags: os.open(path, flags | more)) as stream:
        return stream.read(MOST_BYTES + 1), os.fstat(stream.fileno()).st_size
