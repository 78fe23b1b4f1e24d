"""Arrays compute as NumPy's do, and give device arrays: on the host, with nothing counted."""

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import simulator

SHAPES = hnp.array_shapes(max_dims=3, max_side=4)
ARRAYS = hnp.arrays(st.sampled_from(["i4", "f4", "u1", "f8", "c8", "?"]), SHAPES)


def same(ours, theirs) -> None:
    """Device array and host array have the same elements, type and shape."""
    assert isinstance(ours, simulator.ndarray)
    np.testing.assert_array_equal(ours.get(), theirs)
    assert (ours.dtype, ours.shape) == (np.asarray(theirs).dtype, np.shape(theirs))


def agree(compute, *arrays: np.ndarray) -> None:
    """The same comes out here as on the host, or the same kind of error."""
    with np.errstate(all="ignore"):
        try:
            expected = compute(np, *arrays)
        except (TypeError, ValueError):
            with pytest.raises((TypeError, ValueError)):
                compute(simulator, *map(simulator.asarray, arrays))
            return
    found = compute(simulator, *map(simulator.asarray, arrays))
    pairs = zip(found, expected, strict=True) if isinstance(expected, tuple | list) else None
    for ours, theirs in pairs or [(found, expected)]:
        same(ours, theirs)


OPERATORS = [
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv),
    *(operator.mod, operator.pow, operator.lt, operator.le, operator.eq, operator.ne, operator.gt),
    *(operator.ge, operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift),
]


@settings(max_examples=60, deadline=None)
@given(ARRAYS, st.sampled_from(OPERATORS), st.sampled_from([2, 1.5, np.float32(3), np.int8(2)]))
def test_operators(a: np.ndarray, op, number) -> None:
    def done(module, x, y):
        # NumPy's operator takes the square for a power of 2, CuPy the function.
        return np.power(x, y) if op is operator.pow and module is np else op(x, y)

    for compute in (
        lambda module, x: done(module, x, x),
        lambda module, x: done(module, x, number),
        lambda module, x: done(module, number, x),
    ):
        agree(compute, a)


@settings(max_examples=60, deadline=None)
@given(
    ARRAYS,
    st.sampled_from(
        "sum max min mean any all argmax argmin prod cumsum cumprod std var ravel flatten".split()
    ),
)
def test_methods(a: np.ndarray, name: str) -> None:
    agree(lambda _, x: getattr(x, name)(), a)
    agree(lambda _, x: getattr(x, name)(axis=-1), a)


FUNCTIONS = {
    "one": "sqrt exp log sin cos abs round transpose squeeze sort argsort unique nonzero "
    "count_nonzero diff flip isnan sum max mean atleast_2d real conj trace cumsum".split(),
    "two": "maximum minimum allclose array_equal isclose dot matmul stack where hypot "
    "logical_and outer kron".split(),
}


@settings(max_examples=80, deadline=None)
@given(ARRAYS, st.sampled_from(FUNCTIONS["one"]))
def test_functions_of_one_array(a: np.ndarray, name: str) -> None:
    agree(lambda xp, x: getattr(xp, name)(x), a)


@settings(max_examples=60, deadline=None)
@given(ARRAYS, st.sampled_from(FUNCTIONS["two"]))
def test_functions_of_two_arrays(a: np.ndarray, name: str) -> None:
    agree(lambda xp, x: getattr(xp, name)(x, x), a)


@pytest.mark.parametrize(
    "compute",
    [
        lambda xp: xp.linspace(0, 1, 5),
        lambda xp: xp.eye(3, dtype="f4"),
        lambda xp: xp.tensordot(xp.ones((2, 3)), xp.ones((3, 2)), axes=1),
        lambda xp: xp.identity(2),
        lambda xp: xp.concatenate([xp.arange(3), xp.arange(2)]),
        lambda xp: xp.hstack((xp.arange(3), xp.arange(2))),
        lambda xp: xp.tile(xp.arange(3), 2),
        lambda xp: xp.repeat(xp.arange(3), 2),
        lambda xp: xp.bincount(xp.asarray([1, 1, 3])),
        lambda xp: xp.clip(xp.arange(9), 2, 5),
        lambda xp: xp.expand_dims(xp.arange(3), 1),
        lambda xp: xp.broadcast_to(xp.arange(3), (2, 3)),
        lambda xp: xp.meshgrid(xp.arange(3), xp.arange(2)),
        lambda xp: xp.where(xp.arange(4) > 1)[0],
        lambda xp: xp.add.reduce(xp.ones((2, 3)), axis=1),
        lambda xp: xp.add.outer(xp.arange(2), xp.arange(3)),
        lambda xp: xp.linalg.norm(xp.arange(3.0)),
        lambda xp: xp.fft.fft(xp.arange(4.0)),
        lambda xp: xp.sqrt(2.0),
        lambda xp: xp.arange(12).reshape(3, 4)[xp.asarray([2, 0]), [1, 3]],
        lambda xp: xp.arange(12)[xp.arange(12) % 2 == 0],
        lambda xp: divmod(xp.arange(5), 2),
        lambda xp: xp.split(xp.arange(6), 3),
        lambda xp: xp.full_like(xp.ones((2, 2), "f4"), 7),
        lambda xp: xp.ones_like(xp.arange(3), dtype="c16"),
    ],
)
def test_what_people_use_beside_kernels(compute) -> None:
    agree(compute)


def test_numpy_calls_come_here() -> None:
    a = simulator.arange(4.0)
    same(np.sqrt(a), np.sqrt(np.arange(4.0)))
    same(np.sum(a), np.float64(6))
    same(np.float32(2) * a, np.arange(4.0) * np.float32(2))


@pytest.mark.parametrize(
    "mix",
    [
        lambda a, b: a + b,
        lambda a, b: b + a,
        lambda a, b: simulator.maximum(a, b),
        lambda a, b: simulator.concatenate([a, b]),
        lambda a, b: simulator.sum(b),
        lambda a, b: a.dot(b),
        lambda a, b: a == b,
        lambda a, b: operator.iadd(b, a),
    ],
)
def test_host_arrays_are_not_mixed_in(mix) -> None:
    with pytest.raises(TypeError, match="implicit conversion"):
        mix(simulator.ones(3), np.ones(3))


def test_lists_are_no_operands() -> None:
    with pytest.raises(TypeError, match="Unsupported type <class 'list'>"):
        operator.add(simulator.ones(2), [1, 2])


def test_in_place_operators_keep_the_memory() -> None:
    a = simulator.arange(5, dtype="int32")
    same_array, address = a, a.data.ptr
    a += 2
    a *= a
    assert a is same_array
    assert (a.data.ptr, a.get().tolist()) == (address, [4, 9, 16, 25, 36])
    view = a[1:3]
    view -= 1
    assert a.get().tolist() == [4, 8, 15, 25, 36]
    simulator.add(a, 1, out=a)
    simulator.add.at(a, simulator.asarray([0, 0]), 10)
    assert a.get().tolist() == [25, 9, 16, 26, 37]


def test_numbers_are_arrays_without_axes() -> None:
    total = simulator.arange(4).sum()
    assert (total.shape, total.item(), float(total), f"{total:4d}") == ((), 6, 6.0, "   6")
    assert [10, 20, 30][simulator.arange(3).argmin()] == 10
    assert bool(simulator.allclose(total, 6))
    with pytest.raises(TypeError, match="0-d"):
        iter(total)


COPY = """extern "C" __global__ void k(const int *a, int *b) { b[threadIdx.x] = a[threadIdx.x]; }"""


def seen(a: simulator.ndarray) -> list[int]:
    """What a kernel sees from the first element on."""
    out = simulator.zeros(a.size, "int32")
    simulator.RawKernel(COPY, "k")((1,), (a.size,), (a, out))
    return out.get().tolist()


def test_kernels_see_memory_and_not_axes() -> None:
    host = np.arange(6, dtype="i4").reshape(2, 3)
    a = simulator.asarray(host)
    columns = [0, 3, 1, 4, 2, 5]
    assert seen(a.T) == seen(a) == [0, 1, 2, 3, 4, 5]
    assert seen(simulator.asfortranarray(a)) == columns
    assert seen(simulator.array(host, order="F")) == columns
    assert seen(simulator.asarray(host.T)) == [0, 1, 2, 3, 4, 5]
    assert seen(a.copy(order="F")) == seen(a.T.copy()) == columns
    assert seen(a[:, 1:][:1]) == [1, 2]
    assert seen(a.ravel("F")) == columns


@given(SHAPES, st.sampled_from("CF"), st.sampled_from(["empty", "zeros", "ones"]))
def test_orders(shape: tuple[int, ...], order: str, name: str) -> None:
    ours = getattr(simulator, name)(shape, "f4", order)
    theirs = getattr(np, name)(shape, "f4", order)
    assert ours.strides == theirs.strides
    assert ours.flags.c_contiguous == theirs.flags.c_contiguous
    assert ours.flags["F_CONTIGUOUS"] == theirs.flags.f_contiguous
    assert ours.T.strides == theirs.T.strides
    assert simulator.zeros_like(ours).strides == np.zeros_like(theirs).strides
    ours[...] = 3
    assert (ours.get() == 3).all()


def test_strides_over_memory_that_is_there() -> None:
    a = simulator.arange(12, dtype="int32")
    every = simulator.ndarray((3, 2), "int32", a.data, strides=(16, 8))
    assert every.get().tolist() == [[0, 2], [4, 6], [8, 10]]
    backwards = simulator.ndarray(3, "int32", a.data + 8, strides=(-4,))
    assert backwards.get().tolist() == [2, 1, 0]
    for strides in ((20,), (-4,)):
        with pytest.raises(ValueError, match="leaves the memory"):
            simulator.ndarray(4, "int32", a.data, strides=strides)
    with pytest.raises(ValueError, match="memptr"):
        simulator.ndarray(4, "int32", strides=(4,))


def test_views_of_views() -> None:
    a = simulator.arange(24, dtype="int32").reshape(2, 3, 4)
    a.transpose(2, 0, 1)[1, 1] = -1
    a.swapaxes(0, 2)[0, 0, 0] = -2
    a.view("uint32")[0, 0, 2] = 99
    assert a[1, :, 1].get().tolist() == [-1] * 3
    assert a[0, 0].get().tolist() == [-2, 1, 99, 3]
    assert a.T.reshape(-1).data.allocation is not a.data.allocation  # a copy, on the device
    a.shape = (4, 6)
    assert a.shape == (4, 6)


def test_what_functions_write_counts_as_written() -> None:
    text = """extern "C" __global__ void k(const int *a, int *b) { b[0] = a[3]; }"""
    for write in (
        lambda a: simulator.copyto(a, 7),
        lambda a: simulator.add(simulator.arange(4), 1, out=a, casting="unsafe"),
        lambda a: a.fill(1),
        lambda a: a.__setitem__(slice(None), 7),
        lambda a: simulator.random.shuffle(a),
    ):
        a = simulator.empty(4, "int32")
        write(a)
        with simulator.sanitize("init") as report:
            simulator.RawKernel(text, "k")((1,), (1,), (a, simulator.zeros(1, "int32")))
        assert not report.findings


def test_nothing_is_counted() -> None:
    a = simulator.arange(100)
    with simulator.counting() as record:
        (a * a).sum()
    assert not record.launches


def test_random_numbers() -> None:
    simulator.random.seed(3)
    first = simulator.random.rand(4, 5, dtype=simulator.float32)
    simulator.random.seed(3)
    same(simulator.random.rand(4, 5, dtype=simulator.float32), first.get())
    assert simulator.random.randint(0, 9, size=(2, 3), dtype="int32").dtype == np.int32
    assert simulator.random.randn(3).shape == (3,)
    assert simulator.random.default_rng(1).integers(0, 5, 7).shape == (7,)
    assert simulator.random.rand().shape == ()
    a = simulator.arange(30)
    simulator.random.shuffle(a)
    assert sorted(a.tolist()) == list(range(30))


def test_assertions_take_both() -> None:
    a = simulator.arange(3.0)
    simulator.testing.assert_array_equal(a, np.arange(3.0))
    simulator.testing.assert_allclose(a, a)
    with pytest.raises(AssertionError):
        simulator.testing.assert_array_equal(a, a + 1)


def test_the_module_of_an_array() -> None:
    assert simulator.get_array_module(simulator.ones(1), 3) is simulator
    assert simulator.get_array_module(np.ones(1)) is np


def test_structured_elements() -> None:
    kind = np.dtype([("x", "f4"), ("n", "i4")])
    a = simulator.asarray(np.array([(1, 2), (3, 4)], kind))
    text = """struct P { float x; int n; };
    extern "C" __global__ void k(P *p) { p[threadIdx.x].n += (int)p[threadIdx.x].x; }"""
    simulator.RawKernel(text, "k")((1,), (2,), (a,))
    assert a.get()["n"].tolist() == a["n"].tolist() == [3, 7]


def test_bytes_are_in_the_order_of_a_gpu() -> None:
    a = simulator.asarray(np.array([1, 258], ">i4"))
    assert (a.dtype, seen(a)) == (np.dtype("<i4"), [1, 258])
    with pytest.raises(ValueError, match="Unsupported dtype >i4"):
        simulator.zeros(3, ">i4")


@pytest.mark.parametrize("name", ["fuse", "vectorize"])
def test_other_ways_to_write_kernels_are_refused(name: str) -> None:
    with pytest.raises(AttributeError, match=f"no {name}: write a RawKernel"):
        getattr(simulator, name)
