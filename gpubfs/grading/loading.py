"""Exercises as their `exercise.toml` describe them, read and checked; and which there are."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gpubfs.arguments import running
from gpubfs.errors import UsageError, unknown
from gpubfs.grading import names
from gpubfs.grading.exercise import (
    FILE,
    POSITIVE,
    PROBLEM,
    TABLE,
    TEXT,
    WHOLE,
    Case,
    Exercise,
    ExerciseKind,
    Field,
    is_number,
    is_text,
)
from gpubfs.grading.kinds import KINDS

#: Characters of a wrong value that a message shows.
SHOWN = 60


def _list_of(accepts: Callable[[Any], bool], remedy: str, least: int = 1) -> Field:
    def is_list(value: object) -> bool:
        return isinstance(value, list) and len(value) >= least and all(map(accepts, value))

    return Field(is_list, remedy)


#: The keys of the file and of a case, whatever the kind.
FILE_FIELDS = {
    "title": TEXT,
    "kind": TEXT,
    "hints": _list_of(is_text, 'give a list: ["a hint", …]'),
    "cases": _list_of(TABLE.accepts, "begin each case with [[cases]]"),
    "search": TABLE.optional(),
    "includes": _list_of(is_text, 'give a list of headers: ["csr.cuh"]', least=0).optional(),
    "device": TEXT.optional(),
    "seconds": POSITIVE.optional(),
    "memory": POSITIVE.optional(),
    "steps": WHOLE.optional(),
    "score": TABLE.optional(),
}
CASE_FIELDS = {
    "name": TEXT,
    "points": POSITIVE,
    "given": TABLE.optional(),
    "hidden": Field(lambda value: isinstance(value, bool), "give true or false", required=False),
    "schedules": _list_of(is_text, 'give a list: ["lockstep"]').optional(),
    "sanitize": Field(
        lambda value: isinstance(value, str), 'give a text: "all", or "race,init"', required=False
    ),
    "limits": TABLE.optional(),
    "shares": TABLE.optional(),
    "device": TEXT.optional(),
    "steps": WHOLE.optional(),
}
#: A limit, whatever its counter is called.
LIMIT = Field(
    lambda value: is_number(value) and value >= 0,
    'give a number from 0; names with dots have quotation marks: { "work.maximum" = 3 }',
)
#: A share, and a weight, whatever the counter.
SHARE = Field(
    lambda value: is_number(value) and value > 0,
    "give a number above 0: 0.5 is half of what the technique itself counts",
)
WEIGHT = Field(POSITIVE.accepts, "give the counter's weight, a number above 0")


def load(folder: Path) -> Exercise:
    """Read the exercise in a folder.

    Nothing of it is run. What only shows while it runs, such as a `problem.py` that raises, ends
    grading with an error of the same kind.

    Parameters
    ----------
    folder : Path
        The folder with its `exercise.toml`.

    Returns
    -------
    Exercise
        The exercise.

    Raises
    ------
    UsageError
        If there is none, its `exercise.toml` is not as it must be, or names what is not there; the
        message names the file and the key.
    """
    path = folder / FILE
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"{folder} is no exercise", f"an exercise has a file {FILE}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}", "mend the file") from None
    made = _exercise(path, data)
    names.check_names(path, made)
    kind = KINDS[made.kind]
    _check_compared(path, made, kind)
    with running(f"the kind of exercise {made.kind}", kind):
        kind.validate(made, path)
    return made


def _check_compared(path: Path, made: Exercise, kind: type[ExerciseKind]) -> None:
    """Refuse shares and a score where there is no technique to compare with."""
    if kind.compares and "technique" in made.search:
        return
    words = "give limits instead; shares and score are for kernels in the place of a technique's"
    if made.score:
        raise UsageError(f"{path}: there is a score, and nothing to compare with", words)
    for case in made.cases:
        if case.shares:
            where = f"{path}: case {case.name!r}"
            raise UsageError(f"{where} has shares, and nothing to compare with", words)


def exercises(path: Path) -> list[Exercise]:
    """Read the exercises at or below a path, in order: of a lesson, or of a whole course."""
    if (path / FILE).is_file():
        return [load(path)]
    found = sorted(path.rglob(FILE), key=lambda file: in_order(file.relative_to(path)))
    return [load(file.parent) for file in found]


#: The lesson that comes before those with numbers: it has none, so that these keep theirs.
FIRST = "first-kernels"


def in_order(path: Path) -> list[tuple[bool, str]]:
    """Return what lessons, and the files in them, are sorted by: by name, but for the first one.

    >>> sorted(map(Path, ("01-levels", "first-kernels", "00-warp")), key=in_order)[0].name
    'first-kernels'
    """
    return [(part != FIRST, part) for part in path.parts]


def suffixes() -> set[str]:
    """Return the endings that submissions may have."""
    return {kind.suffix for kind in KINDS.values()}


def refuse_strays(path: Path) -> None:
    """Raise UsageError for a folder, at or below a path, that is an exercise but for its name.

    Nobody would miss it: without its `exercise.toml` it is no exercise, and is not found.
    """
    for file in sorted(path.rglob("*")):
        folder = file.parent
        part = file.name == PROBLEM or (file.stem == "solution" and file.suffix in suffixes())
        inside = not any(name.startswith(".") for name in file.relative_to(path).parts)
        if part and inside and not (folder / FILE).is_file():
            others = [one for one in sorted(folder.glob("*.*")) if one.stem.lower() == "exercise"]
            hint = f"rename {others[0].name}" if others else "write one, or remove the folder"
            raise UsageError(f"{folder} has a {file.name}, and no {FILE}", hint)


def _exercise(path: Path, data: dict[str, Any]) -> Exercise:
    """Turn the tables of a file into an exercise; refuse what it does not know."""
    named: Any = data.get("kind")
    if TEXT.accepts(named) and named not in KINDS:
        raise unknown(f"kind of exercise (in {path})", str(named), KINDS)
    own = dict(KINDS[named].fields) if TEXT.accepts(named) else {}
    check_table(path, "the file", data, own | FILE_FIELDS)
    kind = KINDS[data["kind"]]
    for name, weight in data.get("score", {}).items():
        _check_value(str(path), f"weight {name}", weight, WEIGHT)
    cases = tuple(_cases(path, data.pop("cases"), kind))
    hints = tuple(hint.strip() for hint in data.pop("hints"))
    data["includes"] = tuple(data.get("includes", ()))
    fields = {key: data.pop(key) for key in own if key in data and key not in FILE_FIELDS}
    folder = path.parent.resolve()
    return Exercise(folder, cases=cases, hints=hints, suffix=kind.suffix, fields=fields, **data)


def _cases(path: Path, tables: list[dict[str, Any]], kind: type[ExerciseKind]) -> Iterator[Case]:
    seen = set()
    for number, table in enumerate(tables, 1):
        where = f"case {table.get('name') or number!r}"
        check_table(path, where, table, CASE_FIELDS)
        for name, most in table.get("limits", {}).items():
            _check_value(f"{path}: {where}", f"limit {name}", most, LIMIT)
        for name, share in table.get("shares", {}).items():
            _check_value(f"{path}: {where}", f"share {name}", share, SHARE)
        if kind.given is not None:
            check_table(path, f"given of {where}", table.get("given", {}), kind.given)
        if table["name"] in seen:
            raise UsageError(f"{path}: {where} is there twice", "name them differently")
        seen.add(table["name"])
        if "schedules" in table:
            table["schedules"] = tuple(table["schedules"])
        if "sanitize" in table:
            table["sanitize"] = ",".join(map(str.strip, table["sanitize"].split(",")))
        yield Case(**table)


def check_table(
    path: Path, where: str, table: Mapping[str, Any], fields: Mapping[str, Field]
) -> None:
    """Raise UsageError for a key that is unknown or missing, and for a value that does not fit.

    Examples
    --------
    >>> check_table(Path("a.toml"), "case 'x'", {"name": "x", "points": "3"}, CASE_FIELDS)
    Traceback (most recent call last):
        ...
    gpubfs.errors.UsageError: error: a.toml: case 'x': points is '3'
      give a number above 0
    """
    for name in table:
        if name not in fields:
            raise unknown(f"key of {where} (in {path})", name, fields)
    for name, field in fields.items():
        if field.required and name not in table:
            raise UsageError(f"{path}: {where} does not say its {name}", "add it")
    location = str(path) if where == "the file" else f"{path}: {where}"
    for name, value in table.items():
        _check_value(location, name, value, fields[name])


def _check_value(location: str, name: str, value: object, field: Field) -> None:
    with running(f"the field {name}", field.accepts):
        accepted = field.accepts(value)
    if not accepted:
        words = "empty" if value in ("", [], {}) else repr(value)[:SHOWN]
        raise UsageError(f"{location}: {name} is {words}", field.remedy)
