"""Votes and shuffles, against each warp worked out lane by lane."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from simulator.lanes.warp import whole_warps
from tests.simulator.launching import run, source

QUICK = settings(max_examples=40, deadline=None)
WARP = {"h200": 32, "toy4": 4, "toy2": 2}
PROFILES = st.sampled_from(sorted(WARP))
BLOCKS = st.sampled_from([1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 64, 70])
TYPES = {"int": "i4", "unsigned int": "u4", "long long": "i8", "float": "f4", "double": "f8"}

VOTES = source(
    "const int *on, const int *p, unsigned *out",
    """int i = threadIdx.x;
    if (on[i]) {
      unsigned m = __activemask();
      out[4 * i] = m;
      out[4 * i + 1] = __ballot_sync(m, p[i]);
      out[4 * i + 2] = __any_sync(m, p[i]);
      out[4 * i + 3] = __all_sync(m, p[i]);
    }""",
)


def sized(block: int, profile: str) -> int:
    return min(block, simulator.PROFILES[profile].threads_per_multiprocessor)


@QUICK
@given(st.data(), BLOCKS, PROFILES)
def test_votes(data: st.DataObject, block: int, profile: str) -> None:
    block, size = sized(block, profile), WARP[profile]
    flags = st.lists(st.booleans(), min_size=block, max_size=block)
    on, holds = data.draw(flags), data.draw(flags)
    columns = (np.array(c, "i4") for c in (on, holds))
    ran = run(VOTES, *columns, np.zeros(4 * block, "u4"), block=block, profile=profile)
    wanted = []
    for i in range(block):
        warp = range(i // size * size, min(block, (i // size + 1) * size))
        active = [k for k in warp if on[k]]
        mask = sum(1 << (k % size) for k in active)
        ballot = sum(1 << (k % size) for k in active if holds[k])
        wanted.append([mask, ballot, ballot != 0, ballot == mask] if on[i] else [0] * 4)
    assert ran.arrays[2].reshape(-1, 4).tolist() == wanted


@QUICK
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 3), min_size=32, max_size=32))
def test_only_lanes_that_the_mask_names_vote(mask: int, values: list[int]) -> None:
    text = source(
        "const int *p, unsigned m, unsigned *out",
        "int i = threadIdx.x; if (m >> i & 1) { out[i] = __ballot_sync(m, p[i] > 1);\n"
        "if (!__any_sync(m, p[i] == 0)) out[i] ^= 1u << i; }",
    )
    ran = run(text, np.array(values, "i4"), np.uint32(mask), np.zeros(32, "u4"))
    named = [i for i in range(32) if mask >> i & 1]
    ballot = sum(1 << i for i in named if values[i] > 1)
    zero = any(values[i] == 0 for i in named)
    wanted = [(ballot ^ (0 if zero else 1 << i)) if i in named else 0 for i in range(32)]
    assert ran.arrays[2].tolist() == wanted


def test_what_a_vote_asks_is_an_int() -> None:
    """A long long loses its upper half before it is compared with 0, a float its fraction."""
    votes = "__ballot_sync(1, {0}) + __any_sync(1, {0}) + __all_sync(1, {0})"
    text = source(
        "long long wide, float part, int *out",
        f"out[0] = {votes.format('wide')}; out[1] = {votes.format('part')};",
    )
    for wide, part, wanted in ((1 << 32, 0.5, 0), ((1 << 32) + 2, -1.5, 3)):
        ran = run(text, np.int64(wide), np.float32(part), np.zeros(2, "i4"), block=1)
        assert ran.arrays[2].tolist() == [wanted, wanted]


def shuffled(text: str, of: str, values: list[int], extra: list[Any], profile: str) -> list[Any]:
    kernel = source(
        f"const {of} *a, {of} *out, const int *b, int width",
        f"int i = threadIdx.x; out[i] = {text};",
    )
    code, block = TYPES[of], len(values)
    given_values = np.array(values).astype(code)
    ran = run(kernel, given_values, np.zeros(block, code), *extra, block=block, profile=profile)
    return ran.arrays[1].tolist()


def source_lane(kind: str, lane: int, operand: int, width: int) -> int:
    """Where a lane's value comes from, as CUDA's guide says; lanes count from the warp's first."""
    first = lane // width * width
    if kind == "":
        return first + operand % width
    if kind == "_up":
        return lane - operand if lane - operand >= first else lane
    if kind == "_down":
        return lane + operand if lane + operand < first + width else lane
    other = lane ^ operand
    return lane if other >= first + width else other


@QUICK
@given(
    st.sampled_from(["", "_up", "_down", "_xor"]),
    st.sampled_from(sorted(TYPES)),
    PROFILES,
    st.integers(1, 3),
    st.data(),
)
def test_shuffles_of_every_width(
    kind: str, of: str, profile: str, warps: int, data: st.DataObject
) -> None:
    size = WARP[profile]
    width = data.draw(st.sampled_from([w for w in (2, 4, 8, 16, 32) if w <= size]))
    block = size * warps
    values = data.draw(st.lists(st.integers(0, 100), min_size=block, max_size=block))
    largest = {"": 40, "_xor": size - 1}.get(kind, size)
    operands = data.draw(st.lists(st.integers(0, largest), min_size=block, max_size=block))
    found = shuffled(
        f"__shfl{kind}_sync(0xffffffff, a[i], b[i], width)",
        of,
        values,
        [np.array(operands, "i4"), width],
        profile,
    )
    wanted = []
    for i in range(block):
        start = i // size * size
        wanted.append(values[start + source_lane(kind, i - start, operands[i], width)])
    assert found == wanted


@pytest.mark.parametrize("profile", WARP)
def test_the_width_is_the_warps_unless_said(profile: str) -> None:
    size = WARP[profile]
    values = list(range(2 * size))
    found = shuffled(
        "__shfl_down_sync(0xffffffff, a[i], 1)", "int", values, [np.zeros(1, "i4"), 0], profile
    )
    assert found == [v if v % size == size - 1 else v + 1 for v in values]


@pytest.mark.parametrize("source_is_negative", [-1, -5])
def test_a_lane_number_wraps_around_the_width(source_is_negative: int) -> None:
    found = shuffled(
        "__shfl_sync(0xffffffff, a[i], b[i], width)",
        "int",
        list(range(32)),
        [np.full(32, source_is_negative, "i4"), 8],
        "h200",
    )
    assert found == [i // 8 * 8 + source_is_negative % 8 for i in range(32)]


@QUICK
@given(st.lists(st.booleans(), min_size=32, max_size=32), st.integers(0, 31))
def test_a_shuffle_from_an_inactive_lane_is_a_fault(on: list[bool], lane: int) -> None:
    text = source(
        "const int *on, int *out, int from",
        "int i = threadIdx.x; if (on[i]) out[i] = __shfl_sync(__activemask(), 7 * i, from);",
    )
    arguments = (np.array(on, "i4"), np.zeros(32, "i4"), lane)
    if on[lane] or not any(on):
        assert run(text, *arguments).arrays[1].tolist() == [7 * lane * o for o in on]
    else:
        with pytest.raises(simulator.Fault, match="lane that is not active") as caught:
            run(text, *arguments)
        assert f"thread ({on.index(True)}, 0, 0)" in caught.value.message
        row = "".join("#" if o else "." for o in on)
        assert f"active lanes of the warp: {row}" in caught.value.hint


def test_lanes_beyond_the_block_are_not_active() -> None:
    text = source("int *out", "out[threadIdx.x] = __shfl_down_sync(0xffffffff, 1, 4);")
    with pytest.raises(simulator.Fault, match=r"thread \(36, 0, 0\), lane 4"):
        run(text, np.zeros(40, "i4"), block=40)


def test_a_shuffle_from_a_lane_that_comes_with_another_mask_is_a_fault() -> None:
    halves = "unsigned half = i < 16 ? 0x0000ffffu : 0xffff0000u;"
    text = "int i = threadIdx.x; {} out[i] = __shfl_{}_sync(half, i, {});"
    for call, lane, reader in [("xor", 16, 0), ("down", 1, 15), ("up", 1, 16)]:
        with pytest.raises(simulator.Fault, match=r"its mask .* does not name") as caught:
            run(source("int *out", text.format(halves, call, lane)), np.zeros(32, "i4"))
        assert f"thread ({reader}, 0, 0)" in caught.value.message
    inside = text.format(halves, "down", "1, 16")
    wanted = [i if i % 16 == 15 else i + 1 for i in range(32)]
    assert run(source("int *out", inside), np.zeros(32, "i4")).arrays[0].tolist() == wanted


def leaders(mask: str) -> str:
    """The first lane of a `mask` adds for those that it names, and tells all of them the place."""
    return source(
        "int *size, int *out",
        f"""int i = threadIdx.x; unsigned m = {mask}; int leader = __ffs(m) - 1, base = 0;
        if (i % 32 == leader) base = atomicAdd(size, __popc(m));
        base = __shfl_sync(m, base, leader);
        out[base + __popc(m & ((1u << i % 32) - 1))] = i;""",
    )


@pytest.mark.parametrize("mask", ["__activemask()", "__match_any_sync(0xffffffff, i % 3)"])
@pytest.mark.parametrize("seed", range(10))
def test_who_takes_the_lanes_that_come_is_right_whichever_they_are(mask: str, seed: int) -> None:
    arrays = np.zeros(1, "i4"), np.zeros(96, "i4")
    ran = run(leaders(mask), *arrays, block=96, schedule=f"shuffled:{seed}")
    assert sorted(ran.arrays[1].tolist()) == list(range(96))


def test_a_warp_may_be_parted_where_it_is_asked_who_is_active() -> None:
    """CUDA does not promise that lanes which took the same way are active together."""
    text = source("int *out", "out[threadIdx.x] = __popc(__activemask());")
    found = [run(text, np.zeros(64, "i4"), block=64, schedule=f"shuffled:{s}") for s in range(9)]
    assert {tuple(ran.arrays[0]) for ran in found} > {(32,) * 64}
    for ran in found:
        for warp in ran.arrays[0].reshape(2, 32).tolist():
            assert set(warp) == {32} or sum(set(warp)) == 32 or set(warp) == {16}


def fault_of(text: str, seed: int) -> str:
    """What a shuffled run stops with, empty if with nothing."""
    try:
        run(text, np.zeros(32, "i4"), schedule=f"shuffled:{seed}")
    except simulator.Fault as fault:
        return fault.message
    return ""


def test_who_takes_the_active_lanes_for_all_is_found_out() -> None:
    text = source("int *out", "out[threadIdx.x] = __shfl_sync(__activemask(), 7, 0);")
    assert set(run(text, np.zeros(32, "i4")).arrays[0]) == {7}
    found = [fault_of(text, seed) for seed in range(10)]
    assert {"which its mask" in message for message in found if message} == {True}
    assert "" in found


REDUCTIONS: dict[str, Callable[[np.ndarray], Any]] = {
    "v += o": np.sum,
    "v = max(v, o)": np.max,
    "v = min(v, o)": np.min,
}


@pytest.mark.parametrize("profile", WARP)
@pytest.mark.parametrize("change", REDUCTIONS)
def test_reductions_over_a_warp(profile: str, change: str) -> None:
    size = WARP[profile]
    values = np.random.default_rng(1).integers(-99, 99, 4 * size).astype("i4")
    text = source(
        "int *a",
        f"""int i = blockIdx.x * blockDim.x + threadIdx.x; int v = a[i];
        for (int d = warpSize / 2; d > 0; d /= 2) {{
          int o = __shfl_down_sync(0xffffffff, v, d); {change};
        }}
        if (threadIdx.x % warpSize == 0) a[i] = v;""",
    )
    ran = run(text, values, grid=2, block=2 * size, profile=profile)
    wanted = [REDUCTIONS[change](row) for row in values.reshape(-1, size)]
    assert ran.arrays[0][::size].tolist() == wanted


@QUICK
@given(st.lists(st.booleans(), min_size=1, max_size=70))
def test_the_leader_adds_for_its_warp(picked: list[bool]) -> None:
    """Warp-aggregated appending: one atomic a warp, places given out by counting lanes below."""
    text = source(
        "const int *p, int *size, int *out",
        """int i = threadIdx.x; int lane = i % warpSize;
        if (p[i]) {
          unsigned m = __activemask(); int leader = __ffs(m) - 1, base = 0;
          if (lane == leader) base = atomicAdd(size, __popc(m));
          base = __shfl_sync(m, base, leader);
          out[base + __popc(m & ((1u << lane) - 1))] = i;
        }""",
    )
    n = len(picked)
    ran = run(text, np.array(picked, "i4"), np.zeros(1, "i4"), np.full(n, -1, "i4"), block=n)
    wanted = [i for i, p in enumerate(picked) if p]
    assert int(ran.arrays[1][0]) == len(wanted)
    assert sorted(ran.arrays[2][: len(wanted)].tolist()) == wanted
    warps_that_add = len({i // 32 for i in wanted})
    assert ran.counters.atomic_requests == ran.counters.atomic_lanes == warps_that_add


@QUICK
@given(st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1))
def test_bit_functions(word: int, wide: int) -> None:
    text = source(
        "int *out, unsigned *u, unsigned long long *w",
        """out[0] = __popc(u[0]); out[1] = __clz(u[0]); out[2] = __ffs(u[0]);
        out[3] = __popcll(w[0]); out[4] = __clzll(w[0]); out[5] = __ffsll(w[0]);
        u[1] = __brev(u[0]); w[1] = __brevll(w[0]);""",
    )
    arrays = (np.zeros(6, "i4"), np.array([word, 0], "u4"), np.array([wide, 0], "u8"))
    ran = run(text, *arrays, block=1)

    def facts(x: int, bits: int) -> list[int]:
        lowest = (x & -x).bit_length()
        return [bin(x).count("1"), bits - x.bit_length(), lowest]

    assert ran.arrays[0].tolist() == facts(word, 32) + facts(wide, 64)
    assert int(ran.arrays[1][1]) == int(f"{word:032b}"[::-1], 2)
    assert int(ran.arrays[2][1]) == int(f"{wide:064b}"[::-1], 2)


def test_no_lanes_are_whole_warps() -> None:
    assert whole_warps(np.arange(0), 32)
    assert not whole_warps(np.arange(1, 33), 32)
    assert whole_warps(np.append(np.arange(32), np.arange(64, 96)), 32)
