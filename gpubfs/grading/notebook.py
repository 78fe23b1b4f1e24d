"""What lessons' notebooks import: kernels to read, predictions, and what a GPU counted.

A notebook goes on whatever was predicted: `check` raises nothing. What it returns shows itself, and
is 0 or 1 to nbgrader, which takes a number instead of a cell's result for its points.
"""

from __future__ import annotations

import html
import math
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from numbers import Real
from pathlib import Path
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType

import simulator
from gpubfs.errors import UsageError, unknown
from gpubfs.grading.notebooks.given import given, student_name
from gpubfs.grading.notebooks.listing import Listing
from gpubfs.kernels import KERNELS
from gpubfs.machines.gpu import cuda_module
from gpubfs.measure.hardware.agreement import witness_sheet
from gpubfs.measure.hardware.cases import Case, cases_of
from gpubfs.measure.hardware.records import Records, load
from gpubfs.render.sheets import Sheet
from gpubfs.search.catalogue import find
from gpubfs.search.option import parse
from gpubfs.show.traces import of_launches
from gpubfs.show.traces.trace import LaunchTrace
from simulator.host.module import RawKernel
from simulator.observe.counters import Counters

__all__ = [
    "Recorded",
    "against",
    "beside",
    "check",
    "compiled",
    "counted",
    "given",
    "kernel",
    "machine",
    "recorded",
    "student_name",
    "traced",
]

#: Why the numbers are as they are that students predict, a file for each lesson. They stand here
#: because a cell that had them would show them before anybody has thought.
EXPLANATIONS = Path(__file__).parent / "explained"
OPEN = "write down your number in the cell above"
#: How many different wrong guesses it takes until the reason is given.
TRIES = 2

#: The wrong guesses of this session, by prediction and variable.
_guessed: dict[tuple[str, str], set[float]] = {}


@dataclass(frozen=True)
class Verdict:
    """What becomes of the guesses of a cell.

    Attributes
    ----------
    rows : tuple of str
        A line for each guess.
    right : bool
        Whether all of them are right.
    """

    rows: tuple[str, ...]
    right: bool

    def __str__(self) -> str:
        return "\n".join(self.rows)

    def __repr__(self) -> str:
        return f"{float(self.right)}"

    def _repr_html_(self) -> str:
        return "".join(f"<p>{html.escape(row)}</p>" for row in self.rows)


def check(
    name: str,
    *,
    within: float = 0.0,
    numbers: Mapping[str, Any] | None = None,
    **guesses: tuple[Any, Any],
) -> Verdict:
    """Compare guesses with what was counted.

    Parameters
    ----------
    name : str
        The prediction's grade_id, by which explanations are found in ``explained``.
    within : float
        By how much a guess may differ.
    numbers : mapping of str to number, optional
        What explanations name besides what was counted: the numbers that were `given`.
    **guesses
        For each variable the guess, which is None or ... as long as it is open, and the number.

    Returns
    -------
    Verdict
        It shows itself as the last value of a cell.

    Examples
    --------
    >>> print(check("03-star", on_the_star=(None, 300)))
    on_the_star: write down your number in the cell above
    >>> print(check("03-star", on_the_star=(75, 300)))
    on_the_star: 75 is too low; try again
    >>> print(check("03-star", on_the_star=(300, 300)))
    on_the_star: 300 is right. 300: all leaves look back at the hub, and here to look is to swap, \
on level[0].
    """
    texts = explanations().get(name)
    if texts is None:
        raise unknown("prediction called", name, explanations())
    rows, right = [], True
    for variable, (guess, counted) in guesses.items():
        good = _is_number(guess) and abs(guess - counted) <= within
        why = texts[variable].format(counted=counted, **(numbers or {}))
        wrong = "" if good else _feedback_on((name, variable), guess, counted, why)
        rows.append(f"{variable}: {wrong or f'{guess} is right. {why}'}")
        right = right and good
    return Verdict(tuple(rows), right)


def _feedback_on(key: tuple[str, str], guess: Any, counted: Any, why: str) -> str:
    """Return what is said of a guess that is open, no number, or wrong."""
    if guess is None or guess is ...:
        return OPEN
    if not _is_number(guess):
        return f"{guess!r:.60} is no number; {OPEN}"
    tried = _guessed.setdefault(key, set())
    tried.add(float(guess))
    much = "too high" if guess > counted else "too low"
    again = "try again" if len(tried) < TRIES else why
    return f"{guess} is {much}{'; ' if again == 'try again' else '. '}{again}"


def _is_number(guess: Any) -> bool:
    real = isinstance(guess, Real) and guess is not True and guess is not False
    return real and math.isfinite(guess)


@cache
def explanations() -> Mapping[str, Mapping[str, str]]:
    """Return the texts of all lessons, by prediction and variable."""
    texts: dict[str, Mapping[str, str]] = {}
    for file in sorted(EXPLANATIONS.glob("*.toml")):
        texts |= tomllib.loads(file.read_text(encoding="utf-8"))
    return texts


def kernel(technique_or_path: str | Path, *, only: str | None = None) -> Listing:
    """Return a kernel's source with line numbers, as the last value of a cell or by ``print``.

    Parameters
    ----------
    technique_or_path : str or Path
        A technique, one of the package's files, such as ``visit.cuh``, or the path of any file.
    only : str, optional
        The name of one function in it; the comment above it is shown, too.

    Raises
    ------
    UsageError
        If there is no such technique, file or function.

    Examples
    --------
    >>> print(kernel("visit.cuh", only="virtual_lane"))
      20  // The number of this thread in its virtual warp.
      21  __device__ int virtual_lane() { return threadIdx.x % WIDTH; }
    """
    path = _path(technique_or_path)
    try:
        whole = Listing(path.name, path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}", "name a technique or a file"
        ) from None
    return whole if only is None else whole.function(only)


def _path(wanted: str | Path) -> Path:

    given = Path(wanted)
    if isinstance(wanted, Path) or given.suffix in (".cu", ".cuh") or given.is_file():
        ours = KERNELS / given.name
        return ours if len(given.parts) == 1 and ours.is_file() else given
    return find(parse(wanted)[0]).path


def beside(name: str, lesson: str) -> Path:
    """Return a file of a lesson, such as a kernel that lies beside its notebook.

    Parameters
    ----------
    name : str
        Its path in the lesson's folder.
    lesson : str
        What that folder is called. Notebooks are started in it, in the folder of all lessons, or in
        that above.

    Raises
    ------
    UsageError
        If it is in none of these.

    Examples
    --------
    >>> beside("no.cu", "03-frontier-queues")
    Traceback (most recent call last):
        ...
    gpubfs.errors.UsageError: error: no.cu of the lesson 03-frontier-queues is not here
      start in the lesson's folder
    """
    for folder in (Path(), Path(lesson), Path("lessons", lesson)):
        if (folder / name).is_file():
            return (folder / name).resolve()
    raise UsageError(f"{name} of the lesson {lesson} is not here", "start in the lesson's folder")


@cache
def machine() -> str:
    """Return the machine for ``gpubfs.run``: "gpu" where a GPU runs a kernel, else "sim".

    Examples
    --------
    >>> machine() in ("gpu", "sim")
    True
    """
    try:
        cupy = cuda_module()
        with cupy.cuda.Device(0):
            empty = cupy.RawKernel('extern "C" __global__ void empty() {}', "empty")
            empty((1,), (32,), ())
            cupy.cuda.get_current_stream().synchronize()
    except Exception:  # whatever is missing, there is the simulator
        return "sim"
    return "gpu"


def compiled(file: Path, name: str) -> RawKernel:
    """Return a kernel of a file, for the simulated GPU of this moment.

    The file may include the package's headers.

    Parameters
    ----------
    file : Path
        The CUDA C file, as of `beside`.
    name : str
        The kernel's.

    Examples
    --------
    >>> import simulator
    >>> a = simulator.arange(4, dtype="uint32")
    >>> compiled(beside("ways.cu", "00-warp"), "parted")((1,), (4,), (a, 1))
    >>> a.get().tolist()
    [0, 4, 3, 10]
    """
    # Faults name the file as it is named here: as it is seen from where the notebook runs.
    module = simulator.RawModule(path=os.path.relpath(file), options=(f"-I{KERNELS}",))
    return module.get_function(name)


def counted(file: Path, name: str, threads: int, *arguments: Any) -> Counters:
    """Return what a launch of a kernel with one block counts on the simulator.

    Parameters
    ----------
    file, name
        As of `compiled`.
    threads : int
        The block's.
    *arguments
        The kernel's.

    Examples
    --------
    >>> import simulator
    >>> a = simulator.arange(64, dtype="uint32")
    >>> counted(beside("ways.cu", "00-warp"), "parted", 64, a, 1).divergent_branches
    2
    """
    with simulator.counting() as record:
        compiled(file, name)((1,), (threads,), arguments)
    return record.launches[0].counters


def traced(file: Path, name: str, threads: int, *arguments: Any) -> LaunchTrace:
    """Return the same launch step by step; it shows itself as a page.

    Examples
    --------
    >>> import simulator
    >>> with simulator.Device("toy4"):
    ...     traced(beside("ways.cu", "00-warp"), "parted", 4, simulator.zeros(4, "uint32"), 1)
    <trace of parted: 20 steps of 1 launches>
    """
    with simulator.tracing() as record:
        compiled(file, name)((1,), (threads,), arguments)
    return of_launches(record.launches)


@dataclass(frozen=True)
class Recorded:
    """What was recorded on a GPU of one technique on one graph, beside the simulator.

    ``found["load_sectors"]`` is one counter; its `simulated`, `instrumented` and `hardware` are
    numbers, and its `difference` is relative.

    Attributes
    ----------
    records : Records
        All that was recorded there, and with what.
    cases : tuple of Case
        A counter each.
    """

    records: Records
    cases: tuple[Case, ...]

    def __getitem__(self, counter: str) -> Case:
        for case in self.cases:
            if case.counter == counter:
                return case
        raise unknown("recorded counter", counter, [case.counter for case in self.cases])

    def sheet(self) -> Sheet:
        """Return the table: a row for each counter."""
        return witness_sheet(self.records, self.cases)

    def __repr__(self) -> str:
        first = self.cases[0]
        where = f"{first.technique} on {first.graph} against the {self.records.device}"
        return f"<{where}; the table shows in Jupyter and by rich.print>"

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        yield self.sheet()

    def _repr_html_(self) -> str:
        return self.sheet().html()


def recorded(
    technique: str, graph: str, counter: str | None = None, *, gpu: str = "h200"
) -> Recorded:
    """Return what a GPU said of a search, as it was recorded, in a table beside the simulator.

    Parameters
    ----------
    technique : str
        A technique, with options where it was recorded with some: ``scan-free:width=32``.
    graph : str
        One of the graphs that were recorded, such as ``toy`` or ``kron:10``.
    counter : str, optional
        The only counter that is wanted.
    gpu : str
        Where it was recorded.

    Raises
    ------
    UsageError
        If there is no such record, or no such counter in it; the remedy lists those there are.

    Examples
    --------
    >>> found = recorded("scan-free", "toy")
    >>> found["load_requests"].hardware, found["load_requests"].simulated
    (34, 34)
    """
    records = load(gpu)
    whole = Recorded(records, tuple(cases_of(records.find(technique, graph))))
    return whole if counter is None else Recorded(records, (whole[counter],))


#: The same, by the name that the option of `gpubfs compare` has.
against = recorded
