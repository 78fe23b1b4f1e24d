"""The race checker against the definition of a race, on random small programs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

import simulator
from tests.sanitize.happens_before import (
    ACCESSES,
    ATOMIC,
    FENCES,
    PLACES,
    READS,
    WRITES,
    Program,
    Statement,
    messages,
    programs,
    verdicts,
)

KINDS = {
    "accesses": tuple(ACCESSES),
    "barriers": (*ACCESSES, "barrier", "barrier"),
    "warps": (*ACCESSES, "warp", "warp"),
    "both": (READS, WRITES, "barrier", "warp"),
    "fences": (*ACCESSES, WRITES, ATOMIC, ATOMIC, *FENCES),
    "everything": (*ACCESSES, ATOMIC, *FENCES, "__threadfence", "barrier", "warp"),
}


def races(kernel: simulator.RawKernel, program: Program, *allow: str) -> tuple[bool, set[str]]:
    """Whether a run is stopped by a race, and the arrays of which one was let pass as harmless."""
    a, out = simulator.zeros(PLACES, "int32"), simulator.zeros(16, "int32")
    with simulator.sanitize("race", allow=dict.fromkeys(allow, "meant")) as report:
        try:
            kernel((program.blocks,), (program.threads,), (a, out))
        except simulator.Fault:
            return True, set()
    return False, {finding.array for finding in report.findings if not finding.declared}


def holds(program: Program) -> None:
    """The checker says of a program what the definition says."""
    expected = verdicts(program)
    kernel = simulator.RawKernel(program.text(), "k")
    with simulator.Device("toy4", memory=1 << 20):
        assert races(kernel, program, "s")[0] == (expected["a"] == "race")
        assert races(kernel, program, "a")[0] == (expected["s"] == "race")
        stopped, harmless = races(kernel, program)
    assert stopped == ("race" in expected.values())
    if not stopped:
        assert harmless == {name for name, how in expected.items() if how == "harmless"}


@pytest.mark.parametrize("kinds", KINDS)
def test_as_defined(kinds: str) -> None:
    settings(max_examples=30)(given(programs(KINDS[kinds]))(holds))()


BEHIND_A_FENCE = (
    Statement("atomic", 1, "a", (0, 0)),
    Statement("volatile load", 2, "a", (0, 0)),
    Statement("load", 2, "a", (0, 0)),
)


@pytest.mark.parametrize(
    ("fence", "blocks", "found"),
    [
        ("__threadfence", 1, "clean"),
        ("__threadfence", 2, "clean"),
        ("__threadfence_block", 1, "clean"),
        ("__threadfence_block", 2, "race"),
    ],
)
def test_a_write_behind_a_fence_tells_those_of_the_fence_of_itself(
    fence: str, blocks: int, found: str
) -> None:
    program = Program(blocks, 2 // blocks, (Statement(fence, 1), *BEHIND_A_FENCE))
    assert verdicts(program)["a"] == found
    holds(program)


def test_who_only_stores_learns_nothing() -> None:
    told = (Statement("__threadfence", 3), Statement("volatile store", 3, "a", (1, 1)))
    program = Program(1, 2, (Statement("load", 1, "a", (1, 1)), *told))
    assert verdicts(program)["a"] == "race"
    holds(program)


@settings(max_examples=150)
@given(messages())
def test_messages_by_a_flag(program: Program) -> None:
    holds(program)
