"""The truth about a traced launch: what memory and the log were as each step was recorded."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import simulator
from simulator.observe.trace import Cursor, TracedLaunch
from simulator.observe.trace import recorder as recording
from tests.simulator.observe.trace.test_trace import check

UNWRITTEN = 0xA5


@dataclass
class Truth:
    """What device memory and the log were when each step had been recorded."""

    steps: dict[int, list[Any]] = field(default_factory=dict)

    def check(self, launch: TracedLaunch) -> None:
        """A cursor that has never seen the device agrees."""
        cursor = Cursor(launch)
        seen = self.steps.get(id(launch), [])
        assert len(seen) == len(launch.steps)
        for number, (arrays, shared, operands, lanes) in enumerate(seen):
            step, state = launch.steps[number], cursor.at(number)._state
            assert np.array_equal(step.lanes, lanes)
            for now, then in zip(step.operands, operands, strict=True):
                assert np.asarray(now).tobytes() == np.asarray(then).tobytes()
            for held, content in zip(state.memory, arrays, strict=False):
                assert held.tobytes() == content.tobytes(), (number, step.span.text)
            own = len(arrays) + step.wave
            written = state.written[own]
            assert np.array_equal(state.memory[own][written], shared[written])
            assert (shared[~written] == UNWRITTEN).all()


@contextmanager
def observed() -> Iterator[Truth]:
    """Watch recorders at work."""
    truth, watch = Truth(), recording.Recorder.watch

    def watched(self: recording.Recorder, entry: tuple[Any, ...]) -> None:
        before = len(self.launch.steps)
        watch(self, entry)
        for step in self.launch.steps[before:]:
            arena, wave = self.memory.arena, self.wave
            arrays = [arena[a.start : a.end].copy() for a, _, _ in self.launch.before]
            shared = arena[wave.shared_start : wave.shared_end].copy()
            found = arrays, shared, copy.deepcopy(step.operands), step.lanes.copy()
            truth.steps.setdefault(id(self.launch), []).append(found)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recording.Recorder, "watch", watched)
        yield truth


def traced(
    code: str, grid: Any, block: Any, *arrays: Any, name: str = "k", **given: Any
) -> list[TracedLaunch]:
    """The launches of a kernel, each checked against memory and counters."""
    launching = {k: given.pop(k) for k in ("shared_mem",) if k in given}
    with observed() as truth, simulator.Device(**given):
        arguments = tuple(simulator.asarray(np.array(a)) for a in arrays)
        kernel = simulator.RawKernel(code, name, enable_cooperative_groups="this_grid" in code)
        with simulator.tracing() as trace, simulator.counting() as record:
            kernel(grid, block, arguments, **launching)
        for launch, counted in zip(trace.launches, record.launches, strict=True):
            truth.check(launch)
            if launch.steps:
                check(launch, counted.counters)
    return trace.launches
