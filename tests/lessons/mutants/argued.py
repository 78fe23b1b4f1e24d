"""The mutants that keep all points: one by one, why they are right, or not found.

`arguments/` has a file for each lesson. Mutants are named by the lines before and after; `missed`
says that no case shows that they are wrong.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).with_name("arguments")


@dataclass(frozen=True)
class Argument:
    """Why a mutant keeps all points; `missed` if it should not."""

    because: str
    missed: bool = False


Argued = Mapping[str, Argument]


@cache
def table() -> dict[str, dict[str, Argument]]:
    """All arguments, by exercise and by the mutant's name."""
    return {
        exercise: {
            name: Argument(group["because"], group.get("missed", False))
            for group in groups
            for name in group["mutants"]
        }
        for file in sorted(FOLDER.glob("*.toml"))
        for exercise, groups in tomllib.loads(file.read_text("utf-8")).items()
    }


def argued(exercise: str) -> Argued:
    """The arguments on an exercise's mutants."""
    return table().get(exercise, {})
