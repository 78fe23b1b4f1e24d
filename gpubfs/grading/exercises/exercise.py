"""An exercise: what its `exercise.toml` says, checked, and the files beside it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpubfs.errors import UsageError, unknown
from gpubfs.grading.exercises import keys
from gpubfs.grading.exercises.keys import Rule

#: What makes a folder an exercise, and what makes its problems.
FILE, PROBLEM = "exercise.toml", "problem.py"

#: What students do, and the ending of the file that they hand in.
KINDS = {"write": ".cu", "mend": ".cu", "limit": ".cu", "predict": ".toml", "drive": ".py"}

#: The orders in which a result must be right, unless a case names others.
SCHEDULES = ("lockstep", "warp", "round-robin:1", "shuffled:2", "random:3")

#: Seconds and MiB that a case may take, unless the exercise says otherwise.
SECONDS, MEMORY = 10.0, 1024


@dataclass(frozen=True)
class Case:
    """One thing that is looked at, and the points that it is worth.

    Attributes
    ----------
    name : str
        What feedback calls it.
    points : float
        All of them or none.
    given : mapping
        Parameters of the problem, or for searches the graph and the source.
    hidden : bool
        Whether it depends on a secret, and its data are not shown.
    schedules : tuple of str
        In which orders of warps it is run.
    sanitize : str
        The sanitizers that watch it, as in `gpubfs run --sanitize`.
    limits : mapping of str to float
        Counters and the most that they may be, in the first schedule.
    device : str
        The simulated GPU, where it is not the exercise's.
    """

    name: str
    points: float
    given: Mapping[str, Any] = field(default_factory=dict)
    hidden: bool = False
    schedules: tuple[str, ...] = SCHEDULES
    sanitize: str = ""
    limits: Mapping[str, float] = field(default_factory=dict)
    device: str = ""


@dataclass(frozen=True)
class Exercise:
    """A folder with an exercise.

    Attributes
    ----------
    folder : Path
        Where it is.
    title : str
        What it is called.
    kind : str
        One of KINDS.
    cases : tuple of Case
        What is looked at.
    hints : tuple of str
        From a nudge to nearly the answer.
    search : mapping
        For exercises on a technique: its name as `technique`, and options.
    includes : tuple of str
        The package's headers that a kernel file may include.
    device : str
        The simulated GPU of cases that name none.
    seconds, memory : float
        What a case may take, in seconds and MiB.
    """

    folder: Path
    title: str
    kind: str
    cases: tuple[Case, ...]
    hints: tuple[str, ...]
    search: Mapping[str, Any] = field(default_factory=dict)
    includes: tuple[str, ...] = ()
    device: str = "h200"
    seconds: float = SECONDS
    memory: float = MEMORY

    @property
    def name(self) -> str:
        """The lesson's folder and its own, as ``02-memory/coalesce``."""
        return f"{self.folder.parent.parent.name}/{self.folder.name}"

    @property
    def suffix(self) -> str:
        """The ending of the file that is handed in."""
        return KINDS[self.kind]

    @property
    def starter(self) -> Path:
        """What students begin with, and edit."""
        return self.folder / f"starter{self.suffix}"

    @property
    def solution(self) -> Path:
        """What it is made from; students do not get it."""
        return self.folder / f"solution{self.suffix}"

    def device_of(self, case: Case) -> str:
        """The simulated GPU of a case."""
        return case.device or self.device

    @property
    def points(self) -> float:
        """The points of all cases."""
        return sum(case.points for case in self.cases)


def load(folder: Path) -> Exercise:
    """The exercise in a folder.

    Nothing of it is run. What only shows while it runs, such as a `problem.py` that raises, ends
    grading with an error of the same kind.

    Raises
    ------
    UsageError
        If there is none, its `exercise.toml` is not as it must be, or names what is not there; the
        message names the place.
    """
    path = folder / FILE
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"{folder} is no exercise", f"an exercise has a file {FILE}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}", "mend the file") from None
    made = _Reader(path).exercise(data)
    from gpubfs.grading.exercises import known  # imports what the simulator and the techniques know

    known.check(path, made)
    return made


def exercises(path: Path) -> list[Exercise]:
    """The exercises at or below a path, by name: of a lesson, or of a whole course."""
    if (path / FILE).is_file():
        return [load(path)]
    return [load(found.parent) for found in sorted(path.rglob(FILE))]


def refuse_strays(path: Path) -> None:
    """Raise UsageError for a folder, at or below a path, that is an exercise but for its name.

    Nobody would miss it: without its `exercise.toml` it is no exercise, and is not found.
    """
    for file in sorted(path.rglob("*")):
        folder = file.parent
        part = file.name == PROBLEM or (file.stem == "solution" and file.suffix in KINDS.values())
        inside = not any(name.startswith(".") for name in file.relative_to(path).parts)
        if part and inside and not (folder / FILE).is_file():
            others = [one for one in sorted(folder.glob("*.*")) if one.stem.lower() == "exercise"]
            hint = f"rename {others[0].name}" if others else "write one, or remove the folder"
            raise UsageError(f"{folder} has a {file.name}, and no {FILE}", hint)


class _Reader:
    """Turns the tables of a file into an exercise; refuses what it does not know."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def exercise(self, data: dict[str, Any]) -> Exercise:
        self._check("the file", data, keys.OF_FILE, ("title", "kind", "hints", "cases"))
        if data["kind"] not in KINDS:
            raise unknown(f"kind of exercise (in {self.path})", data["kind"], KINDS)
        cases = tuple(self._cases(data.pop("cases")))
        hints = tuple(hint.strip() for hint in data.pop("hints"))
        data["includes"] = tuple(data.get("includes", ()))
        return Exercise(self.path.parent.resolve(), cases=cases, hints=hints, **data)

    def _cases(self, tables: list[dict[str, Any]]) -> Iterator[Case]:
        seen = set()
        for number, table in enumerate(tables, 1):
            where = f"case {table.get('name') or number!r}"
            self._check(where, table, keys.OF_CASE, ("name", "points"))
            keys.check_limits(f"{self.path}: {where}", table.get("limits", {}))
            if table["name"] in seen:
                raise UsageError(f"{self.path}: {where} is there twice", "name them differently")
            seen.add(table["name"])
            if "schedules" in table:
                table["schedules"] = tuple(table["schedules"])
            if "sanitize" in table:
                table["sanitize"] = ",".join(map(str.strip, table["sanitize"].split(",")))
            yield Case(**table)

    def _check(
        self, where: str, table: dict[str, Any], rules: Mapping[str, Rule], needed: tuple[str, ...]
    ) -> None:
        for name in table:
            if name not in rules:
                raise unknown(f"key of {where} (in {self.path})", name, rules)
        for name in needed:
            if name not in table:
                raise UsageError(f"{self.path}: {where} does not say its {name}", "add it")
        place = self.path if where == "the file" else f"{self.path}: {where}"
        keys.check(str(place), table, rules)
