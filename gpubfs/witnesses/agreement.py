"""How well the three witnesses agree: case by case, and all cases together."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gpubfs.comparison import parse
from gpubfs.counters import value
from gpubfs.nsight import METRICS
from gpubfs.render import Column, Row, Sheet, figure
from gpubfs.runs import run

if TYPE_CHECKING:
    from gpubfs.witnesses.records import Record, Records

#: What is promised of relative differences from the hardware: the median, and the most.
LIMITS: dict[str, tuple[float, float | None]] = {
    "load_requests": (0.01, 0.05),
    "load_sectors": (0.01, 0.03),
    "store_requests": (0.01, 0.05),
    "store_sectors": (0.01, 0.03),
    "atomic_requests": (0.10, None),
}


@dataclass(frozen=True)
class Case:
    """One counter of one technique on one graph, as the three tell it.

    Attributes
    ----------
    technique, graph, counter : str
        What was counted where.
    simulated, instrumented : int
        By the simulator in lockstep, and by the build that counts.
    hardware : int or None
        By Nsight Compute; None for what it was not asked.
    """

    technique: str
    graph: str
    counter: str
    simulated: int
    instrumented: int
    hardware: int | None

    @property
    def difference(self) -> float | None:
        """(simulator - hardware) / hardware; None where only the simulator counted something.

        >>> Case("scan-free", "toy", "load_requests", 99, 100, 100).difference
        -0.01
        """
        if not self.hardware:
            return 0.0 if self.hardware == self.simulated else None
        return (self.simulated - self.hardware) / self.hardware

    @property
    def outside(self) -> bool:
        """Whether it is farther from the hardware than the most that is promised."""
        most = LIMITS.get(self.counter, (0.0, None))[1]
        share = self.difference
        return most is not None and (share is None or abs(share) > most)


def cases_of(record: Record) -> list[Case]:
    """The counters that all three have, of one record; the simulator runs for it."""
    name, options = parse(record.technique)
    counters = run(name, record.graph, **options).counters
    return [
        Case(
            record.technique,
            record.graph,
            counter,
            value(counters, counter),
            own,
            record.hardware.get(counter),
        )
        for counter, own in record.instrumented.items()
    ]


def witness_sheet(records: Records, cases: Sequence[Case]) -> Sheet:
    """The three side by side for one technique on one graph, whose cases these are."""
    columns = [Column("counter"), Column("simulator", figures=True)]
    columns += [Column(title, figures=True) for title in ("counting build", "", "hardware", " ")]
    rows: list[Row] = [
        (
            case.counter,
            figure(case.simulated),
            figure(case.instrumented),
            _share(case.simulated, case.instrumented),
            "–" if case.hardware is None else figure(case.hardware),
            _share(case.simulated, case.hardware),
        )
        for case in cases
    ]
    notes = (
        f"recorded on {records.date}: driver {records.driver}, {records.compiler}",
        f"hardware: {records.profiler}; differences are the simulator's from the other",
    )
    title = f"{cases[0].technique} on {cases[0].graph} against the {records.device}"
    return Sheet(title, tuple(columns), tuple(rows), notes)


def band(case: Case, schedules: int) -> tuple[int, int]:
    """The least and the most that the simulator counts in lockstep and under random schedules."""
    name, options = parse(case.technique)
    found = [
        run(name, case.graph, schedule=f"random:{seed}", **options).counters[case.counter]
        for seed in range(schedules)
    ]
    return min(case.simulated, *found), max(case.simulated, *found)


def all_cases(records: Records, tell: Callable[[str], None] = lambda words: None) -> list[Case]:
    """The cases of all records whose kernels are still the same."""
    found = []
    for record in records.records:
        if not record.stale:
            tell(f"{record.technique} on {record.graph}")
            found += cases_of(record)
    return found


def summary_sheet(records: Records, cases: Sequence[Case]) -> Sheet:
    """A row for each counter: how often equal, the median difference and the worst."""
    titles = ("cases", "equal", "median", "promised", "worst", "promised ")
    columns = (Column("counter"), *(Column(title, figures=True) for title in titles))
    rows = [
        _summary(counter, [case for case in cases if case.counter == counter])
        for counter in METRICS
    ]
    title = f"the simulator against the {records.device} under Nsight Compute"
    notes = (
        "equal: to the digit; differences are relative to the hardware, without their signs",
        "a case is a technique with its options on a graph; those where the hardware counts "
        "nothing and the simulator does are left out of median and worst",
    )
    return Sheet(title, columns, tuple(row for row in rows if row), notes)


def _summary(counter: str, cases: Sequence[Case]) -> Row:
    shares = [abs(case.difference) for case in cases if case.difference is not None]
    if not shares:
        return ()
    median, most = LIMITS.get(counter, (None, None))
    equal = sum(case.simulated == case.hardware for case in cases)
    return (
        counter,
        f"{len(cases)}",
        f"{equal}",
        _percent(statistics.median(shares)),
        "" if median is None else _percent(median),
        _percent(max(shares)),
        "" if most is None else _percent(most),
    )


def outside_sheet(cases: Iterable[Case], bands: Sequence[tuple[int, int] | None]) -> Sheet:
    """The cases outside of what is promised, with the simulator's band under random schedules."""
    titles = ("simulator", "counting build", "hardware", "difference", "band")
    columns = [Column("technique"), Column("graph"), Column("counter")]
    columns += [Column(title, figures=True) for title in titles]
    columns += [Column("hardware is")]
    rows = [_outside(case, found) for case, found in zip(cases, bands, strict=True)]
    notes = ("band: the least and the most of the simulator, in lockstep and random schedules",)
    return Sheet("outside of what is promised", tuple(columns), tuple(rows), notes, keys=3)


def _outside(case: Case, found: tuple[int, int] | None) -> Row:
    counts = (figure(case.simulated), figure(case.instrumented), figure(case.hardware))
    share = _share(case.simulated, case.hardware)
    assert case.hardware is not None
    where = (case.technique, case.graph, case.counter, *counts, share)
    if found is None:
        return (*where, "", "")
    low, high = found
    inside = low <= case.hardware <= high
    words = "inside" if inside else "above" if case.hardware > high else "below"
    return (*where, f"{low:,} to {high:,}", words)


def page(records: Records, cases: Sequence[Case], bands: Sequence[tuple[int, int] | None]) -> str:
    """All of it as a page in Markdown; `bands` belong to the cases outside of what is promised."""
    outside = [case for case in cases if case.outside]
    named = f"{len(records.records)} pairs of a technique and a graph"
    parts = [
        f"# The simulator against the {records.device}",
        f"Recorded on {records.date}: {named}; driver {records.driver}, {records.compiler}, "
        f"{records.profiler}.",
        "Simulator: lockstep, profile h200. Counting build: the same kernels, rewritten so that "
        "they count by themselves. Hardware: Nsight Compute's sums over the same launches. "
        "Searches begin at each graph's hub.",
        "## All cases together",
        summary_sheet(records, cases).markdown(),
        "## Outside of what is promised",
        outside_sheet(outside, bands).markdown() if outside else "Nothing.",
        "## Every case",
        _every_sheet(cases).markdown(),
    ]
    return "\n\n".join(parts) + "\n"


def _every_sheet(cases: Iterable[Case]) -> Sheet:
    titles = ("simulator", "counting build", "hardware", "difference")
    columns = [Column("technique"), Column("graph"), Column("counter")]
    columns += [Column(title, figures=True) for title in titles]
    told = [case for case in cases if case.hardware is not None]
    rows = tuple(_outside(case, None)[:7] for case in told if case.hardware or case.simulated)
    note = "cases in which nothing was counted by anybody are left out"
    return Sheet("every case", tuple(columns), rows, (note,))


def _share(count: int, other: int | None) -> str:
    if not other:
        return "+0.00 %" if other == count else ""
    return f"{100 * (count - other) / other:+.2f} %"


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def as_dict(cases: Iterable[Case]) -> list[dict[str, Any]]:
    """Cases, ready for JSON."""
    return [vars(case) | {"difference": case.difference} for case in cases]
