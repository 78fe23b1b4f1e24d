"""The observer of one launch: hands accesses to the checkers, raises or reports what they find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from simulator.execute.geometry import Wave
from simulator.execute.observer import LaunchObserver
from simulator.execute.order import Order
from simulator.ir.events import WARP_SYNC, BasicBlock, Operand
from simulator.observe.sanitizers.accesses import Epochs, LogReader, Numbers
from simulator.observe.sanitizers.happens_before import unordered
from simulator.observe.sanitizers.history import History
from simulator.observe.sanitizers.init import InitChecker
from simulator.observe.sanitizers.race import Meeting, RaceChecker
from simulator.observe.sanitizers.wording import Scene, race_fault, race_message, unwritten_fault
from simulator.source import Fault, Span, render

# Findings: what sanitizers saw and did not raise, because it is harmless or was declared.


TOO_LONG = "the launch is too long to tell whether its fences order them"
SAME_VALUE = "all of them write the same value"


@dataclass(frozen=True)
class Finding:
    """Something that a sanitizer saw and let pass.

    Attributes
    ----------
    kind : str
        Which sanitizer: race.
    message : str
        What happened, of one example.
    array : str
        The array, by the name that the source or the host gives it.
    reason : str
        Why it was let pass: a declaration, or that all wrote the same value.
    declared : bool
        Whether it was declared.
    spans : tuple of Span
        The two places in the source.
    count : int
        How many locations were met so, summed over launches.
    """

    kind: str
    message: str
    array: str
    reason: str
    declared: bool
    spans: tuple[Span, ...] = field(repr=False)
    count: int = 1

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two findings the same."""
        places = sorted((s.source.name, s.line, s.column) for s in self.spans)
        return (self.kind, self.array, self.declared, *places)

    @property
    def verdict(self) -> str:
        """Declared, harmless, or unsure."""
        if self.declared:
            return "declared"
        return "unsure" if self.reason == TOO_LONG else "harmless"

    def __str__(self) -> str:
        return render(f"{self.kind}, {self.verdict}", self.message, self.spans[0], self.reason)

    def as_dict(self) -> dict[str, object]:
        """Its facts, ready for JSON."""
        places = [
            {"line": s.line, "column": s.column, "text": s.text, "file": s.source.name}
            for s in self.spans
        ]
        names = ("kind", "message", "array", "reason", "declared", "count")
        return {name: getattr(self, name) for name in names} | {"places": places}


@dataclass
class Report:
    """What the sanitizers of one context saw and did not raise."""

    findings: list[Finding] = field(default_factory=list)

    def add(self, finding: Finding) -> None:
        """One more; those of the same places and array are counted together."""
        for at, known in enumerate(self.findings):
            if known.key == finding.key:
                self.findings[at] = replace(known, count=known.count + finding.count)
                return
        self.findings.append(finding)

    def __str__(self) -> str:
        return "\n".join(map(str, self.findings)) or "nothing found"


class Checker(LaunchObserver):
    """Watches one launch.

    Parameters
    ----------
    order : Order
        The launch.
    race, init : bool
        Which sanitizers are wanted.
    allow : mapping
        Arrays whose races are declared, and the reasons.
    report : Report
        Takes what is not raised.
    """

    def __init__(
        self,
        order: Order,
        race: bool,
        init: bool,
        allow: Mapping[str, str],
        report: Report,
    ) -> None:
        plan, memory = order.kernel.plan, order.memory
        forms = {o.form for block in plan.blocks for o in block.operands}
        self.memory = memory
        self.kernel = order.kernel
        self.allow = allow
        self.report = report
        self.race = RaceChecker(memory, plan.blocks, plan.sites) if race else None
        self.init = InitChecker(memory) if init else None
        self.history = History(WARP_SYNC in forms and race)
        self.epochs: Epochs | None = None
        self.faults: list[Fault] = []
        self._unwritten: Fault | None = None
        self.waves = 0
        self._raced: set[frozenset[int]] = set()
        self.shifts = {
            view: order.arguments[at].shift for view, (at, _) in self.kernel.bases.items()
        }

    def start(self, wave: Wave) -> None:
        """A wave of blocks begins."""
        self.wave = wave
        self.waves += 1
        if self.epochs is None:
            self.epochs = Epochs(wave)
        else:
            self.epochs.start(wave)
        self.reader = LogReader(wave, self.epochs)
        if self.race is not None:
            self.race.start(wave, self.epochs)
            self.history.whole |= self.race.replays
        if self.init is not None:
            self.init.start(wave)

    def consume(self, log: list[tuple[Any, ...]], blocks: list[BasicBlock]) -> None:
        """A stretch of the log."""
        self.history.keep(self.wave, self.waves - 1, self.reader.decoder.offset, log, blocks)
        loose = []
        for operand, access in self.reader.read(log, blocks, self._wanted):
            if self.race is not None and self.race.wants(operand):
                self.race.add(access)
            if self.init is not None and self.init.wants(operand):
                loose.append(access)
        if self.init is not None and loose:
            self.init.consume(loose)

    def _wanted(self, operand: Operand) -> bool:
        wanted = self.race is not None and self.race.wants(operand)
        return wanted or (self.init is not None and self.init.wants(operand))

    def finish_wave(self) -> None:
        """The wave's threads have ended."""
        if self.init is not None and self.init.found is not None:
            self._unwritten = unwritten_fault(self._scene(), self.init.found)
            self.init = None
        if self.race is not None:
            for meeting in self.race.end_wave(self._confirm):
                self._judge(meeting)

    def finish(self) -> None:
        """The launch is over.

        Raises
        ------
        Fault
            For the first thing found that is neither harmless nor declared. Races come before reads
            of nothing, because these may come of them: who reads too early may find nothing.
        """
        if self.race is not None:
            for meeting in self.race.end(self._confirm):
                self._judge(meeting)
        if self._unwritten is not None:
            self.faults.append(self._unwritten)
        if self.faults:
            raise self._first()

    def blame(self, fault: Fault) -> Fault:
        """The launch ended by `fault`: what was found before it is its likely cause."""
        if not self.waves:
            return fault
        self.finish_wave()
        try:
            self.finish()
        except Fault as cause:
            cause.notes = (*cause.notes, (f"after that, {fault.message}", fault.span))
            return cause
        return fault

    def _first(self) -> Fault:
        first, *others = self.faults
        notes = tuple((f"also, {other.message}", other.span) for other in others[:3])
        first.notes = (*first.notes, *notes)
        return first

    def _confirm(self, places: Numbers, wave: int | None) -> Iterator[Meeting] | None:
        assert self.race is not None
        if not self.history.complete:
            return None
        return unordered(self.history, places, self.race.grain, wave)

    def _scene(self) -> Scene:
        return Scene(
            self.kernel.name,
            self.wave,
            self.memory,
            self.history,
            self.shifts,
            self.kernel.plan.shared,
        )

    def _judge(self, meeting: Meeting) -> None:
        """A race is raised, unless it is harmless or declared."""
        scene = self._scene()
        sides = meeting.first, meeting.second
        names = {name for side in sides for name in scene.names(side.site, meeting.address)}
        declared = sorted(names & set(self.allow))
        if not (declared or meeting.same or meeting.unsure):
            sites = frozenset(side.site.id for side in sides)
            if sites not in self._raced:
                self._raced.add(sites)
                self.faults.append(race_fault(scene, meeting))
            return
        reason = TOO_LONG if meeting.unsure else SAME_VALUE
        later, earlier = scene.in_order(meeting)
        self.report.add(
            Finding(
                "race",
                race_message(scene, meeting, later, earlier),
                declared[0] if declared else min(names, default=""),
                self.allow[declared[0]] if declared else reason,
                bool(declared),
                (later.site.span, earlier.site.span),
                meeting.count,
            )
        )
