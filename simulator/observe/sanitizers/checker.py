"""`simulator.sanitize`: the observer of a launch, and what it raises or reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from simulator.execute.device import Device, device_or_current, observing
from simulator.execute.launch_config import LaunchConfig
from simulator.execute.observer import LaunchObserver, Observer
from simulator.execute.wave import Wave
from simulator.hints.similar import one_of
from simulator.ir.events import BasicBlock, Build, Plan
from simulator.observe.log import Entry
from simulator.observe.sanitizers.accesses import Epochs, History, LogReader, Numbers
from simulator.observe.sanitizers.declarations import array_of, check_declarations, declaration
from simulator.observe.sanitizers.happens_before import unordered
from simulator.observe.sanitizers.init import InitChecker
from simulator.observe.sanitizers.messages import (
    FaultContext,
    late_fault,
    race_fault,
    race_message,
    uninitialized_fault,
)
from simulator.observe.sanitizers.planned import Planned
from simulator.observe.sanitizers.race import PlannedRaces, Race, RaceChecker
from simulator.source import Fault, SimulatorError, Span, render

# Findings: what sanitizers saw and did not raise, because it is harmless or was declared.


TOO_LONG = "the launch is too long to tell whether its fences order them"
SAME_VALUE = "all of them write the same value"
#: How the note begins that tells which fault ended the launch in which something was found.
AFTERWARDS = "after that,"


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
        return _key(self.kind, self.array, self.declared, self.spans)

    @property
    def verdict(self) -> str:
        """Declared, harmless, or unsure."""
        if self.declared:
            return "declared"
        return "unsure" if self.reason == TOO_LONG else "harmless"

    def __str__(self) -> str:
        return render(f"{self.kind}, {self.verdict}", self.message, self.spans[0], self.reason)

    def as_dict(self) -> dict[str, object]:
        """Return its facts, ready for JSON.

        Returns
        -------
        dict
            Kind, message, array, reason, count, and the lines and columns of both accesses.
        """
        places = [
            {"line": s.line, "column": s.column, "text": s.text, "file": s.source.name}
            for s in self.spans
        ]
        names = ("kind", "message", "array", "reason", "declared", "count")
        return {name: getattr(self, name) for name in names} | {"places": places}


def _key(kind: str, array: str, declared: bool, spans: tuple[Span, ...]) -> tuple[object, ...]:
    places = sorted((s.source.name, s.line, s.column) for s in spans)
    return (kind, array, declared, *places)


@dataclass
class Report:
    """What the sanitizers of one context saw and did not raise."""

    findings: list[Finding] = field(default_factory=list)

    def add(self, finding: Finding) -> None:
        """One more; those of the same places and array are counted together.

        Parameters
        ----------
        finding : Finding
            What a sanitizer saw.
        """
        if not self.count(finding.key, finding.count):
            self.findings.append(finding)

    def count(self, key: tuple[object, ...], more: int) -> bool:
        """Count more locations for the finding with this key.

        Parameters
        ----------
        key : tuple
            As `Finding.key`.
        more : int
            How many.

        Returns
        -------
        bool
            Whether there is one.
        """
        for at, known in enumerate(self.findings):
            if known.key == key:
                self.findings[at] = replace(known, count=known.count + more)
                return True
        return False

    def __str__(self) -> str:
        return "\n".join(map(str, self.findings)) or "nothing found"


class _KnownPlan:
    """What is known of a kernel's plan before it runs."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.accesses = Planned(plan.blocks)
        self.races = PlannedRaces(plan)


class Checker(LaunchObserver):
    """Watches one launch.

    Parameters
    ----------
    config : LaunchConfig
        The launch.
    known : _KnownPlan
        Its kernel's plan.
    race, init : bool
        Which sanitizers are wanted.
    allow : mapping
        Arrays whose races are declared, perhaps only those of two writes, and the reasons.
    report : Report
        Takes what is not raised.
    """

    def __init__(
        self,
        config: LaunchConfig,
        known: _KnownPlan,
        race: bool,
        init: bool,
        allow: Mapping[str, str],
        report: Report,
    ) -> None:
        memory = config.memory
        self.memory = memory
        self.kernel = config.kernel
        self.allow = allow
        self.report = report
        self.planned = known.accesses
        self.race = RaceChecker(memory, known.races) if race else None
        self.init = InitChecker(memory) if init else None
        self.history = History(race and self.planned.syncs_warps, known.plan.blocks)
        self.epochs: Epochs | None = None
        self.faults: list[Fault] = []
        self._uninitialized: Fault | None = None
        self.waves = 0
        self._raced: set[frozenset[int]] = set()
        self.shifts = {
            view: config.arguments[at].shift for view, (at, _) in self.kernel.bases.items()
        }

    def start(self, wave: Wave) -> None:
        """Begin a wave of blocks."""
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
        self._choose()

    def _choose(self) -> None:
        """Choose the accesses of the wave that each sanitizer looks at."""
        race, init, accesses = self.race, self.init, self.planned.accesses
        racing = [one for one in accesses if race.wants(one.operand)] if race else []
        loose = [one for one in accesses if init.wants(one.operand)] if init else []
        self._racing, self._loose = set(map(id, racing)), set(map(id, loose))
        wanted = self._racing | self._loose
        self.reader.choose(self.planned, [one for one in accesses if id(one) in wanted])

    def consume(self, log: list[Entry], blocks: list[BasicBlock]) -> None:
        """Read a stretch of the log."""
        if blocks is not self.planned.blocks:  # where a fault has cut one short
            self.planned = Planned(blocks)
            self.history.blocks = blocks
            self._choose()
        worth = self.planned.worth
        kept = [entry for entry in log if entry[0] in worth]
        self.history.keep(self.wave, self.waves - 1, self.reader.offset, kept)
        loose = []
        for planned, access in self.reader.read(kept):
            if self.race is not None and id(planned) in self._racing:
                self.race.add(access)
            if id(planned) in self._loose:
                loose.append(access)
        if self.init is not None and loose:
            self.init.consume(loose)

    def finish_wave(self) -> None:
        """Check the wave, whose threads have ended."""
        self._check_wave()
        if self.race is not None:
            self.faults += [late_fault(self._scene(), found) for found in self.race.late()]

    def _check_wave(self) -> None:
        """Check what the wave has done so far."""
        if self.init is not None and self.init.found is not None:
            self._uninitialized = uninitialized_fault(self._scene(), self.init.found)
            self.init = None
        if self.race is not None:
            for race in self.race.end_wave(self._confirm):
                self._judge(race)

    def finish(self) -> None:
        """Check the launch, which is over.

        Raises
        ------
        Fault
            For the first thing found that is neither harmless nor declared. Races come before reads
            of nothing, because these may come of them: who reads too early may find nothing.
        """
        if self.race is not None:
            for race in self.race.end(self._confirm):
                self._judge(race)
        if self._uninitialized is not None:
            self.faults.append(self._uninitialized)
        if self.faults:
            raise self._first()

    def blame(self, fault: Fault) -> Fault:
        """Return what was found before `fault` ended the launch: its likely cause."""
        if not self.waves:
            return fault
        self._check_wave()
        try:
            self.finish()
        except Fault as cause:
            cause.notes = (*cause.notes, (f"{AFTERWARDS} {fault.message}", fault.span))
            return cause
        return fault

    def _first(self) -> Fault:
        first, *others = self.faults
        notes = tuple((f"also, {other.message}", other.span) for other in others[:3])
        first.notes = (*first.notes, *notes)
        return first

    def _confirm(self, locations: Numbers, wave: int | None) -> Iterator[Race] | None:
        assert self.race is not None
        if not self.history.complete:
            return None
        return unordered(self.history, locations, self.race.grain, wave)

    def _scene(self) -> FaultContext:
        return FaultContext(
            self.kernel.name,
            self.wave,
            self.memory,
            self.history,
            self.shifts,
            self.kernel.plan.shared,
        )

    def _judge(self, race: Race) -> None:
        """Raise a race later, or report it if it is harmless or declared."""
        scene = self._scene()
        accesses = race.first, race.second
        names = {name for access in accesses for name in scene.names(access.site, race.address)}
        declared = declaration(self.allow, names, race)
        if declared is None and not (race.same or race.unsure):
            sites = frozenset(access.site.id for access in accesses)
            if sites not in self._raced:
                self._raced.add(sites)
                self.faults.append(race_fault(scene, race))
            return
        array = min(names, default="") if declared is None else array_of(declared)
        spans = tuple(access.site.span for access in accesses)
        if self.report.count(_key("race", array, declared is not None, spans), race.count):
            return  # known by its first example
        reason = TOO_LONG if race.unsure else SAME_VALUE
        later, earlier = scene.in_order(race)
        self.report.add(
            Finding(
                "race",
                race_message(scene, race, later, earlier),
                array,
                reason if declared is None else self.allow[declared],
                declared is not None,
                (later.site.span, earlier.site.span),
                race.count,
            )
        )


# The public API: `with simulator.sanitize("race", "init"): …`.


#: Those that are switched on by name, and those that are always on.
OPTIONAL = ("race", "init", "sync")
ALWAYS = ("memory", "livelock", "steps")
NAMES = (*OPTIONAL, *ALWAYS, "all")


@dataclass
class Sanitizing(Observer):
    """The sanitizers that one context switched on."""

    race: bool
    init: bool
    sync: bool
    allow: Mapping[str, str]
    report: Report = field(default_factory=Report)
    _known: dict[int, _KnownPlan] = field(default_factory=dict, repr=False, compare=False)

    @property
    def build(self) -> Build:
        """What must be logged: values and order for races, masks, local variables."""
        return Build(values=self.race, masks=self.sync, locals=self.init)

    def begin(self, config: LaunchConfig) -> Checker | None:
        """Watch a launch, if there is anything to see that does not fail by itself."""
        if not (self.race or self.init):
            return None
        plan = config.kernel.plan
        known = self._known.get(id(plan))
        if known is None:
            known = self._known[id(plan)] = _KnownPlan(plan)
        return Checker(config, known, self.race, self.init, self.allow, self.report)


@contextmanager
def sanitize(
    *names: str,
    device: Device | None = None,
    allow: Mapping[str, str] | None = None,
    steps: int | None = None,
) -> Iterator[Report]:
    """Watch every launch on `device` (the current one) for bugs that do not fail by themselves.

    Parameters
    ----------
    *names : str
        Which sanitizers: "race" (two threads access the same memory, one writes, and nothing
        orders them), "init" (a read of memory that nothing wrote), "sync" (a mask that does not fit
        the lanes that call), or "all" of these. "memory" (bounds, alignment, freed memory),
        "livelock" and "steps" are always on and may be named.
    device : Device, optional
        The device to watch.
    allow : mapping of str to str, optional
        Races that are meant: array by its name in the source or its label, and the reason. They
        are recorded and not raised. Behind a name, ``:writes`` means only races of two writes: a
        barrier that is missing between writes and reads is found all the same.
    steps : int, optional
        How many steps a launch may take.

    Yields
    ------
    Report
        Its `findings` are races that are declared, or harmless because all threads write the same
        value.

    Raises
    ------
    SimulatorError
        For a name that is no sanitizer, or a limit that is none.
    Fault
        From a launch in which something else is found, at its end.

    Examples
    --------
    >>> import simulator
    >>> kernel = simulator.RawKernel('''
    ... extern "C" __global__ void any(int *a) { *a = threadIdx.x; }''', "any")
    >>> with simulator.sanitize("race", allow={"a": "any thread will do"}) as report:
    ...     kernel((1,), (2,), (simulator.zeros(1, "int32"),))
    >>> [(finding.array, finding.reason) for finding in report.findings]
    [('a', 'any thread will do')]
    """
    wanted = _wanted(names)
    target = device_or_current(device)
    check_declarations(allow)
    if steps is not None and (isinstance(steps, bool) or not isinstance(steps, int) or steps < 1):
        raise SimulatorError(f"steps={steps!r} is no limit", hint="give a whole number from 1")
    race, init, sync = (name in wanted for name in OPTIONAL)
    switched = Sanitizing(race, init, sync, dict(allow or {}))
    before = target.steps
    target.steps = before if steps is None else steps
    try:
        with observing(switched, target):
            yield switched.report
    finally:
        target.steps = before


def _wanted(names: tuple[str, ...]) -> set[str]:
    for name in names:
        if not isinstance(name, str) or name not in NAMES:
            raise SimulatorError(
                f"there is no sanitizer {name!r}", hint=one_of("sanitizers", str(name), NAMES)
            )
    return set(OPTIONAL) if "all" in names else set(names)
