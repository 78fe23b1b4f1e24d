"""Names that platforms and browsers give to files: whose a file is, and which exercise is meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from gpubfs.grading.exercise import Exercise

_CANVAS = re.compile(r"(?P<name>.+?)(?:_LATE)?_(?P<user>\d+)_\d+_(?P<file>.+)", re.DOTALL)
_MOODLE = re.compile(
    r"(?P<name>.+)_(?P<user>\d+)_assignsubmission_(?P<kind>file|onlinetext)_?(?P<file>.*)",
    re.DOTALL,
)
#: What a browser, or a platform, puts behind a name that is there already.
_COPY = re.compile(r"(?:\s*\(\d+\)|-\d+)$")
#: Files that take their name from their folder.
_NAMELESS = ("starter", "submission")
#: How a file came to its exercise, the best first: by its name, its folder's, or a copy's name.
BY_NAME, BY_FOLDER, BY_COPY = range(3)


@dataclass(frozen=True)
class Downloaded:
    """What the name of a downloaded file or folder says.

    Attributes
    ----------
    student : str
        The student's name, as the platform writes it.
    user : str
        The platform's number: on Canvas the user's, on Moodle the participant's.
    file : str
        The file's own name; empty where a folder is meant.
    text : bool
        Whether it is a text that was typed into a form, and no file.
    """

    student: str
    user: str
    file: str
    text: bool = False

    @property
    def key(self) -> str:
        """What the student is called where no folder has a name for them."""
        return f"{self.student}_{self.user}"


def downloaded(name: str) -> Downloaded | None:
    """Read the name of a file or folder in Moodle's or Canvas's download of a whole class.

    Examples
    --------
    >>> downloaded("lovelaceada_LATE_12345_67890_reverse-1.cu")
    Downloaded(student='lovelaceada', user='12345', file='reverse-1.cu', text=False)
    >>> downloaded("Ada Lovelace_77_assignsubmission_file_")
    Downloaded(student='Ada Lovelace', user='77', file='', text=False)
    >>> downloaded("reverse.cu") is None
    True
    """
    found = _MOODLE.fullmatch(name)
    if found:
        return Downloaded(found["name"], found["user"], found["file"], found["kind"] != "file")
    found = _CANVAS.fullmatch(name)
    return Downloaded(found["name"], found["user"], found["file"]) if found else None


class Meanings:
    """Says for which exercise a file is, by its name.

    Parameters
    ----------
    exercises : iterable of Exercise
        Those that there are.
    """

    def __init__(self, exercises: Iterable[Exercise]) -> None:
        self._named: dict[str, list[Exercise]] = {}
        for exercise in exercises:
            key = f"{exercise.folder.name.casefold()}{exercise.suffix}"
            self._named.setdefault(key, []).append(exercise)

    def of(self, path: PurePosixPath) -> tuple[Exercise, int] | None:
        """Return the exercise, and how the name led to it; None where it does not, or to two."""
        for name, way in _readings(path):
            found = self._named.get(name, [])
            here = [one for one in found if one.name.split("/")[0] in path.parts] or found
            if len(here) == 1:
                return here[0], way
        return None


def _readings(path: PurePosixPath) -> list[tuple[str, int]]:
    """Return the names that a file may be meant by, and how it comes to them.

    >>> _readings(PurePosixPath("a/Level_Loop-2 (1).py"))[-1]
    ('level-loop.py', 2)
    >>> _readings(PurePosixPath("reverse/starter.cu"))[-1]
    ('reverse.cu', 1)
    """
    stem, suffix = path.stem, path.suffix.casefold()
    made = [(path.name, BY_NAME), (_slug(stem) + suffix, BY_COPY)]
    while (shorter := _COPY.sub("", stem)) != stem:
        stem = shorter
        made.append((_slug(stem) + suffix, BY_COPY))
    if stem.casefold() in _NAMELESS:
        made.append((_slug(path.parent.name) + suffix, BY_FOLDER))
    return made


def _slug(text: str) -> str:
    return re.sub(r"[\s_]+", "-", text.strip().casefold())
