"""A submission and its exercise in one piece, so that any machine with the package can grade it."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpubfs.grading.cohort.handed_in import beginning
from gpubfs.grading.exercises.exercise import Exercise
from gpubfs.grading.exercises.loading import load
from gpubfs.grading.infrastructure import NotGradedError, described
from gpubfs.grading.sandbox import grade


@dataclass(frozen=True)
class Packed:
    """What grading needs: the exercise's name and files, what was handed in, and the secret."""

    exercise: str
    files: dict[str, bytes]
    handed_in: str
    content: bytes
    secret: str


def pack(exercise: Exercise, file: Path, secret: str) -> Packed:
    """One submission in one piece; of a file that is too long, as much as shows that it is.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    content, _ = beginning(file)
    return Packed(exercise.name, files_of(exercise), file.name, content, secret)


def files_of(exercise: Exercise) -> dict[str, bytes]:
    """The files of an exercise."""
    return {p.name: p.read_bytes() for p in sorted(exercise.folder.iterdir()) if p.is_file()}


def grade_packed(packed: Packed) -> dict[str, Any]:
    """Grade it in a folder of its own; the grade as `Grade.as_dict` has it, without that folder.

    Raises
    ------
    NotGradedError
        If the machine fails.
    """
    try:
        return _graded(packed)
    except OSError as error:
        raise NotGradedError(described(error)) from None


def _graded(packed: Packed) -> dict[str, Any]:
    lesson, slug = packed.exercise.split("/")
    with tempfile.TemporaryDirectory(prefix="gpubfs-", ignore_cleanup_errors=True) as place:
        folder = Path(place) / lesson / "exercises" / slug
        folder.mkdir(parents=True)
        for name, content in packed.files.items():
            (folder / name).write_bytes(content)
        file = Path(place) / "handed-in" / packed.handed_in
        file.parent.mkdir()
        file.write_bytes(packed.content)
        made = grade(load(folder), file, packed.secret).as_dict()
        for outcome in filter(lambda one: one["failure"], made["outcomes"]):
            outcome["failure"] = {
                part: text.replace(f"{folder}/", "") for part, text in outcome["failure"].items()
            }
    return made | {"file": packed.handed_in}
