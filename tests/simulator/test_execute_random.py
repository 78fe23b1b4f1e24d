"""Random kernels on the simulator and on a scalar machine that runs one thread after the other: the same memory."""

from __future__ import annotations

import os
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as hs

import simulator
from tests.simulator.helpers_expressions import Memory, OutOfFuel, Thread
from tests.simulator.helpers_random import COUNTERS, INPUTS, SLOTS
from tests.simulator.helpers_random_statements import program
from tests.simulator.helpers_statements import Machine, Parameter, Program

EXAMPLES = int(os.environ.get("RANDOM_KERNELS", "60"))
SHAPES = [
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


def expected(
    made: Program, shape: tuple[Any, Any, str], values: dict[str, Any]
) -> tuple[list[Thread], dict[str, Any]]:
    """Every thread as the scalar machine ran it, and memory afterwards."""
    memory = {k: Memory(v, "global") if isinstance(v, list) else v for k, v in values.items()}
    threads = Machine(made, shape[0], shape[1], memory, fuel=3000).run()
    return threads, memory


def simulated(
    made: Program, shape: tuple[Any, Any, str], values: dict[str, Any], count: bool
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


def same(made: Program, shape: Any, values: dict[str, Any], count: bool) -> bool:
    try:
        run, wanted = expected(made, shape, values)
    except OutOfFuel:
        return False
    launch, found = simulated(made, shape, values, count)
    for name, numbers in found.items():
        assert np.array_equal(np.array(numbers), np.array(wanted[name]), equal_nan=True), (
            f"{name} differs on {shape}\n{values}\n{made.text()}\n{numbers}\n{list(wanted[name])}"
        )
    if launch is not None:
        counted(made, launch, run)
    return True


def counted(made: Program, launch: simulator.Launch, threads: list[Thread]) -> None:
    """What does not depend on who runs with whom: every thread's statements and accesses."""
    seen: dict[str, int] = {}
    for site in launch.sites:
        if site.kind not in ("branch", "barrier"):
            kind = site.kind.replace("shared_", "shared ")
            kind = kind if " " in kind else f"global {kind}"
            seen[kind] = seen.get(kind, 0) + site.lanes
    wanted: dict[str, int] = {}
    for thread in threads:
        for kind, times in thread.accesses.items():
            wanted[kind] = wanted.get(kind, 0) + times
    assert seen == wanted, f"accesses {seen}, not {wanted}, in\n{made.text()}"
    steps = sum(t.steps for t in threads)
    found = launch.counters.thread_steps
    assert found == steps, f"steps {found}, not {steps}, in\n{made.text()}"


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(hs.randoms(use_true_random=False))
def test_random_kernels_compute_what_one_thread_after_the_other_computes(random: Random) -> None:
    assume(compare(random))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_many_random_kernels(seed: int) -> None:
    random = Random(seed)
    assert sum(compare(random) for _ in range(100)) > 50
