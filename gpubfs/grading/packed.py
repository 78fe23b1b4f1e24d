"""A submission and its exercise in one piece, so that any machine with the package can grade it."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpubfs.grading.exercise import Exercise, load
from gpubfs.grading.sandbox import grade

#: The most bytes that are sent; the grader refuses as much.
MOST_BYTES = 2 << 20


@dataclass(frozen=True)
class Packed:
    """What grading needs: the exercise's name and files, what was handed in, and the secret."""

    exercise: str
    files: dict[str, bytes]
    handed_in: str
    content: bytes
    secret: str


def pack(exercise: Exercise, file: Path, secret: str) -> Packed:
    """One submission in one piece."""
    files = {p.name: p.read_bytes() for p in sorted(exercise.folder.iterdir()) if p.is_file()}
    with file.open("rb") as stream:
        content = stream.read(MOST_BYTES)
    return Packed(exercise.name, files, file.name, content, secret)


def grade_packed(packed: Packed) -> dict[str, Any]:
    """Grade it in a folder of its own; the grade as `Grade.as_dict` has it."""
    lesson, slug = packed.exercise.split("/")
    with tempfile.TemporaryDirectory(prefix="gpubfs-") as place:
        folder = Path(place) / lesson / "exercises" / slug
        folder.mkdir(parents=True)
        for name, content in packed.files.items():
            (folder / name).write_bytes(content)
        file = Path(place) / "handed-in" / packed.handed_in
        file.parent.mkdir()
        file.write_bytes(packed.content)
        made = grade(load(folder), file, packed.secret).as_dict()
    return made | {"file": packed.handed_in}
