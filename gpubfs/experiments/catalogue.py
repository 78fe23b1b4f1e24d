"""All experiments that there are, found in their folder; and one of them by its name."""

from __future__ import annotations

from collections.abc import Iterable

from gpubfs.experiments.experiment import Experiment
from gpubfs.render.sheets import Column, Sheet
from gpubfs.search.discovery import Catalogue, discover
from gpubfs.search.plugins import plugin_of, until_loaded

#: Where they are.
MODULES = "gpubfs.experiments"


@until_loaded
def experiments() -> Catalogue[Experiment]:
    """Return all experiments by name, those of one paper together; without broken modules'.

    Returns
    -------
    Catalogue
        A dictionary; its `broken` are the modules that were left out.

    Raises
    ------
    UsageError
        If an experiment of a plugin has the name of another.

    Examples
    --------
    >>> experiments()["dfq-memory"].figure
    'V-D, Table II'
    """
    return discover("experiment", MODULES, Experiment, _order)


def _order(one: Experiment) -> tuple[object, ...]:
    return not one.paper, one.paper, one.name


def find(name: str) -> Experiment:
    """Return the experiment of that name.

    Raises
    ------
    UsageError
        If there is none; the remedy names the nearest.
    """
    return experiments().find(name)


def sheet(known: Iterable[Experiment]) -> Sheet:
    """List experiments."""
    titles = (Column(title, text=True) for title in ("paper and figure", "question"))
    rows = tuple((one.name, _origin(one), one.question) for one in known)
    title = "experiments: papers' tables and figures, measured anew"
    return Sheet(title, (Column("experiment"), *titles), rows)


def _origin(one: Experiment) -> str:
    plugin = plugin_of(one.code)
    of_none = f"plugin {plugin}" if plugin else one.origin
    return ": ".join(filter(None, (one.paper, one.figure))) or of_none
