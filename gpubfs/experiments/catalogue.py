"""All experiments that there are, found in their folder; and one of them by its name."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from gpubfs.errors import unknown
from gpubfs.experiments.experiment import Experiment
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.discovery import Catalogue, discover

#: Where they are.
MODULES = "gpubfs.experiments"


@cache
def experiments() -> Catalogue[Experiment]:
    """All experiments by name, those of one paper together; without those of broken modules.

    Examples
    --------
    >>> experiments()["dfq-memory"].figure
    'V-D, Table II'
    """
    found = discover(MODULES, Experiment, lambda e: e.name)
    ordered = sorted(found.members, key=lambda e: (e.paper, e.name))
    known = Catalogue((e.name, e) for e in ordered)
    known.broken = found.broken
    return known


def find(name: str) -> Experiment:
    """The experiment called `name`.

    Raises
    ------
    UsageError
        If there is none; the remedy names the nearest.
    """
    known = experiments()
    spelled = str(name).replace("_", "-")
    if spelled not in known:
        raise known.problem(spelled) or unknown("experiment", spelled, known)
    return known[spelled]


def sheet(known: Iterable[Experiment]) -> Sheet:
    """The list of experiments."""
    titles = (Column(title, text=True) for title in ("paper and figure", "question"))
    rows = tuple((one.name, f"{one.paper}: {one.figure}", one.question) for one in known)
    title = "experiments: papers' tables and figures, measured anew"
    return Sheet(title, (Column("experiment"), *titles), rows)
