"""Every atomic on every type, against threads that take their turns in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from simulator import CompileError
from tests.sampling import sampled
from tests.simulator.launching import run, source

QUICK = settings(max_examples=30, deadline=None)
CODES = {
    "int": "i4",
    "unsigned int": "u4",
    "long long": "i8",
    "unsigned long long": "u8",
    "float": "f4",
    "double": "f8",
}
INTS = ("int", "unsigned int", "long long", "unsigned long long")
Change = Callable[[Any, Any], Any]


def wrapped(value: int, code: str) -> Any:
    """An integer of any size as a value of a NumPy type."""
    bits = 8 * np.dtype(code).itemsize
    return np.array(value % (1 << bits), f"u{bits // 8}").view(code)[()]


def add(old: Any, v: Any, code: str) -> Any:
    if code[0] == "f":
        with np.errstate(all="ignore"):
            return old + v
    return wrapped(int(old) + int(v), code)


#: Each operation: the types that CUDA offers, and what it leaves in memory.
OPERATIONS: dict[str, tuple[tuple[str, ...], Callable[[Any, Any, str], Any]]] = {
    "Add": (("int", "unsigned int", "unsigned long long", "float", "double"), add),
    "Sub": (("int", "unsigned int"), lambda old, v, c: wrapped(int(old) - int(v), c)),
    "Exch": (("int", "unsigned int", "unsigned long long", "float"), lambda old, v, c: v),
    "Min": (INTS, lambda old, v, c: min(old, v)),
    "Max": (INTS, lambda old, v, c: max(old, v)),
    "And": (INTS, lambda old, v, c: old & v),
    "Or": (INTS, lambda old, v, c: old | v),
    "Xor": (INTS, lambda old, v, c: old ^ v),
    "Inc": (("unsigned int",), lambda old, v, c: wrapped(0 if old >= v else int(old) + 1, c)),
    "Dec": (
        ("unsigned int",),
        lambda old, v, c: v if old == 0 or old > v else wrapped(int(old) - 1, c),
    ),
}
CASES = [(op, of) for op, (types, _) in OPERATIONS.items() for of in types]

#: Where the words are: how a kernel aims at word `w` of eight.
PLACES = {
    "global": "{T} *p = memory;",
    "one word": "{T} *p = memory; w = 3;",
    "anywhere": "{T} *p = w < 4 ? memory : other;",
    "shared": "__shared__ {T} s[8]; if (i < 8) s[i] = memory[i]; __syncthreads(); {T} *p = s;",
    "shared, anywhere": "__shared__ {T} s[8]; if (i < 8) s[i] = memory[i]; __syncthreads();\n"
    "{T} *p = i < 0 ? memory : s;",
}
BACK = "__syncthreads(); if (i < 8 && p != memory && p != other) memory[i] = p[i];"


def text_of(place: str, of: str, call: str) -> str:
    return source(
        f"{of} *memory, {of} *other, const int *at, const {of} *v, const {of} *c, {of} *old, int n",
        f"int i = threadIdx.x; int w = i < n ? at[i] : 0;\n{PLACES[place].format(T=of)}\n"
        f"if (i < n) old[i] = {call};\n{BACK}",
    )


def numbers(code: str, count: int, random: np.random.Generator, few: bool = False) -> np.ndarray:
    """Small numbers, extreme numbers, few different ones."""
    if code[0] == "f":
        return random.choice([0.0, 1.0, -2.5, 1e8, 0.1, 3e-3], count).astype(code)
    limits = np.iinfo(code)
    pool = [0, 1, 2] if few else [0, 1, 2, 3, 7, limits.max, limits.min, limits.max - 1]
    return np.array([pool[k] for k in random.integers(0, len(pool), count)], code)


def aimed(place: str, places: list[int]) -> list[tuple[str, int]]:
    """The memory and word that each lane changes."""
    if place == "one word":
        return [("memory", 3)] * len(places)
    if place == "anywhere":
        return [("memory" if w < 4 else "other", w) for w in places]
    return [("memory", w) for w in places]


def compare(
    place: str,
    of: str,
    call: str,
    places: list[int],
    seed: int,
    turn: Callable[..., Any],
    few: bool,
) -> None:
    """Run a call for every lane, and the same turns one by one."""
    random, code, n = np.random.default_rng(seed), CODES[of], len(places)
    memory = {name: numbers(code, 8, random, few) for name in ("memory", "other")}
    v, c = numbers(code, n, random, few), numbers(code, n, random, few)
    ran = run(
        text_of(place, of, call),
        *(a.copy() for a in memory.values()),
        np.array(places, "i4"),
        v,
        c,
        np.zeros(n, code),
        n,
        block=max(n, 8),
    )
    olds = []
    for i, (name, w) in enumerate(aimed(place, places)):
        olds.append(memory[name][w])
        memory[name][w] = turn(memory[name][w], v[i], c[i])
    assert np.array_equal(ran.arrays[5], np.array(olds, code), equal_nan=True)
    assert np.array_equal(ran.arrays[0], memory["memory"], equal_nan=True)
    if place == "anywhere":
        assert np.array_equal(ran.arrays[1], memory["other"], equal_nan=True)


LANES = st.lists(st.integers(0, 7), min_size=1, max_size=70)


@pytest.mark.parametrize(("op", "of"), CASES)
@settings(max_examples=8, deadline=None)
@given(st.sampled_from(sorted(PLACES)), LANES, st.integers(0, 999))
def test_every_operation_in_lane_order(
    op: str, of: str, place: str, places: list[int], seed: int
) -> None:
    change = OPERATIONS[op][1]
    turn = lambda old, v, c: change(old, v, CODES[of])  # noqa: E731
    compare(place, of, f"atomic{op}(&p[w], v[i])", places, seed, turn, few=False)


@pytest.mark.parametrize(("op", "of"), sampled(CASES, 4, each=0))
def test_every_operation_with_one_operand_for_all(op: str, of: str) -> None:
    change, code = OPERATIONS[op][1], CODES[of]
    places = [0, 3, 3, 1, 3, 0] * 7
    for value in (0, 1, 5):
        turn = lambda old, v, c, value=value: change(old, np.dtype(code).type(value), code)  # noqa: E731
        for place in PLACES:
            compare(place, of, f"atomic{op}(p + w, {value})", places, 3, turn, few=False)


@pytest.mark.parametrize("of", ["int", "unsigned int", "unsigned long long"])
@QUICK
@given(st.sampled_from(sorted(PLACES)), LANES, st.integers(0, 999), st.data())
def test_compare_and_swap_in_lane_order(
    of: str, place: str, places: list[int], seed: int, data: st.DataObject
) -> None:
    compared, written = data.draw(
        st.sampled_from([("c[i]", "v[i]"), ("0", "v[i]"), ("c[i]", "1"), ("0", "1"), ("1", "1")])
    )

    def turn(old: Any, v: Any, c: Any) -> Any:
        wanted = c if compared == "c[i]" else int(compared)
        return (v if written == "v[i]" else int(written)) if old == wanted else old

    compare(place, of, f"atomicCAS(&p[w], {compared}, {written})", places, seed, turn, few=True)


@QUICK
@given(st.lists(st.integers(0, 30), min_size=1, max_size=200), st.sampled_from(["h200", "toy4"]))
def test_tickets_are_given_out_once(places: list[int], profile: str) -> None:
    text = source(
        "const int *at, int *count, int *ticket, int n",
        "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "if (i < n) ticket[i] = atomicAdd(&count[at[i]], 1);",
    )
    n = len(places)
    at = np.array(places, "i4")
    ran = run(
        text,
        at,
        np.zeros(31, "i4"),
        np.zeros(n, "i4"),
        n,
        grid=-(-n // 8),
        block=8,
        profile=profile,
    )
    assert ran.arrays[1].tolist() == np.bincount(at, minlength=31).tolist()
    for word in set(places):
        assert sorted(ran.arrays[2][at == word].tolist()) == list(range(places.count(word)))


def test_the_result_may_be_thrown_away_or_used_in_an_index() -> None:
    text = source(
        "int *a, int *out",
        "atomicAdd(&a[0], 2); __syncthreads(); out[atomicSub(a, 1) - 1] = threadIdx.x;",
    )
    ran = run(text, np.zeros(1, "i4"), np.full(64, -1, "i4"), block=32)
    assert ran.arrays[0].tolist() == [32]
    assert ran.arrays[1][32:].tolist() == list(range(31, -1, -1))
    assert (ran.arrays[1][:32] == -1).all()


def test_in_a_branch_only_its_lanes_take_part() -> None:
    text = source("int *a", "if (threadIdx.x % 3 == 1 && atomicAdd(a, 1) < 4) atomicAdd(a + 1, 1);")
    assert run(text, np.zeros(2, "i4")).arrays[0].tolist() == [11, 4]


def test_a_spin_free_lock_lets_every_thread_through() -> None:
    """Threads of one warp take turns in a loop whose winner works before the loop goes round."""
    text = source(
        "int *lock, int *sum",
        """bool done = false;
        while (!done) {
          if (atomicCAS(lock, 0, 1) == 0) {
            sum[0] += threadIdx.x; atomicExch(lock, 0); done = true;
          }
        }""",
    )
    ran = run(text, np.zeros(1, "i4"), np.zeros(1, "i4"), block=64)
    assert ran.arrays[1].tolist() == [sum(range(64))]


@pytest.mark.parametrize(
    ("of", "call"),
    [
        ("double", "atomicMax(a, 1.0)"),
        ("short", "atomicAdd(a, 1)"),
        ("long long", "atomicAdd(a, 1)"),
        ("const int", "atomicAdd(a, 1)"),
        ("float", "atomicCAS(a, 0, 1)"),
    ],
)
def test_types_that_cuda_does_not_offer(of: str, call: str) -> None:
    with pytest.raises(CompileError, match="atomic"):
        simulator.RawKernel(source(f"{of} *a", f"{call};"), "k")


def test_an_atomic_on_a_threads_own_array_is_refused() -> None:
    with pytest.raises(CompileError, match="belongs to one thread"):
        run(
            source("int *a", "int mine[2] = {0}; atomicAdd(&mine[1], 1); a[0] = mine[1];"),
            np.zeros(1, "i4"),
        )
