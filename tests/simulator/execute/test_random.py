"""Random kernels: the same memory as threads one by one, the same counters as warps one by one."""

from __future__ import annotations

import os
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as hs

import simulator
from tests.reference import warps
from tests.reference.expressions import Memory, OutOfFuelError
from tests.reference.statements import Parameter, Program
from tests.reference.threads import Machine
from tests.simulator.execute.random_expressions import COUNTERS, INPUTS, SLOTS
from tests.simulator.execute.random_programs import program

EXAMPLES = int(os.environ.get("RANDOM_KERNELS", "60"))
Shape = tuple[tuple[int, int, int], tuple[int, int, int], str]
SHAPES: list[Shape] = [
    ((1, 1, 1), (1, 1, 1), "h200"),
    ((2, 1, 1), (33, 1, 1), "h200"),
    ((3, 1, 1), (16, 1, 1), "v100"),
    ((2, 2, 1), (5, 3, 1), "h200"),
    ((1, 1, 2), (2, 3, 4), "p6000"),
    ((9, 1, 1), (6, 1, 1), "toy4"),
    ((3, 2, 1), (4, 2, 1), "toy2"),
    ((1, 1, 1), (64, 1, 1), "h200"),
]


def values_of(parameter: Parameter, random: Random, threads: int) -> Any:
    """What the host passes: a number, zeros to be written, or numbers to be read."""
    of = parameter.type
    if parameter.mode == "value":
        return of.convert(random.choice((0, 1, 2, 3, 7, 100)))
    if parameter.name.startswith("in"):
        return [of.convert(random.choice((0, 1, 2, 5, 100, 1000, -1, -7))) for _ in range(INPUTS)]
    count = COUNTERS if parameter.name == "counters" else SLOTS * threads
    return [of.convert(0)] * count


def machine_of(made: Program, shape: Shape, values: dict[str, Any]) -> Machine:
    """A machine with memory of its own."""
    memory = {k: Memory(v, "global") if isinstance(v, list) else v for k, v in values.items()}
    return Machine(made, shape[0], shape[1], memory, fuel=3000)


def simulated(
    made: Program, shape: Shape, values: dict[str, Any], count: bool
) -> tuple[simulator.Launch | None, dict[str, Any]]:
    """The launch that the simulator counted, and memory afterwards."""
    grid, block, profile = shape
    with simulator.Device(profile, memory=1 << 20) as device:
        arguments = [
            simulator.asarray(np.array(values[p.name], p.type.dtype))
            if p.mode == "pointer"
            else values[p.name]
            for p in made.parameters
        ]
        kernel = simulator.RawKernel(made.text(), "k")
        if count:
            with simulator.counting(device) as record:
                kernel(grid, block, tuple(arguments))
        else:
            kernel(grid, block, tuple(arguments))
        pairs = zip(made.parameters, arguments, strict=True)
        memory = {p.name: a.get().tolist() for p, a in pairs if p.mode == "pointer"}
        return (record.launches[0] if count else None), memory


def compare(random: Random) -> bool:
    """Make a kernel and run it on both machines; False if it runs too long for a test."""
    made = program(random)
    shape = random.choice(SHAPES)
    threads = int(np.prod(shape[0]) * np.prod(shape[1]))
    values = {p.name: values_of(p, random, threads) for p in made.parameters}
    count = random.random() < 0.5
    return same(made, shape, values, count)


def same(made: Program, shape: Shape, values: dict[str, Any], count: bool) -> bool:
    machine = machine_of(made, shape, values)
    try:
        machine.run()
    except OutOfFuelError:
        return False
    launch, found = simulated(made, shape, values, count)
    for name, numbers in found.items():
        wanted = list(machine.arguments[name])
        assert np.array_equal(np.array(numbers), np.array(wanted), equal_nan=True), (
            f"{name} differs on {shape}\n{values}\n{made.text()}\n{numbers}\n{wanted}"
        )
    if launch is not None:
        warp_size = simulator.PROFILES[shape[2]].warp_size
        wanted = dict(warps.count(machine_of(made, shape, values), warp_size))
        seen = counted(launch)
        assert seen == wanted, f"counted {seen}, not {wanted}, on {shape}\n{values}\n{made.text()}"
    return True


def counted(launch: simulator.Launch) -> dict[str, int]:
    """The launch's counters by the names that the warp machine uses."""
    seen: Counter[str] = Counter()
    for site in launch.sites:
        if site.kind not in ("branch", "barrier"):
            kind = site.kind.replace("_", " ")
            kind = kind if " " in kind else f"global {kind}"
            seen += Counter({f"{kind} requests": site.requests, f"{kind} lanes": site.lanes})
            seen[f"{kind} sectors"] += site.sectors
    seen["bank conflicts"] = launch.counters.bank_conflicts
    seen["warp steps"] = launch.counters.warp_steps
    seen["thread steps"] = launch.counters.thread_steps
    seen["barriers"] = launch.counters.barriers
    work = (launch.counters.work, launch.counters.work_per_warp, launch.counters.work_per_block)
    for who, spread in zip(("threads", "warps", "blocks"), work, strict=True):
        for amount, times in zip(spread.values.tolist(), spread.counts.tolist(), strict=True):
            seen[f"{who} that did {amount}"] = times
    return dict(+seen)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(hs.randoms(use_true_random=False))
def test_random_kernels_compute_what_one_thread_after_the_other_computes(random: Random) -> None:
    assume(compare(random))


@pytest.mark.slow
def test_larger_random_kernels() -> None:
    ran = [compare(Random(seed)) for seed in range(EXAMPLES)]
    assert sum(ran) > EXAMPLES // 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_many_random_kernels(seed: int) -> None:
    ran = [compare(Random(1000 * seed + one)) for one in range(1000, 1100)]
    assert sum(ran) > 50
