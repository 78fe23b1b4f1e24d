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


def races(program: Program, allow: tuple[str, ...]) -> tuple[bool, set[str]]:
    """Whether a run is stopped by a race, and the arrays of which one was let pass as harmless."""
    with simulator.Device("toy4"):
        a, out = simulator.zeros(PLACES, "int32"), simulator.zeros(16, "int32")
        kernel = simulator.RawKernel(program.text(), "k")
        with simulator.sanitize("race", allow=dict.fromkeys(allow, "meant")) as report:
            try:
                kernel((program.blocks,), (program.threads,), (a, out))
            except simulator.Fault:
                return True, set()
    return False, {finding.array for finding in report.findings if not finding.declared}


@pytest.mark.parametrize("kinds", KINDS)
def test_as_defined(kinds: str) -> None:
    @settings(max_examples=150, deadline=None)
    @given(programs(KINDS[kinds]))
    def law(program: Program) -> None:
        expected = verdicts(program)
        assert races(program, ("s",))[0] == (expected["a"] == "race")
        assert races(program, ("a",))[0] == (expected["s"] == "race")
        stopped, harmless = races(program, ())
        assert stopped == ("race" in expected.values())
        if not stopped:
            assert harmless == {name for name, how in expected.items() if how == "harmless"}

    law()
