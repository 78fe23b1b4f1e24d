"""Requests, amounts and what is asked of them, against loops over lanes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simulator.execute.wave import Wave
from simulator.observe.counters.amounts import Amounts
from simulator.observe.counters.requests import Requests, distinct, most_alike, occurrences
from simulator.observe.counters.work import Work
from simulator.observe.log import Executions

#: Lanes of an execution: some of many, or all of a range, as large gangs have them.
Lanes = list[int]


@st.composite
def waves(draw: st.DrawFn) -> Wave:
    warp_size, slots = draw(st.sampled_from([4, 32])), draw(st.integers(1, 6))
    threads = draw(st.integers(1, 3 * warp_size))
    return Wave((slots, 1, 1), (threads, 1, 1), warp_size, 0, slots)


@st.composite
def lanes_of(draw: st.DrawFn, count: int) -> Lanes:
    if draw(st.booleans()):
        first = draw(st.integers(0, count - 1))
        return list(range(first, draw(st.integers(first + 1, count))))
    some = draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=40))
    return sorted(some)


@st.composite
def executed(draw: st.DrawFn, count: int) -> list[Lanes]:
    return draw(st.lists(lanes_of(count), min_size=1, max_size=4))


def logged(each: list[Lanes], offsets: list[int]) -> Executions:
    return Executions([(0, np.array(lanes, np.int64)) for lanes in each], offsets)


def requests_by_hand(each: list[Lanes], warp_size: int) -> list[list[int]]:
    """For each request the positions of its lanes among all."""
    found: dict[Any, list[int]] = {}
    at = 0
    for number, lanes in enumerate(each):
        for lane in lanes:
            found.setdefault((number, lane // warp_size), []).append(at)
            at += 1
    return list(found.values())


@given(st.data(), st.sampled_from([4, 32, 64]), st.integers(1, 400))
def test_requests_are_the_warps_of_each_execution(
    data: st.DataObject, warp_size: int, count: int
) -> None:
    each = data.draw(executed(count))
    if data.draw(st.booleans()):  # nobody comes by once
        each.insert(data.draw(st.integers(0, len(each))), [])
    offset = data.draw(st.sampled_from([0, warp_size, 5 * warp_size]))
    shifted = [[lane + offset for lane in lanes] for lanes in each]
    requests = Requests.of(logged(each, [offset] * len(each)), warp_size)
    wanted = requests_by_hand(shifted, warp_size)
    assert requests.lanes.tolist() == [lane for lanes in shifted for lane in lanes]
    assert requests.heads.tolist() == [positions[0] for positions in wanted]
    assert requests.spans.tolist() == [len(positions) for positions in wanted]
    test = np.array(data.draw(st.lists(st.booleans(), min_size=(n := requests.count), max_size=n)))
    parted = sum(0 < int(test[positions].sum()) < len(positions) for positions in wanted)
    assert requests.divided(test) == parted
    all_of_them = np.full(n, bool(data.draw(st.booleans())))
    assert requests.divided(all_of_them) == 0
    values = np.array(data.draw(st.lists(st.integers(-3, 40), min_size=n, max_size=n)))
    values *= data.draw(st.sampled_from([1, 1 << 40, 1 << 57]))
    assert distinct(requests, values) == sum(len({*values[p].tolist()}) for p in wanted)
    alike = max(max(Counter(values[p].tolist()).values()) for p in wanted)
    assert most_alike(requests, values) == alike
    found, counts = occurrences(values)
    assert dict(zip(found.tolist(), counts.tolist(), strict=True)) == Counter(values.tolist())


@given(st.data(), waves())
def test_amounts_are_spread_as_sums_of_lanes(data: st.DataObject, wave: Wave) -> None:
    amounts, sums = Amounts(wave), np.zeros(wave.lane_count, np.int64)
    threads = np.arange(wave.lane_count) % wave.padded < wave.threads
    for _ in range(data.draw(st.integers(0, 4))):
        each = data.draw(executed(wave.lane_count))
        each = [[lane for lane in lanes if threads[lane]] for lanes in each]
        each = [lanes for lanes in each if lanes]
        if not each:
            continue
        more = data.draw(st.integers(1, 5))
        amounts.add(Requests.of(logged(each, []), wave.warp_size), more)
        for lanes in each:
            sums[lanes] += more
    rows = sums.reshape(wave.slots, wave.padded)
    wanted = rows[:, : wave.threads], sums.reshape(-1, wave.warp_size).sum(axis=1), rows.sum(axis=1)
    for found, each_of in zip(amounts.spread(), wanted, strict=True):
        counted = dict(zip(found.values.tolist(), found.counts.tolist(), strict=True))
        assert counted == Counter(each_of.ravel().tolist())


@given(st.lists(st.lists(st.integers(0, 9), max_size=9), max_size=4), st.integers(0, 3))
def test_distributions_of_parts_are_those_of_all(parts: list[list[int]], idle: int) -> None:
    each = [Work.of(np.array(part, np.int64), idle) for part in parts]
    found = Work.together(each)
    counted = dict(zip(found.values.tolist(), found.counts.tolist(), strict=True))
    wanted = Counter(number for part in parts for number in part)
    wanted[0] += idle * len(parts)
    assert counted == +wanted


def test_an_execution_by_nobody_asks_for_nothing() -> None:
    requests = Requests.of(logged([list(range(200)), [], [3]], []), 32)
    assert requests.heads.tolist() == [0, 32, 64, 96, 128, 160, 192, 200]
    assert requests.count == 201
