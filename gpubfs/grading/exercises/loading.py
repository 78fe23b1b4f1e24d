"""What the `exercise.toml` of an exercise says, read and checked; and which exercises there are."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gpubfs.errors import UsageError, unknown
from gpubfs.grading.exercises import keys
from gpubfs.grading.exercises.exercise import FILE, KINDS, PROBLEM, Case, Exercise
from gpubfs.grading.exercises.keys import Rule


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
    # Imports what the simulator and the techniques know: half a second that help does not wait for.
    from gpubfs.grading.exercises import known

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
