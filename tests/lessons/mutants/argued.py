"""The table of mutants that keep all points: one by one, why they are right, or not found."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("argued.toml")


@dataclass(frozen=True)
class Argument:
    """Why a mutant keeps all points; `missed` if it should not."""

    because: str
    missed: bool = False


Argued = Mapping[str, Argument]


@cache
def table() -> dict[str, dict[str, Argument]]:
    """All arguments, by exercise and by the mutant's name."""
    data = tomllib.loads(FILE.read_text("utf-8"))
    return {
        exercise: {
            name: Argument(group["because"], group.get("missed", False))
            for group in groups
            for name in group["mutants"]
        }
        for exercise, groups in data.items()
    }


def argued(exercise: str) -> Argued:
    """The arguments on an exercise's mutants."""
    return table().get(exercise, {})
