"""The race checker against the definition of a race, on random small programs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from tests.sampling import examples, sampled
from tests.sanitize.happens_before import verdicts
from tests.sanitize.small_programs import (
    ACCESSES,
    ARRIVES,
    ATOMIC,
    BLOCKWISE,
    CACHED,
    CLUSTER,
    COUNTING,
    ELEMENTS,
    EXCHANGES,
    FENCES,
    LOOKS,
    MOST,
    PAIRS,
    POLLS,
    READS,
    TELLS,
    TRIES,
    WAITS,
    WIDE,
    WIDE_LOOKS,
    WRITES,
    Program,
    Statement,
    clusters,
    messages,
    programs,
)

PLAIN = (READS, WRITES, ATOMIC, LOOKS, TELLS)
VOLATILE = (LOOKS, TELLS, TELLS, POLLS, TRIES, EXCHANGES)
KINDS = {
    "accesses": tuple(ACCESSES),
    "barriers": (*PLAIN, "barrier", "barrier"),
    "warps": (*PLAIN, "warp", "warp", "vote"),
    "votes": (READS, WRITES, "warp", "vote"),
    "both": (READS, WRITES, "barrier", "warp"),
    "fences": (*PLAIN, WRITES, ATOMIC, ATOMIC, *FENCES),
    "volatile": (*VOLATILE, ATOMIC),
    "released": (*VOLATILE, LOOKS, TELLS, *FENCES, "__threadfence", "barrier"),
    "blocks": (BLOCKWISE, BLOCKWISE, ATOMIC, LOOKS, READS, *FENCES, "barrier"),
    "sizes": (WIDE, WIDE_LOOKS, ATOMIC, LOOKS, TELLS, "__threadfence", "barrier"),
    "cached": (CACHED, READS, WRITES, ATOMIC, "barrier", "__threadfence"),
    "everything": (*ACCESSES, ATOMIC, *FENCES, "__threadfence", "barrier", "warp", "vote"),
}
IN_CLUSTERS = {
    "barriers": (READS, WRITES, WRITES, ATOMIC, LOOKS, CLUSTER, "barrier"),
    "parts": (READS, WRITES, WRITES, ATOMIC, TELLS, ARRIVES, ARRIVES, WAITS, CLUSTER, "warp"),
    "blocks": (BLOCKWISE, BLOCKWISE, ATOMIC, READS, CLUSTER, ARRIVES, "barrier"),
    "fences": (*PLAIN, WRITES, ATOMIC, *FENCES, CLUSTER, ARRIVES, WAITS, "barrier", "warp"),
}
SHUFFLED = (ATOMIC, ATOMIC, BLOCKWISE, WIDE, READS, WRITES, LOOKS, TELLS, POLLS, "__threadfence")
EVERY = 16


def races(
    kernel: simulator.RawKernel, program: Program, *allow: str
) -> tuple[bool, set[str], dict[str, str]]:
    """Whether a run is stopped by a race, the arrays of which one was let pass as harmless, and
    what the definition says of this run."""
    a, out = simulator.zeros(ELEMENTS, "int32"), simulator.zeros((MOST + 1) * EVERY, "int32")
    stopped, harmless = False, set()
    with simulator.sanitize("race", allow=dict.fromkeys(allow, "meant")) as report:
        try:
            kernel((program.blocks,), (program.threads,), (a, out))
        except simulator.Fault:
            stopped = True
    if not stopped:
        harmless = {finding.array for finding in report.findings if not finding.declared}
    found = out.get().reshape(EVERY, MOST + 1)

    def order(number: int, threads: list[int]) -> list[int]:
        if program.statements[number].kind not in COUNTING:
            return threads
        return sorted(threads, key=lambda thread: found[thread, number])

    return stopped, harmless, verdicts(program, order)


def holds(program: Program) -> None:
    """The checker says of a program what the definition says."""
    holds_under(program, "lockstep")


def holds_under(program: Program, schedule: str) -> None:
    """The same of a run under a schedule."""
    kernel = simulator.RawKernel(program.text(), "k")
    with simulator.Device("toy4", memory=1 << 20, schedule=schedule):
        if not program.kinds() & set(PAIRS):  # whose pointers have no array of their own
            for array, other in ("as", "sa"):
                stopped, _, expected = races(kernel, program, other)
                assert stopped == (expected[array] == "race")
        stopped, harmless, expected = races(kernel, program)
    assert stopped == ("race" in expected.values())
    if not stopped:
        assert harmless == {name for name, how in expected.items() if how == "harmless"}


@pytest.mark.parametrize("kinds", sampled(KINDS, 3))
def test_as_defined(kinds: str) -> None:
    examples(25, 12)(given(program=programs(KINDS[kinds]))(holds))()


@pytest.mark.slow
@pytest.mark.parametrize("kinds", sampled(IN_CLUSTERS, 3))
def test_in_clusters_as_defined(kinds: str) -> None:
    examples(60, 20)(given(program=clusters(IN_CLUSTERS[kinds]))(holds))()


@pytest.mark.slow
@examples(60, 20)
@given(programs(SHUFFLED), st.integers(0, 99))
def test_atomics_count_in_the_order_in_which_they_were_served(program: Program, seed: int) -> None:
    holds_under(program, f"shuffled:{seed}")


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


@pytest.mark.slow
@examples(150, 40)
@given(messages())
def test_messages_by_a_flag(program: Program) -> None:
    holds(program)


@examples(50, 15)
@given(messages(), st.integers(0, 99))
def test_messages_by_a_flag_that_are_shuffled(program: Program, seed: int) -> None:
    replaced = {EXCHANGES: ATOMIC, TRIES: ATOMIC}
    statements = (
        Statement(replaced.get(s.kind, s.kind), s.who, s.array, s.places, s.value, s.mask)
        for s in program.statements
    )
    holds_under(Program(program.blocks, program.threads, tuple(statements)), f"shuffled:{seed}")
