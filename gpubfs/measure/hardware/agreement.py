"""How well the three witnesses agree, as tables and as a page."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from gpubfs.measure.hardware.cases import EXPERIMENTS, LIMITS, OPEN, ORDER, Case
from gpubfs.measure.hardware.records import Records, launches_kernels
from gpubfs.measure.nsight import metrics
from gpubfs.render.sheets import Column, Row, Sheet, figure
from gpubfs.search.catalogue import techniques
from gpubfs.search.option import parse

#: Why a case is outside, besides the experiments.
REASONS = {
    ORDER: "The hardware is where other orders of the same warps are, as closely as is promised: "
    "which of several threads comes first decides what is loaded and stored.",
    OPEN: "Neither another order nor one of the experiments accounts for it.",
}


def witness_sheet(records: Records, cases: Sequence[Case]) -> Sheet:
    """Return the three side by side for one technique on one graph, whose cases these are."""
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
    searches = max(len(case.measured) for case in cases)
    median = f"median of {searches} searches, " if searches > 1 else ""
    notes = [
        f"recorded on {records.date}: driver {records.driver}, {records.compiler}",
        f"hardware: {median}{records.profiler}",
        "differences are the simulator's from the other",
    ]
    if far := [case.counter for case in cases if case.outside]:
        notes.append(f"farther than promised: {', '.join(far)}; `gpubfs agreement` says why")
    title = f"{cases[0].technique} on {cases[0].graph} against the {records.device}"
    return Sheet(title, tuple(columns), tuple(rows), tuple(notes))


def summary_sheet(records: Records, cases: Sequence[Case]) -> Sheet:
    """Return a row for each counter: how often equal, the median difference and the worst."""
    titles = ("cases", "equal", "median", "promised", "worst", "promised ", "band")
    columns = (Column("counter"), *(Column(title, figures=True) for title in titles))
    rows = [
        _summary(counter, [case for case in cases if case.counter == counter])
        for counter in metrics()
    ]
    title = f"the simulator against the {records.device} under Nsight Compute"
    notes = (
        "a case is a technique with its options on a graph; equal: to the digit",
        "differences are relative to the hardware, without their signs; cases where it counts "
        "nothing and the simulator does are left out",
        "band: the hardware's worst distance from all schedules of the simulator together",
    )
    return Sheet(title, columns, tuple(row for row in rows if row), notes + _without(records))


def _without(records: Records) -> tuple[str, ...]:
    """Return sentences on techniques of which nothing was recorded."""
    recorded = {parse(record.technique)[0] for record in records.records}
    missing = [name for name in techniques() if name not in recorded]
    launching = [name for name in missing if launches_kernels(name)]
    others = [name for name in missing if name not in launching]
    notes = {
        "cannot be recorded, as their kernels launch kernels": launching,
        "without a record": others,
    }
    return tuple(f"{words}: {', '.join(names)}" for words, names in notes.items() if names)


def _summary(counter: str, cases: Sequence[Case]) -> Row:
    compared = [case for case in cases if case.difference is not None]
    if not compared:
        return ()
    shares = [abs(case.difference or 0.0) for case in compared]
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
        _percent(max(case.beyond(case.hardware) for case in compared)),
    )


def outside_sheet(cases: Iterable[Case]) -> Sheet:
    """Return the cases outside of what is promised, and why."""
    notes = ("band: the simulator under all schedules; the last columns: the hardware, changed",)
    rows = [(*_row(case), case.reason) for case in cases if case.outside]
    columns = (*_columns(), Column("because"))
    return Sheet("outside of what is promised", columns, tuple(rows), notes, keys=3)


def _columns() -> tuple[Column, ...]:
    names = (Column("technique"), Column("graph"), Column("counter"))
    counted = ("simulator", "band", "counting build", "hardware", "difference")
    titles = (*counted, *(experiment.name for experiment in EXPERIMENTS))
    return (*names, *(Column(title, figures=True) for title in titles))


def _row(case: Case) -> tuple[str, ...]:
    return (
        case.technique,
        case.graph,
        case.counter,
        figure(case.simulated),
        _span(case.band) if case.ordered else "",
        figure(case.instrumented),
        _span(case.measured),
        _share(case.simulated, case.hardware),
        *(
            figure(case.experiments[e.name]) if e.name in case.experiments else ""
            for e in EXPERIMENTS
        ),
    )


def unordered_sheet(cases: Iterable[Case]) -> Sheet:
    """Return the techniques on graphs where no schedule made a difference: who counts the same."""
    titles = ("counters", "counting build equal", "hardware equal")
    names = (Column("technique"), Column("graphs"))
    columns = (*names, *(Column(title, figures=True) for title in titles))
    rows = []
    for technique, own in groupby(cases, lambda case: case.technique):
        pairs = [list(pair) for _, pair in groupby(own, lambda case: case.graph)]
        free = [pair for pair in pairs if not any(case.ordered for case in pair)]
        if free:
            rows.append(_unordered(technique, free))
    title = "where no schedule makes a difference"
    notes = ("a counter of the hardware is equal if it was so in each search",)
    return Sheet(title, columns, tuple(rows), notes)


def _unordered(technique: str, pairs: Sequence[Sequence[Case]]) -> Row:
    cases = [case for pair in pairs for case in pair]
    asked = [case for case in cases if case.measured]
    same = sum(case.simulated == case.instrumented for case in cases)
    hard = sum({case.simulated} == set(case.measured) for case in asked)
    graphs = ", ".join(pair[0].graph for pair in pairs)
    return (technique, graphs, f"{len(cases)}", f"{same}", f"{hard} of {len(asked)}")


def page(records: Records, cases: Sequence[Case], schedules: int) -> str:
    """All of it as a page in Markdown."""
    outside = [case for case in cases if case.outside]
    named = f"{len(records.records)} pairs of a technique and a graph"
    parts = [
        f"# The simulator against the {records.device}",
        f"Recorded on {records.date}: {named}; driver {records.driver}, {records.compiler}, "
        f"{records.profiler}. `gpubfs agreement` wrote this page from the records.",
        "Simulator: lockstep, profile h200. Counting build: the same kernels, rewritten so that "
        "they count by themselves, one search. Hardware: Nsight Compute's sums over the same "
        "launches, of several searches; where there are more numbers than one, the median counts. "
        "Searches begin at each graph's hub. Band: the least and the most that the simulator "
        f"counts in lockstep and under {schedules} random schedules (`shuffled`, `round-robin` and "
        "`random` in turn; the simulator's README describes them).",
        "## All cases together",
        summary_sheet(records, cases).markdown(),
        "## Outside of what is promised, and why",
        *_why(outside),
        "## Where no schedule makes a difference",
        unordered_sheet(cases).markdown(),
        "## Every case",
        "An empty band means that no schedule made a difference. Counters that nobody counted are "
        "left out.",
        _every_sheet(cases).markdown(),
    ]
    return "\n\n".join(parts) + "\n"


def _why(outside: Sequence[Case]) -> list[str]:
    if not outside:
        return ["Nothing."]
    parts = []
    words = REASONS | {experiment.name: experiment.words for experiment in EXPERIMENTS}
    for reason in (ORDER, *(experiment.name for experiment in EXPERIMENTS), OPEN):
        number = sum(case.reason == reason for case in outside)
        if number:
            parts.append(f"**{reason}** ({number} of {len(outside)}): {words[reason]}")
    again = "\n".join(f"GPUBFS_NVRTC_FLAGS={e.again} gpubfs profile …" for e in EXPERIMENTS)
    parts.append(f"Where there is a GPU, these repeat the experiments:\n\n```bash\n{again}\n```")
    return [*parts, outside_sheet(outside).markdown()]


def _every_sheet(cases: Iterable[Case]) -> Sheet:
    recorded = [case for case in cases if case.hardware is not None]
    rows = tuple(_row(case) for case in recorded if any(case.measured) or case.simulated)
    return Sheet("every case", _columns(), rows)


def _span(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return figure(low) if low == high else f"{low:,} to {high:,}"


def _share(count: int, other: int | None) -> str:
    if not other:
        return "+0.00 %" if other == count else ""
    return f"{100 * (count - other) / other:+.2f} %"


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def as_dict(cases: Iterable[Case]) -> list[dict[str, Any]]:
    """Cases, ready for JSON."""
    shown = ("hardware", "difference", "reason")
    return [vars(case) | {name: getattr(case, name) for name in shown} for case in cases]
