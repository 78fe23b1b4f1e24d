"""Matches, reductions, cache hints and words put together, against Python lane by lane."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import and_, or_, xor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from tests.simulator.launching import run, source

QUICK = settings(max_examples=30, deadline=None)
WARP = {"h200": 32, "toy4": 4, "toy2": 2}
PROFILES = st.sampled_from(sorted(WARP))
WORDS = st.integers(0, 2**32 - 1)
TYPES = {
    "int": "i4",
    "unsigned int": "u4",
    "long long": "i8",
    "unsigned long long": "u8",
    "float": "f4",
    "double": "f8",
}


def groups(on: list[bool], masks: list[int], size: int) -> list[list[int]]:
    """For each lane the active lanes of its warp with its mask that the mask names."""
    found = []
    for i in range(len(on)):
        warp = range(i // size * size, min(len(on), (i // size + 1) * size))
        same = [k for k in warp if on[k] and masks[k] == masks[i]]
        found.append([k for k in same if masks[i] >> (k % size) & 1])
    return found


@QUICK
@given(st.sampled_from(sorted(TYPES)), PROFILES, st.data())
def test_matches_of_active_lanes(of: str, profile: str, data: st.DataObject) -> None:
    size, block = WARP[profile], data.draw(st.sampled_from([1, 3, 8, 16]))
    if profile == "h200":
        block = data.draw(st.sampled_from([1, 31, 32, 70]))
    on = data.draw(st.lists(st.booleans(), min_size=block, max_size=block))
    values = data.draw(st.lists(st.integers(0, 2), min_size=block, max_size=block))
    text = source(
        f"const int *on, const {of} *a, unsigned *out, int *all",
        """int i = threadIdx.x;
        if (on[i]) {
          unsigned m = __activemask();
          out[2 * i] = __match_any_sync(m, a[i]);
          out[2 * i + 1] = __match_all_sync(m, a[i], &all[i]);
        }""",
    )
    arrays = np.array(on, "i4"), np.array(values).astype(TYPES[of])
    rest = np.zeros(2 * block, "u4"), np.full(block, -1, "i4")
    ran = run(text, *arrays, *rest, block=block, profile=profile)
    for i, group in enumerate(groups(on, [-1] * block, size)):
        bits = [sum(1 << (k % size) for k in part) for part in (group, same(group, values, i))]
        every = bits[0] == bits[1]
        wanted = [bits[1], bits[0] * every, int(every)] if on[i] else [0, 0, -1]
        found = [*ran.arrays[2][2 * i : 2 * i + 2].tolist(), int(ran.arrays[3][i])]
        assert found == wanted


def same(group: list[int], values: list[int], lane: int) -> list[int]:
    return [k for k in group if values[k] == values[lane]]


def test_floats_match_by_their_bits() -> None:
    """NaN matches itself and 0.0 does not match -0.0, as on a GPU."""
    text = source(
        "const float *a, unsigned *out",
        "out[threadIdx.x] = __match_any_sync(0xffffffff, a[threadIdx.x]);",
    )
    values = np.zeros(32, "f4")
    values[:4] = [np.nan, np.nan, -0.0, 0.0]
    found = run(text, values, np.zeros(32, "u4")).arrays[1]
    assert found[:4].tolist() == [3, 3, 4, 0xFFFFFFF8]


REDUCTIONS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "min": min,
    "max": max,
    "and": and_,
    "or": or_,
    "xor": xor,
}


@QUICK
@given(st.sampled_from(sorted(REDUCTIONS)), st.booleans(), PROFILES, st.data())
def test_reductions_by_group(which: str, signed: bool, profile: str, data: st.DataObject) -> None:
    """Lanes whose masks differ reduce by themselves, in one call."""
    size, bits = WARP[profile], which in ("and", "or", "xor")
    block = 2 * size
    of, code = ("int", "i4") if signed and not bits else ("unsigned", "u4")
    values = np.array(data.draw(st.lists(WORDS, min_size=block, max_size=block)), "u4").view(code)
    picked = data.draw(st.lists(st.booleans(), min_size=block, max_size=block))
    text = source(
        f"const int *odd, const {of} *a, {of} *out",
        f"""int i = threadIdx.x;
        unsigned yes = __ballot_sync(0xffffffff, odd[i]);
        unsigned mask = odd[i] ? yes : ~yes;
        out[i] = __reduce_{which}_sync(mask, a[i]);""",
    )
    ran = run(text, np.array(picked, "i4"), values, values * 0, block=block, profile=profile)
    masks = [0] * block
    for i in range(block):
        warp = range(i // size * size, (i // size + 1) * size)
        masks[i] = sum(1 << (k % size) for k in warp if picked[k] == picked[i])
    for i, group in enumerate(groups([True] * block, masks, size)):
        wanted = reduce(REDUCTIONS[which], [int(values[k]) for k in group])
        assert int(ran.arrays[2][i]) & 0xFFFFFFFF == wanted & 0xFFFFFFFF


@pytest.mark.parametrize(("of", "code"), [("int", "i4"), ("unsigned", "u4")])
def test_a_sum_has_the_type_of_what_is_added(of: str, code: str) -> None:
    text = source(
        f"{of} *a, int *same",
        f"{of} sum = __reduce_add_sync(0xffffffff, a[threadIdx.x]); same[threadIdx.x] = sum;"
        " a[threadIdx.x] = sum / 3;",
    )
    ran = run(text, np.full(32, 2**31 - 1, code), np.zeros(32, "i4"))
    total = np.array([32 * (2**31 - 1)]).astype(code)[0]
    assert ran.arrays[1].tolist() == [int(total.astype("i4"))] * 32
    assert ran.arrays[0].tolist() == [int(int(total) / 3)] * 32


@pytest.mark.parametrize("vote", ["__ballot_sync(mask, 1)", "__match_any_sync(mask, 7)"])
def test_lanes_of_one_call_with_different_masks(vote: str) -> None:
    text = source(
        "unsigned *out",
        f"unsigned mask = 0xffu << (threadIdx.x & 24); out[threadIdx.x] = {vote};",
    )
    found = run(text, np.zeros(32, "u4")).arrays[0]
    assert found.tolist() == [0xFF << (i & 24) for i in range(32)]


@QUICK
@given(WORDS, WORDS, st.integers(0, 70), WORDS)
def test_words_from_parts(low: int, high: int, shift: int, selector: int) -> None:
    text = source(
        "const unsigned *a, unsigned *out",
        """out[0] = __funnelshift_l(a[0], a[1], a[2]);
        out[1] = __funnelshift_lc(a[0], a[1], a[2]);
        out[2] = __funnelshift_r(a[0], a[1], a[2]);
        out[3] = __funnelshift_rc(a[0], a[1], a[2]);
        out[4] = __byte_perm(a[0], a[1], a[3]);""",
    )
    ran = run(text, np.array([low, high, shift, selector], "u4"), np.zeros(5, "u4"), block=1)
    both, word = high << 32 | low, 0xFFFFFFFF
    clamped = min(shift, 32)
    picked = 0
    for place in range(4):
        digit = selector >> (4 * place) & 15
        byte = both >> (8 * (digit & 7)) & 255
        picked |= (255 * (byte >> 7) if digit & 8 else byte) << (8 * place)
    left = [both << s >> 32 & word for s in (shift % 32, clamped)]
    right = [both >> s & word for s in (shift % 32, clamped)]
    assert ran.arrays[1].tolist() == [*left, *right, picked]


@pytest.mark.parametrize("hint", ["g", "cg", "ca", "cs", "lu", "cv"])
def test_cache_hints_of_loads(hint: str) -> None:
    text = source(
        "const float4 *a, const short *b, float *out, int *other",
        f"""int i = threadIdx.x; float4 v = __ld{hint}(a + i);
        out[i] = v.x + v.w; other[i] = __ld{hint}(&b[i]);""",
    )
    quads, shorts = np.arange(128, dtype="f4"), np.arange(-16, 16, dtype="i2")
    ran = run(text, quads, shorts, np.zeros(32, "f4"), np.zeros(32, "i4"))
    assert ran.arrays[2].tolist() == [8.0 * i + 3 for i in range(32)]
    assert ran.arrays[3].tolist() == shorts.tolist()
    assert ran.counters.load_requests == 2


@pytest.mark.parametrize("hint", ["wb", "cg", "cs", "wt"])
def test_cache_hints_of_stores(hint: str) -> None:
    text = source(
        "float2 *a, short *b",
        f"""int i = threadIdx.x; __st{hint}(a + i, make_float2(i, -i));
        __st{hint}(b + i, (short)i);""",
    )
    ran = run(text, np.zeros(64, "f4"), np.zeros(32, "i2"))
    assert ran.arrays[0].tolist() == [s * i for i in range(32) for s in (1.0, -1.0)]
    assert ran.arrays[1].tolist() == list(range(32))
    assert ran.counters.store_requests == 2


def test_all_lanes_must_match_for_the_truth_in_a_variable() -> None:
    text = source(
        "int *out",
        """int all = 7; unsigned m = __match_all_sync(0xffffffff, threadIdx.x / 33, &all);
        out[threadIdx.x] = all + (m == 0xffffffff);
        m = __match_all_sync(0xffffffff, threadIdx.x / 31, &all);
        out[threadIdx.x] += 10 * (all + (m != 0));""",
    )
    assert set(run(text, np.zeros(32, "i4")).arrays[0].tolist()) == {2}


def test_reductions_of_wide_numbers_are_refused() -> None:
    text = source("long long *a", "a[0] = __reduce_add_sync(0xffffffff, a[0]);")
    with pytest.raises(simulator.CompileError, match="takes int or unsigned, not `long long`"):
        simulator.RawKernel(text, "k")
