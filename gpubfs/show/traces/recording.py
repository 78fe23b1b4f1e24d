"""Run a technique on the simulator and record every step, or show launches that were recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gpubfs.arguments import function, is_kind, shown
from gpubfs.errors import UsageError
from gpubfs.host import Progress
from gpubfs.machines import Machine, open_machine
from gpubfs.render.views import view
from gpubfs.search.result import Run
from gpubfs.search.runs import Search, prepared
from gpubfs.search.technique import Technique
from gpubfs.show.traces.trace import LaunchTrace, Trace
from simulator.observe.trace import TraceTooLong, Tracing, tracing

if TYPE_CHECKING:
    from simulator.observe.trace import TracedLaunch


def trace(
    technique: str | Technique,
    graph: Any,
    source: int | None = None,
    *,
    device: str | None = None,
    schedule: str | None = None,
    levels: range | None = None,
    progress: Progress | None = None,
    **options: object,
) -> Trace:
    """Run a technique on the simulator and record every step of it.

    Parameters
    ----------
    technique : str or Technique
        As for `gpubfs.run`, like all that follows but `levels`.
    graph : Graph or whatever `gpubfs.graph` takes
        The graph or its specification.
    source : int, optional
        Where to begin.
    device : str, optional
        With "toy2" warps have two lanes, as in the figures of XBFS.
    schedule : str, optional
        In which order warps run.
    levels : range, optional
        Record only the launches that expand these levels.
    progress : callable, optional
        Called at each level.
    **options
        The technique's own options.

    Returns
    -------
    Trace
        The steps; in a notebook it shows itself as a page to step through.

    Raises
    ------
    UsageError
        As `gpubfs.run` does, and for a run that takes more steps than a trace can hold.

    Examples
    --------
    >>> import gpubfs
    >>> found = gpubfs.trace("scan-free", "toy", source=0, device="toy2", block=2)
    >>> len(found), found.run.verified
    (122, True)
    >>> print(found.step(0).span.text)
    return blockIdx.x * (blockDim.x / WIDTH) + threadIdx.x / WIDTH;
    """
    if levels is not None and not is_kind(levels, range):
        message = f"levels={shown(levels)} is no range"
        raise UsageError(message, "give the levels as range(2, 5), or level 2 alone as range(2, 3)")
    if progress is not None:
        function(progress, "progress")
    opened = open_machine("sim", device=device, schedule=schedule)
    search = prepared(technique, graph, source, opened, options)
    return _recorded(search, opened, Watch(levels, progress))


@view(Run, "trace")
def again(run: Run, levels: range | None) -> Trace:
    """Return the search of a run once more, step by step."""
    device = run.device if run.machine == "sim" else None
    options: dict[str, Any] = dict(run.options)
    return trace(
        run.technique,
        run.graph,
        run.source,
        device=device,
        schedule=run.schedule,
        levels=levels,
        **options,
    )


def _recorded(search: Search, machine: Machine, watch: Watch) -> Trace:
    """Do a search on the simulator, and return the launches of the levels that are wanted."""
    try:
        done = search.on(machine, watch.at_level, watch.begin)
    except TraceTooLong as error:
        what = f"tracing {search.technique.name} on {search.graph.spec}"
        raise UsageError(f"{what}: {error.message}", _remedy(search, watch)) from None
    launches, depths = watch.traced()
    if not launches:
        raise UsageError(
            f"no launch of {done.technique} on {done.graph.spec} expands "
            f"level {watch.levels.start if watch.levels else 0}",
            f"the search has the levels 0 to {done.depth}; a technique that goes from level to "
            "level by itself is one launch, at level 0",
        )
    return Trace(done, launches, depths, search.technique.parts)


def _remedy(search: Search, watch: Watch) -> str:
    """Say what helps: single levels where each has a launch, fewer threads where steps are few."""
    technique, ways = search.technique, ["a smaller graph"]
    whole = technique.is_cooperative(search.options)  # one launch goes through all levels
    if not whole and (watch.levels is None or len(watch.levels) > 1):
        ways.append("some of its levels with --level")
    if not watch.tracing.too_many_steps and "blocks" in {o.name for o in technique.options}:
        ways.append("fewer threads with --option blocks= and --option block=")
    return f"take {', or '.join(ways)}"


def of_launches(launches: Iterable[TracedLaunch], title: str = "") -> LaunchTrace:
    """Show launches of any kernels step by step, as the simulator recorded them.

    Parameters
    ----------
    launches : iterable of TracedLaunch
        What `simulator.tracing()` recorded, all or some; those without a step are left out.
    title : str, optional
        What pictures call it; by default the kernels' names.

    Returns
    -------
    LaunchTrace
        The steps; in a notebook it shows itself as a page to step through.

    Raises
    ------
    UsageError
        If no launch has a step.

    Examples
    --------
    >>> import simulator
    >>> from gpubfs.show.traces import of_launches
    >>> kernel = simulator.RawKernel('''
    ... extern "C" __global__ void halve(int *a) {
    ...   if (a[threadIdx.x] % 2 == 0) a[threadIdx.x] /= 2;
    ... }''', "halve")
    >>> with simulator.tracing() as traced:
    ...     kernel((1,), (4,), (simulator.arange(4, dtype="int32"),))
    >>> shown = of_launches(traced.launches)
    >>> shown.title, len(shown), shown.step(1).lanes.tolist()
    ('halve', 2, [0, 2])
    """
    found = [launch for launch in launches if launch.steps]
    if not found:
        raise UsageError(
            "no launch was traced", "launch kernels inside of `with simulator.tracing() as traced:`"
        )
    names = dict.fromkeys(launch.kernel for launch in found)
    return LaunchTrace(found, title or ", ".join(names))


class Watch:
    """Records the launches of the levels that are wanted, and which levels they are.

    Parameters
    ----------
    levels : range, optional
        The levels; by default all.
    progress : callable, optional
        Called at each level.
    """

    def __init__(self, levels: range | None = None, progress: Progress | None = None) -> None:
        self.levels = levels
        self.progress = progress
        self.depth = 0
        self.depths: list[int] = []
        self.tracing = Tracing()

    @contextmanager
    def begin(self) -> Iterator[None]:
        """Record on the current device."""
        with tracing() as self.tracing:
            self.tracing.paused = not self._wanted(0)
            try:
                yield
            finally:
                self._note(0)

    def at_level(self, depth: int, frontier: int | None, vertices: int | None) -> None:
        """From here on launches expand level `depth`."""
        self._note(depth)
        self.tracing.paused = not self._wanted(depth)
        if self.progress is not None:
            self.progress(depth, frontier, vertices)

    def _wanted(self, depth: int) -> bool:
        return self.levels is None or depth in self.levels

    def _note(self, depth: int) -> None:
        """Note that the launches since the last call were of the level before."""
        self.depths += [self.depth] * (len(self.tracing.launches) - len(self.depths))
        self.depth = depth

    def traced(self) -> tuple[tuple[TracedLaunch, ...], tuple[int, ...]]:
        """Return the launches that did something, and their levels."""
        both = zip(self.tracing.launches, self.depths, strict=True)
        found = [(launch, depth) for launch, depth in both if launch.steps]
        return tuple(launch for launch, _ in found), tuple(depth for _, depth in found)
