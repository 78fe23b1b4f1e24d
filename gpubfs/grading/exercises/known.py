"""Whether what an `exercise.toml` names is there, as far as that can be seen without running it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gpubfs.errors import UsageError, unknown
from gpubfs.grading.costs.derived import DERIVED, LEFT_OUT, PER_LEVEL
from gpubfs.grading.exercises.exercise import Case, Exercise
from gpubfs.grading.exercises.keys import is_number
from gpubfs.graphs import FAMILIES, GraphError, names, specification
from gpubfs.kernels import KERNELS
from gpubfs.search.catalogue import find
from gpubfs.search.counters import plain, shown
from gpubfs.search.technique import Technique
from simulator.execute.order import PROFILES
from simulator.execute.schedule import schedule_named
from simulator.observe.counters import Counters
from simulator.observe.sanitizers.checker import NAMES as SANITIZERS
from simulator.source import SimulatorError

#: What stands where a seed will be, while nothing is run.
SEED = "1"
#: Counters that are no numbers: they cannot be compared.
NO_NUMBERS = frozenset({"hottest_address"})
#: The graph's own arrays, on every machine.
GRAPH = ("offsets", "neighbours")
#: What a question about a search gives, besides the technique and its options.
ASKED = ("counter", "within", "schedule", "sanitize")
#: Files of an exercise that runs problems of its own, and of one that asks about them.
PROBLEM, KERNEL = "problem.py", "kernel.cu"


def check(path: Path, exercise: Exercise) -> None:
    """Look at all names, and at the files that must be there.

    Parameters
    ----------
    path : Path
        The `exercise.toml`, which messages name.
    exercise : Exercise
        What it says; its values are of the right kinds.

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
    _Names(path, exercise).check()


class _Names:
    """The names in one exercise."""

    def __init__(self, path: Path, exercise: Exercise) -> None:
        self.path = path
        self.exercise = exercise
        self.predicts = exercise.kind == "predict"

    def check(self) -> None:
        search = self.exercise.search
        if not self.predicts and "technique" not in search:
            if search or self.exercise.kind == "drive":
                raise UsageError(
                    f"{self.path}: [search] does not say its technique", 'technique = "scan-free"'
                )
            self._needs(PROBLEM)
        if not isinstance(search.get("frontiers", False), bool):
            raise UsageError(f"{self.path}: frontiers is no truth value", "give true or false")
        if "frontiers" in search and self.exercise.suffix != ".cu":
            raise UsageError(f"{self.path}: frontiers is for kernels only", "leave it out")
        for case in self.exercise.cases:
            self._case(f"case {case.name!r}", case)

    def _case(self, where: str, case: Case) -> None:
        place = f"of {where} (in {self.path})"
        for schedule in case.schedules:
            _check_schedule(f"{self.path}: {where}", schedule)
        _check_sanitizers(place, case.sanitize)
        own = dict(self.exercise.search)
        if not self.predicts:  # cases choose no technique, and do not switch on what is compared
            named = own.pop("technique", None)
            own.pop("frontiers", None)
        asked = {**own, **case.given}
        if self.predicts:
            named = asked.pop("technique", None)
        technique = None
        if named is not None:
            lanes = PROFILES[self.exercise.device_of(case)].warp_size
            technique = self._search(f"{self.path}: {where}", named, asked, lanes)
        if self.predicts:
            self._question(where, asked, technique)
        for counter in case.limits:
            if self.predicts or counter not in DERIVED:
                self._counter(place, counter, technique)

    def _question(self, where: str, asked: Mapping[str, Any], technique: Technique | None) -> None:
        """What a case asks, and by how much answers may differ."""
        if technique is None:
            self._needs(PROBLEM)
            self._needs(KERNEL)
        if not isinstance(asked.get("counter"), str):
            raise UsageError(
                f"{self.path}: {where} does not say its counter",
                'given = { counter = "launches", … }',
            )
        within = asked.get("within", 0)
        if not is_number(within) or within < 0:
            raise UsageError(
                f"{self.path}: {where}: within is {within!r}", "give a share, such as 0.01"
            )
        self._counter(f"of {where} (in {self.path})", asked["counter"], technique)

    def _search(self, where: str, named: object, asked: Mapping[str, Any], lanes: int) -> Technique:
        """The technique of a case, whose options and graph make sense."""
        options = dict(asked)
        with _at(where):
            technique = find(str(named))
            technique.check_machine("sim")
        graph, source = options.pop("graph", None), options.pop("source", 0)
        if not isinstance(graph, str):
            raise UsageError(f"{where} does not say its graph", 'given = { graph = "path:6" }')
        if isinstance(source, bool) or not isinstance(source, int) or source < 0:
            raise UsageError(f"{where}: source is {source!r}", "give the number of a vertex")
        for name in ASKED if self.predicts else ():
            found = options.pop(name, None)
            if name == "schedule" and found is not None:
                _check_schedule(where, str(found))
            elif name == "sanitize" and found is not None:
                _check_sanitizers(f"in {where}", str(found))
        with _at(where):
            technique.complete(options, lanes)
            check_graph(graph if self.predicts else graph.replace("{seed}", SEED))
        return technique

    def _counter(self, place: str, name: str, technique: Technique | None) -> None:
        known = problem_counters() if technique is None else search_counters(technique)
        drives = self.exercise.kind == "drive"
        own = drives and (name.startswith("bytes_by_name.") or name in (PER_LEVEL, LEFT_OUT))
        if name not in known and not own:  # drivers name their arrays
            raise unknown(f"counter {place}", name, known)

    def _needs(self, name: str) -> None:
        if not (self.exercise.folder / name).is_file():
            raise UsageError(
                f"{self.exercise.folder} has no {name}, and {self.path.name} no technique instead",
                'write it, or say under [search] whose kernels are meant: technique = "scan-free"',
            )


@contextmanager
def _at(where: str) -> Iterator[None]:
    """Errors of what is looked at, with the place in front."""
    try:
        yield
    except (UsageError, GraphError, SimulatorError) as error:
        raise UsageError(f"{where}: {error.message}", error.hint or "") from None


def _check_schedule(where: str, name: str) -> None:
    with _at(where):
        schedule_named(name)


def _check_sanitizers(place: str, names: str) -> None:
    for name in filter(None, names.split(",")):
        if name.strip() not in SANITIZERS:
            raise unknown(f"sanitizer {place}", name.strip(), SANITIZERS)


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
toy, karate …, for example kron:16
    """
    name, colon, rest = spec.strip().partition(":")
    name = name.strip().lower().replace("_", "-")
    if name in FAMILIES:
        # How large it may be is not asked: that depends on the machine.
        FAMILIES[name].sizes(spec, rest)
    elif name != "file" and (colon or name not in names()):
        specification.parse(spec.strip())  # which it cannot


def problem_counters() -> tuple[str, ...]:
    """The counters of launches that are no search.

    >>> {"launches", "load_sectors", "work.maximum"} <= set(problem_counters())
    True
    """
    return (*_leaves(plain(Counters())), "launches")


def _common() -> tuple[str, ...]:
    names = dict.fromkeys([*(counter.name for counter in shown()), *problem_counters()])
    return tuple(name for name in names if name not in NO_NUMBERS)


def search_counters(technique: Technique) -> tuple[str, ...]:
    """The counters of a technique's searches, with the bytes of each of its arrays."""
    arrays = (*GRAPH, *technique.arrays)
    return (*_common(), *(f"bytes_by_name.{name}" for name in arrays))


def _leaves(data: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """The names of all numbers, with dots where they are nested."""
    for name, value in data.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{above}{name}.")
        elif name not in NO_NUMBERS:
            yield above + name
