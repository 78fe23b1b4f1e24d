"""Device arrays: views, slices, room and what is left of it."""

from __future__ import annotations

import gc
import sys
from itertools import pairwise
from types import FrameType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator
from simulator.execute import memory
from tests.simulator.launching import source

FILL = source("int *a, int n, int v", "int i = threadIdx.x; if (i < n) a[i] = v;")


def test_arrays_come_back_as_they_went() -> None:
    for code in ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"):
        host = np.arange(7).astype(code)
        array = simulator.asarray(host)
        assert array.dtype == host.dtype
        assert np.array_equal(array.get(), host)
        assert np.array_equal(simulator.asnumpy(array), host)


def test_makers() -> None:
    assert simulator.zeros((2, 3), "int32").get().tolist() == [[0] * 3] * 2
    assert simulator.ones(2, "float32").get().tolist() == [1.0, 1.0]
    assert simulator.full(3, -1, "int32").get().tolist() == [-1] * 3
    assert simulator.full(2, 2.5).dtype == np.float64
    assert simulator.arange(3, 9, 2, dtype="int64").get().tolist() == [3, 5, 7]
    assert simulator.empty((4, 5), "uint8").shape == (4, 5)
    like = simulator.zeros_like(simulator.ones((2, 2), "int16"))
    assert (like.shape, like.dtype, like.get().any()) == ((2, 2), np.int16, False)
    assert simulator.empty_like(like).dtype == np.int16


def test_asarray_takes_a_device_array_as_it_is_and_array_copies() -> None:
    a = simulator.arange(4, dtype="int32")
    assert simulator.asarray(a) is a
    copy = simulator.array(a)
    copy[0] = 9
    assert int(a[0]) == 0
    assert a.copy().data.ptr != a.data.ptr


def test_sizes() -> None:
    a = simulator.zeros((3, 5), "float64")
    assert (a.shape, a.size, a.ndim, a.nbytes, len(a)) == ((3, 5), 15, 2, 120, 3)


def test_get_is_a_copy() -> None:
    a = simulator.zeros(3, "int32")
    a.get()[0] = 5
    assert int(a[0]) == 0


@pytest.mark.parametrize(
    "key", [slice(2, 5), slice(-3, None), slice(None, None, 2), slice(None, None, -1), slice(4, 4)]
)
def test_slices_are_views(key: slice) -> None:
    host = np.arange(12, dtype="i4")
    a = simulator.asarray(host)
    view = a[key]
    assert np.array_equal(view.get(), host[key])
    view.fill(77)
    host[key] = 77
    assert np.array_equal(a.get(), host)


@pytest.mark.parametrize("key", [0, 2, -1, (1, 2), (-1, -1), (slice(None), 1), (slice(1, None), 2)])
def test_parts_of_two_dimensions(key: object) -> None:
    host = np.arange(12, dtype="i4").reshape(3, 4)
    a = simulator.asarray(host)
    assert np.array_equal(a[key].get(), host[key])
    a[key] = 5
    host[key] = 5
    assert np.array_equal(a.get(), host)


def test_an_element_is_a_view_too() -> None:
    a = simulator.zeros(5, "int32")
    element = a[3]
    assert element.shape == ()
    simulator.RawKernel(FILL, "k")((1,), (1,), (element, 1, 8))
    assert (a.get().tolist(), int(element)) == ([0, 0, 0, 8, 0], 8)


def test_writing_from_the_host() -> None:
    a = simulator.zeros(6, "int32")
    a[1] = 5
    a[2:4] = np.array([6, 7])
    a[4:] = simulator.full(2, 9, "int32")
    assert a.get().tolist() == [0, 5, 6, 7, 9, 9]
    a.set(np.arange(6))
    assert a.get().tolist() == list(range(6))
    with pytest.raises(ValueError, match="shape"):
        a.set(np.zeros(5))


def test_a_device_array_does_not_turn_into_a_host_array_by_itself() -> None:
    a = simulator.zeros(3, "int32")
    with pytest.raises(TypeError, match="get"):
        np.asarray(a)
    with pytest.raises(AttributeError, match="to_pandas"):
        a.to_pandas()
    with pytest.raises(AttributeError, match="sparse"):
        simulator.sparse  # noqa: B018


def test_empty_arrays() -> None:
    a = simulator.zeros(0, "int32")
    assert (a.shape, a.nbytes, a.get().tolist()) == ((0,), 0, [])
    other = simulator.zeros(0, "int32")
    assert other.data.ptr != a.data.ptr
    simulator.RawKernel(FILL, "k")((1,), (32,), (a, 0, 1))
    assert simulator.zeros((3, 0, 2), "int32").size == 0


# Addresses and room


def test_allocations_are_aligned_like_cudamallocs() -> None:
    with simulator.Device(memory=1 << 16):
        arrays = [simulator.zeros(n, "uint8") for n in (1, 255, 256, 257, 3)]
        assert all(a.data.ptr % 256 == 0 for a in arrays)
        spans = sorted((a.data.ptr, a.data.ptr + a.nbytes) for a in arrays)
        assert all(end <= start for (_, end), (start, _) in pairwise(spans))


def test_bytes_used_and_peak() -> None:
    with simulator.Device(memory=1 << 16) as device:
        a = simulator.zeros(1000, "int32")
        assert device.memory.bytes_used == 4000
        b = simulator.zeros(10, "float64")
        assert (device.memory.bytes_used, device.memory.bytes_peak) == (4080, 4080)
        del a
        gc.collect()
        assert (device.memory.bytes_used, device.memory.bytes_peak) == (80, 4080)
        del b


def test_shared_and_local_arrays_are_not_device_memory() -> None:
    with simulator.Device(memory=1 << 12) as device:
        text = source("int *a", "__shared__ int s[4000]; int t[100]; t[0] = s[0] = 1; a[0] = t[0];")
        simulator.RawKernel(text, "k")((4,), (64,), (simulator.zeros(1, "int32"),))
        assert device.memory.bytes_peak == 4


def test_out_of_memory() -> None:
    with simulator.Device(memory=1 << 16) as device:
        kept = simulator.zeros(50_000, "uint8")
        with pytest.raises(simulator.OutOfMemoryError, match="20,000 bytes wanted, 15,536 of"):
            simulator.zeros(20_000, "uint8")
        assert device.memory.bytes_used == 50_000
        del kept
        gc.collect()
        simulator.zeros(1 << 16, "uint8")


def test_profiles_have_the_memory_of_their_gpu() -> None:
    with simulator.Device("gtx780") as device:
        assert device.memory.capacity == 3 << 30
        with pytest.raises(simulator.OutOfMemoryError):
            simulator.empty(3 << 30, "int8"), simulator.empty(1, "int8")


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 2000)), max_size=30))
def test_allocations_never_overlap(plan: list[tuple[bool, int]]) -> None:
    """Allocate and free at random: what is in each array stays there."""
    with simulator.Device(memory=1 << 15) as device:
        live: list[tuple[simulator.ndarray, int]] = []
        for value, (allocate, size) in enumerate(plan):
            if allocate:
                try:
                    live.append((simulator.full(size, value, "int16"), value))
                except simulator.OutOfMemoryError:
                    assert device.memory.bytes_used + 2 * size > device.memory.capacity
            elif live:
                live.pop(size % len(live))
            assert all((a.get() == v).all() for a, v in live)
            assert device.memory.bytes_used == sum(a.nbytes for a, _ in live)


def lowest_room(taken: list[tuple[int, int]], nbytes: int) -> int:
    """The lowest aligned address with room and gaps, found by looking through all that is taken."""
    start = memory.FIRST
    for begin, size in sorted(taken):
        if begin - start >= max(1, nbytes) + memory.GAP:
            break
        behind = begin + max(1, size) + memory.GAP
        start = -(-behind // memory.ALIGNMENT) * memory.ALIGNMENT
    return start


@given(
    st.lists(
        st.one_of(st.integers(0, 20_000), st.sampled_from([64, 1 << 16, 1 << 17]), st.just(-1)),
        max_size=60,
    ),
    st.randoms(use_true_random=False),
)
def test_an_allocation_gets_the_lowest_address_with_room(plan: list[int], random: Any) -> None:
    """Away from live ones, and from small ones that were freed."""
    arena = memory.Memory(1 << 26)
    live: list[memory.Allocation] = []
    freed: list[memory.Allocation] = []
    for nbytes in plan:
        if nbytes < 0 and live:
            gone = live.pop(random.randrange(len(live)))
            arena.free(gone)
            freed.append(gone)
        elif nbytes >= 0:
            apart = [a for a in freed if a.nbytes <= 1 << 16]
            taken = [(a.start, a.nbytes) for a in [*live, *apart]]
            live.append(arena.allocate(nbytes))
            assert live[-1].start == lowest_room(taken, nbytes)


def test_many_allocations_do_not_look_through_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice as many would look at four times as many."""
    seen = []
    search = memory.Memory._gap

    def counted(self: memory.Memory, nbytes: int, taken: list[memory.Allocation], at: int) -> Any:
        seen.append(len(taken))
        return search(self, nbytes, taken, at)

    monkeypatch.setattr(memory.Memory, "_gap", counted)
    arena = memory.Memory(1 << 26)
    sizes = np.random.default_rng(0).integers(40, 1040, 1000).tolist()
    for nbytes in [64] * 1000 + sizes:
        arena.allocate(nbytes)
    assert sum(seen) < 20 * 2000


def test_a_view_keeps_the_memory() -> None:
    with simulator.Device(memory=1 << 16) as device:
        view = simulator.full(100, 5, "int32")[10:]
        gc.collect()
        simulator.full(100, 7, "int32")
        assert device.memory.bytes_used >= 400
        assert (view.get() == 5).all()


# Slices as arguments


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 31), st.integers(-40, 40))
def test_an_index_before_a_slice_is_fine_inside_the_allocation(start: int, index: int) -> None:
    host = np.arange(32, dtype="i4")
    text = source(
        "int *a, int n", "a[n] = -1; if (threadIdx.x == 3) a[n + (int)threadIdx.x - 3]--;"
    )
    with simulator.Device(memory=1 << 16):
        a = simulator.asarray(host)
        kernel = simulator.RawKernel(text, "k")
        if 0 <= start + index < 32:
            kernel((1,), (4,), (a[start:], index))
            host[start + index] = -2
            assert np.array_equal(a.get(), host)
        else:
            with pytest.raises(simulator.Fault, match="block"):
                kernel((1,), (4,), (a[start:], index))
            assert np.array_equal(a.get(), host)


def test_slices_of_bytes_need_not_be_aligned_to_be_passed() -> None:
    a = simulator.zeros(16, "uint8")
    text = source("unsigned char *a", "a[threadIdx.x] = threadIdx.x;")
    simulator.RawKernel(text, "k")((1,), (4,), (a[3:],))
    assert a.get()[3:7].tolist() == [0, 1, 2, 3]


def test_two_slices_of_one_array() -> None:
    text = source("int *a, const int *b", "int i = threadIdx.x; a[i] = b[i] + b[-1];")
    a = simulator.arange(20, dtype="int32")
    simulator.RawKernel(text, "k")((1,), (4,), (a[:4], a[11:]))
    assert a.get()[:5].tolist() == [21, 22, 23, 24, 4]


def test_devices_nest_and_keep_to_themselves() -> None:
    with simulator.Device(memory=1 << 12) as outer:
        with simulator.Device(memory=1 << 12) as inner:
            assert simulator.current() is inner
            simulator.zeros(10, "uint8")
        assert simulator.current() is outer
        assert outer.memory.bytes_peak == 0
    assert inner.memory.bytes_peak == 10


@pytest.mark.parametrize(("kind", "name"), [("profile", "h2000"), ("schedule", "lockstepp")])
def test_profiles_and_schedules_that_are_not_there(kind: str, name: str) -> None:
    with pytest.raises(simulator.SimulatorError, match=name):
        simulator.Device(**{kind: name})


@pytest.mark.parametrize("moment", range(1, 40, 2))
def test_arrays_collected_at_any_moment_do_no_harm(moment: int) -> None:
    """The collector may free an array while the table of allocations is read or changed."""
    with simulator.Device(memory=1 << 20) as device:
        arrays = [simulator.full(90, number, "int32") for number in range(12)]
        del arrays[3]
        left = moment

        def collect(frame: FrameType, event: str, _: object) -> Any:
            nonlocal left
            if frame.f_code.co_filename == memory.__file__ and event == "line":
                left -= 1
                if left == 0:
                    del arrays[:2]
            return collect

        sys.settrace(collect)
        try:
            new = simulator.full(90, 99, "int32")
            found = device.memory.find(arrays[-1].data.ptr)
        finally:
            sys.settrace(None)
        assert found is not None
        assert found.start == arrays[-1].data.ptr
        live = device.memory.allocations()
        assert all(a.end <= b.start for a, b in pairwise(live))
        assert device.memory.bytes_used == sum(a.nbytes for a in live)
        assert [a.start for a in live] == sorted(x.data.ptr for x in [*arrays, new])
