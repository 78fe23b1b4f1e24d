"""Observers: an analysis of one's own, told of launches as counters, sanitizers and traces are."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import simulator
from simulator.execute.launch_config import LaunchConfig
from simulator.ir.events import BasicBlock, Build
from simulator.observe.log import Decoder
from simulator.source import Source, Span

HALVE = """
extern "C" __global__ void halve(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (a[i] % 2 == 0) a[i] /= 2;
}
"""
#: Its gangs wait for each other, so that in lockstep it begins anew, warp by warp.
WAIT = """
extern "C" __global__ void wait(volatile int *flag) {
  if (threadIdx.x < 32) while (flag[0] == 0);
  else flag[0] = 1;
}
"""


class Lines(simulator.Observer):
    """How often lanes accessed memory, by line of the source."""

    def __init__(self) -> None:
        self.counts: Counter[int] = Counter()

    def begin(self, config: LaunchConfig) -> simulator.LaunchObserver:
        return LinesOfLaunch(self)


class LinesOfLaunch(simulator.LaunchObserver):
    def __init__(self, whole: Lines) -> None:
        self.whole = whole
        self.counts: Counter[int] = Counter()

    def start(self, wave: Any) -> None:
        self.decoder = Decoder()

    def consume(self, log: list[tuple[Any, ...]], blocks: list[BasicBlock]) -> None:
        for number, lanes, _ in self.decoder.each(log):
            for operand in blocks[number].operands:
                if operand.site.kind in ("load", "store", "atomic"):
                    self.counts[operand.site.span.line] += lanes.size

    def finish(self) -> None:
        self.whole.counts += self.counts


#: Where a kernel stands.
NOWHERE = Span(Source("", "k.cu"), 1, 1, 1, 1)


class Story(simulator.Observer, simulator.LaunchObserver):
    """What an observer is told, in order."""

    def __init__(self, **given: Any) -> None:
        self.told: list[str] = []
        self.asked = Build(**given)
        self.problem: simulator.Fault | None = None

    @property
    def build(self) -> Build:
        return self.asked

    def begin(self, config: LaunchConfig) -> simulator.LaunchObserver | None:
        self.told.append(f"begin {config.kernel.name} {config.grid[0]}x{config.block[0]}")
        return self

    def start(self, wave: Any) -> None:
        self.told.append(f"start {wave.first_block}+{wave.slots}")

    def finish_wave(self) -> None:
        self.told.append("finish wave")

    def blame(self, fault: simulator.Fault) -> simulator.Fault:
        self.told.append("blame")
        return fault

    def abandon(self) -> None:
        self.told.append("abandon")

    def finish(self) -> None:
        self.told.append("finish")
        if self.problem is not None:
            raise self.problem


def halve(threads: int = 64, grid: int = 1) -> Any:
    a = simulator.arange(grid * threads, dtype="int32")
    simulator.RawKernel(HALVE, "halve")((grid,), (threads,), (a, grid * threads))
    return a


@pytest.mark.parametrize("schedule", ["lockstep", "warp", "random:1"])
def test_an_analysis_of_ones_own(schedule: str) -> None:
    with simulator.Device(schedule=schedule), simulator.observing(Lines()) as lines:
        halve(grid=3)
    assert lines.counts == {5: 3 * (64 + 32 + 32)}


def test_it_sees_what_the_counters_count() -> None:
    with simulator.observing(Lines()) as lines, simulator.counting() as record:
        halve()
    (launch,) = record.launches
    accesses = [site for site in launch.sites if site.kind in ("load", "store")]
    assert lines.counts == {5: sum(site.lanes for site in accesses)}


def test_what_it_is_told() -> None:
    profile = simulator.PROFILES["toy2"]
    with simulator.Device(profile), simulator.observing(Story()) as story:
        resident = profile.resident_blocks(4, 0)
        halve(threads=4, grid=resident + 1)
    waves = [f"start 0+{resident}", "finish wave", f"start {resident}+1", "finish wave"]
    assert story.told == [f"begin halve {resident + 1}x4", *waves, "finish"]


def test_a_launch_that_begins_anew_is_abandoned() -> None:
    with simulator.observing(Story()) as story:
        simulator.RawKernel(WAIT, "wait")((1,), (64,), (simulator.zeros(1, "int32"),))
    assert story.told[0] == "begin wait 1x64"
    assert story.told.count("abandon") == 1
    assert story.told[story.told.index("abandon") + 1 :] == [
        "begin wait 1x64",
        "start 0+1",
        "finish wave",
        "finish",
    ]


def test_a_fault_is_blamed_and_ends_the_story() -> None:
    kernel = simulator.RawKernel(
        'extern "C" __global__ void f(int *a) { a[threadIdx.x] = 1; }', "f"
    )
    with simulator.observing(Story()) as story, pytest.raises(simulator.Fault):
        kernel((1,), (64,), (simulator.zeros(8, "int32"),))
    assert story.told == ["begin f 1x64", "start 0+1", "blame"]


def test_all_are_told_of_the_end_although_one_objects() -> None:
    first, second = Story(), Story()
    first.problem, second.problem = simulator.Fault("first", None), simulator.Fault("second", None)
    watching = simulator.observing(first), simulator.observing(second)
    raised = pytest.raises(simulator.Fault, match="first")
    with watching[0], watching[1], simulator.counting() as record, raised:
        halve()
    assert (first.told[-1], second.told[-1]) == ("finish", "finish")
    assert len(record.launches) == 1


def test_none_watches_a_launch_that_it_declines() -> None:
    class Declining(simulator.Observer):
        def begin(self, config: LaunchConfig) -> None:
            return None

    with simulator.observing(Declining()):
        assert halve().get()[:4].tolist() == [0, 1, 1, 3]


def test_what_it_asks_for_is_logged() -> None:
    device = simulator.Device(schedule="round-robin:1")
    with device, simulator.observing(Story(values=True)), simulator.observing(Story(steps=True)):
        assert device.build_of(NOWHERE) == Build(preemptive=True, values=True, steps=True)
    assert device.build_of(NOWHERE) == Build(preemptive=True)


def test_it_watches_while_the_context_lasts_and_on_its_device() -> None:
    other = simulator.Device()
    with simulator.observing(Story(), other) as story:
        halve()
    assert story.told == []
    halve()
    assert other.observers == []


def test_what_is_no_observer() -> None:
    refused = pytest.raises(simulator.SimulatorError, match="observer is something of type int")
    with refused, simulator.observing(3):
        pass
