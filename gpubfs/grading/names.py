"""Whether what an `exercise.toml` names is there, as far as that can be seen without running it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gpubfs.errors import UsageError, unknown
from gpubfs.grading.exercise import PROBLEM, Case, Exercise
from gpubfs.grading.limits.costs import DERIVED
from gpubfs.graphs import GraphError, names, specification
from gpubfs.kernels import KERNELS
from gpubfs.search.catalogue import find
from gpubfs.search.counters import plain, shown
from gpubfs.search.technique import Technique
from simulator.execute.device import schedule_named
from simulator.execute.launch_config import PROFILES
from simulator.observe.counters import Counters
from simulator.observe.sanitizers.checker import NAMES as SANITIZERS
from simulator.source import SimulatorError

#: What stands where a seed will be, while nothing is run.
SEED = "1"
#: Counters that are no numbers: they cannot be compared.
NO_NUMBERS = frozenset({"hottest_address"})
#: The graph's own arrays, on every machine.
GRAPH = ("offsets", "neighbours")


def check_names(path: Path, exercise: Exercise) -> None:
    """Refuse devices, headers, schedules and sanitizers that do not exist, whatever the kind.

    Parameters
    ----------
    path : Path
        The `exercise.toml`, which messages name.
    exercise : Exercise
        What it says; its values are of the right types.

    Raises
    ------
    UsageError
        For the first that is not there.
    """
    for device in (exercise.device, *map(exercise.device_of, exercise.cases)):
        if device not in PROFILES:
            raise unknown(f"device profile (in {path})", device, PROFILES)
    headers = sorted(file.name for file in KERNELS.iterdir() if file.suffix in (".cu", ".cuh"))
    for name in exercise.includes:
        if name not in headers:
            raise unknown(f"header (in {path})", name, headers)
    for case in exercise.cases:
        for schedule in case.schedules:
            check_schedule(f"{path}: case {case.name!r}", schedule)
        check_sanitizers(f"of case {case.name!r} (in {path})", case.sanitize)


def check_frontiers(path: Path, exercise: Exercise, allowed: bool = False) -> None:
    """Refuse the switch `frontiers` where it is no truth value, or not for this kind."""
    if not isinstance(exercise.search.get("frontiers", False), bool):
        raise UsageError(f"{path}: frontiers is no truth value", "give true or false")
    if "frontiers" in exercise.search and not allowed:
        raise UsageError(f"{path}: frontiers is for kernels only", "leave it out")


def check_searches(
    path: Path, exercise: Exercise, is_own: Callable[[str], bool] = lambda counter: False
) -> None:
    """Refuse cases whose search or limits name what does not exist.

    Parameters
    ----------
    path, exercise
        As of `check_names`. Without a technique its limits are on launches of problems.
    is_own : callable, optional
        Tells of a counter whether the kind counts it itself.
    """
    options = dict(exercise.search)  # cases choose no technique, nor switch on what is compared
    named = options.pop("technique", None)
    options.pop("frontiers", None)
    for case in exercise.cases:
        asked = {**options, **case.given}
        technique = None
        if named is not None:
            technique = check_search(path, exercise, case, named, asked)
            with located(f"{path}: case {case.name!r}"):
                check_graph(asked["graph"].replace("{seed}", SEED))
        for counter in (*case.limits, *case.shares, *exercise.score):
            if counter not in DERIVED and not is_own(counter):
                check_counter(path, case, counter, technique)


def check_search(
    path: Path, exercise: Exercise, case: Case, named: object, asked: Mapping[str, Any]
) -> Technique:
    """Return the technique of a case, whose options and source make sense."""
    where = f"{path}: case {case.name!r}"
    options = dict(asked)
    with located(where):
        technique = find(str(named))
        technique.check_machine("sim")
    graph, source = options.pop("graph", None), options.pop("source", 0)
    if not isinstance(graph, str):
        raise UsageError(f"{where} does not say its graph", 'given = { graph = "path:6" }')
    if isinstance(source, bool) or not isinstance(source, int) or source < 0:
        raise UsageError(f"{where}: source is {source!r}", "give the number of a vertex")
    with located(where):
        technique.complete(options, PROFILES[exercise.device_of(case)].warp_size)
    return technique


def check_counter(path: Path, case: Case, name: str, technique: Technique | None) -> None:
    """Refuse a counter that runs of a case do not have."""
    known = problem_counters() if technique is None else search_counters(technique)
    if name not in known:
        raise unknown(f"counter of case {case.name!r} (in {path})", name, known)


def no_technique(path: Path) -> UsageError:
    """Return the error for a `[search]` without a technique."""
    return UsageError(f"{path}: [search] does not say its technique", 'technique = "scan-free"')


def require_file(path: Path, exercise: Exercise, name: str = PROBLEM) -> None:
    """Refuse an exercise on no technique that lacks a file."""
    if not (exercise.folder / name).is_file():
        raise UsageError(
            f"{exercise.folder} has no {name}, and {path.name} no technique instead",
            'write it, or say under [search] whose kernels are meant: technique = "scan-free"',
        )


@contextmanager
def located(where: str) -> Iterator[None]:
    """Put the location in front of the errors of what is looked at."""
    try:
        yield
    except (UsageError, GraphError, SimulatorError) as error:
        raise UsageError(f"{where}: {error.message}", error.hint or "") from None


def check_schedule(where: str, name: str) -> None:
    """Refuse a schedule that does not exist."""
    with located(where):
        schedule_named(name)


def check_sanitizers(where: str, names: str) -> None:
    """Refuse sanitizers that do not exist."""
    for name in filter(None, names.split(",")):
        if name.strip() not in SANITIZERS:
            raise unknown(f"sanitizer {where}", name.strip(), SANITIZERS)


def check_graph(spec: str) -> None:
    """Raise GraphError for a specification that means no graph; none is made, and no file read.

    Examples
    --------
    >>> check_graph("kron:29")
    >>> check_graph("krn:6")
    Traceback (most recent call last):
        ...
    gpubfs.graphs.errors.GraphError: error: there is no graph called 'krn'
      did you mean kron? the names are kron, er, grid, road, rgg, delaunay, star, path, powerlaw, \
stencil, triangles, circuit, standin, toy, karate …, for example kron:16
    """
    name, rest, _ = specification.divided(spec.strip())
    family, sizes = specification.family_of(name, rest or "")
    if family is not None:
        # How large it may be is not asked: that depends on the machine.
        family.sizes(spec, sizes)
    elif name != "file" and (rest is not None or name not in names()):
        specification.parse(spec.strip())  # which it cannot


def problem_counters() -> tuple[str, ...]:
    """Return the counters of launches that are no search.

    >>> {"launches", "load_sectors", "work.maximum"} <= set(problem_counters())
    True
    """
    return (*_leaves(plain(Counters())), "launches")


def _common() -> tuple[str, ...]:
    known = dict.fromkeys([*(counter.name for counter in shown()), *problem_counters()])
    return tuple(name for name in known if name not in NO_NUMBERS)


def search_counters(technique: Technique) -> tuple[str, ...]:
    """Return the counters of a technique's searches, with the bytes of each of its arrays."""
    arrays = (*GRAPH, *technique.arrays)
    return (*_common(), *(f"bytes_by_name.{name}" for name in arrays))


def _leaves(data: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Yield the names of all numbers, with dots where they are nested."""
    for name, value in data.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{above}{name}.")
        elif name not in NO_NUMBERS:
            yield above + name
