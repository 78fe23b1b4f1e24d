"""Random kernels: the same memory as threads one by one, the same counters as warps one by one."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import nullcontext
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as hs

import simulator
from tests.fuzz import generate
from tests.fuzz.run import run
from tests.reference.counting import count
from tests.reference.expressions import OutOfFuelError
from tests.reference.job import difference
from tests.reference.program import Program
from tests.reference.threads import Oracle
from tests.sampling import examples

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
FUEL = 3000


def any_program(random: Random) -> tuple[Program, str]:
    """A random program, and the profile of the device that runs it."""
    grid, block, profile = random.choice(SHAPES)
    return generate.counted(random, grid, block), profile


def compare(random: Random) -> bool:
    """Make a kernel and run it on both machines; False if it runs too long for a test."""
    made, profile = any_program(random)
    counted = random.random() < 0.5
    oracle = Oracle(made, fuel=FUEL, recorded=[] if counted else None)
    try:
        expected = oracle.run()
    except OutOfFuelError:
        return False
    with (
        simulator.Device(profile, memory=1 << 20) as device,
        simulator.counting(device) if counted else nullcontext() as record,
    ):
        found = run(made.job(), simulator)
    assert difference(expected, found) == "", f"on {profile}\n{made.job().file()}"
    if record is not None:
        wanted = dict(count(oracle, simulator.PROFILES[profile].warp_size))
        seen = dict(sum(map(named, record.launches), Counter()))
        assert seen == wanted, f"counted {seen}, not {wanted}, on {profile}\n{made.job().file()}"
    return True


def named(launch: simulator.Launch) -> Counter[str]:
    """The launch's counters by the names that `count` uses."""
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
    return +seen


@settings(examples(EXAMPLES, 20), suppress_health_check=list(HealthCheck))
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
