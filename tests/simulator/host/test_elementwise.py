"""Elementwise kernels: what CuPy documents of them, executed as kernels are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator

SQUARED = simulator.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared")


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["f4", "f8", "i4", "u1", "i8"]),
    st.sampled_from([((3, 4), (4,)), ((3, 1), (1, 5)), ((7,), ()), ((2, 3), (2, 3))]),
)
def test_arrays_are_broadcast(dtype: str, shapes) -> None:
    random = np.random.default_rng(1)
    x, y = (random.integers(0, 9, shape).astype(dtype) for shape in shapes)
    found = SQUARED(simulator.asarray(x), simulator.asarray(y))
    expected = (x - y) * (x - y)
    np.testing.assert_array_equal(found.get(), expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)


def test_numbers_take_the_type_of_arrays() -> None:
    x = simulator.arange(5, dtype="float32")
    assert SQUARED(x, 5).get().tolist() == [25, 16, 9, 4, 1]
    assert SQUARED(2, x).dtype == np.float32


def test_orders_and_strides_do_not_matter() -> None:
    host = np.arange(12, dtype="i4").reshape(3, 4)
    a = simulator.asarray(host)
    assert SQUARED(a.T, a.T[::-1]).get().tolist() == ((host.T - host.T[::-1]) ** 2).tolist()
    out = simulator.zeros((3, 4), "int32", order="F")
    assert SQUARED(a, 1, out) is out
    assert out.get().tolist() == ((host - 1) ** 2).tolist()
    big = simulator.zeros((3, 8), "int32")
    SQUARED(a, 1, big[:, ::2])
    assert big.get()[:, ::2].tolist() == out.get().tolist()


def test_raw_parameters_are_indexed_by_hand() -> None:
    reverse = simulator.ElementwiseKernel(
        "T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "add_reverse"
    )
    x = simulator.arange(5, dtype="float32")
    assert reverse(x, x * 10).get().tolist() == [40, 31, 22, 13, 4]
    histogram = simulator.ElementwiseKernel(
        "raw int32 x", "raw int32 bins", "atomicAdd(&bins[x[i] % 3], 1)", "histogram"
    )
    bins = simulator.zeros(3, "int32")
    histogram(simulator.arange(10, dtype="int32"), bins, size=10, block_size=4)
    assert bins.get().tolist() == [4, 3, 3]


def test_outputs_may_be_read_and_several() -> None:
    both = simulator.ElementwiseKernel(
        "float64 x", "float64 s, int32 n", "s += x; if (x > 1) { n = 7; } else n = 1", "both"
    )
    s, n = simulator.ones(3), simulator.zeros(3, "int32")
    assert both(simulator.arange(3.0), s, n) == (s, n)
    assert (s.tolist(), n.tolist()) == ([1, 2, 3], [1, 1, 7])


def test_code_around_the_loop() -> None:
    kernel = simulator.ElementwiseKernel(
        "T x",
        "T y",
        "y = twice(x) + offset",
        "around",
        preamble="__device__ float twice(float v) { return 2 * v; }",
        loop_prep="const float offset = 3",
        options=("-std=c++17",),
        return_tuple=True,
    )
    (y,) = kernel(simulator.arange(3, dtype="float32"))
    assert y.tolist() == [3, 5, 7]
    silent = simulator.ElementwiseKernel("T x", "T y", "y = x", "silent", no_return=True)
    assert silent(y, y) is None


def test_complex_numbers() -> None:
    kernel = simulator.ElementwiseKernel("complex64 z", "float32 m", "m = norm(z)", "norms")
    assert kernel(simulator.asarray([3 + 4j, 1], "complex64")).tolist() == [25, 1]


def test_textures() -> None:
    runtime, texture = simulator.cuda.runtime, simulator.cuda.texture
    texel = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    array = texture.CUDAarray(texel, 4)
    array.copy_from(np.arange(4, dtype="f4"))
    resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array)
    image = texture.TextureObject(
        resource, texture.TextureDescriptor([runtime.cudaAddressModeClamp])
    )
    read = simulator.ElementwiseKernel("T x, U image", "T y", "y = x + tex1D<T>(image, i)", "read")
    assert read(simulator.ones(4, "float32"), image).tolist() == [1, 2, 3, 4]


def test_sources_can_be_read() -> None:
    SQUARED(X, X)
    assert "typedef double T;" in "".join(SQUARED.cached_codes.values())
    assert "squared(" in SQUARED.cached_code


def test_it_is_counted_as_a_kernel() -> None:
    x = simulator.arange(256, dtype="float32")
    with simulator.counting() as record:
        SQUARED(x, x)
    (launch,) = record.launches
    assert launch.counters.load_sectors == 2 * 256 * 4 // 32


def test_nothing_is_launched_for_no_elements() -> None:
    with simulator.counting() as record:
        assert SQUARED(simulator.zeros(0), 1).shape == (0,)
    assert not record.launches


X = simulator.ones(4)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: SQUARED(X), TypeError, "either 2 or 3"),
        (lambda: SQUARED(X, X.astype("float32")), TypeError, "mismatched"),
        (lambda: SQUARED(1, 2), ValueError, "size is undecided"),
        (lambda: SQUARED(X, np.ones(4)), TypeError, "Unsupported type"),
        (lambda: SQUARED(X, X, simulator.ones(5)), ValueError, "shape"),
        (lambda: SQUARED(X, X, 3), TypeError, "Output arguments"),
        (lambda: SQUARED(X, X, block_size=0), ValueError, "block_size"),
        (lambda: SQUARED(X, X, size=4), ValueError, "'size'"),
        (lambda: simulator.ElementwiseKernel("T i", "T y", "y = i"), ValueError, "'i'"),
        (lambda: simulator.ElementwiseKernel("T", "T y", "y = 1"), ValueError, "type and a name"),
        (lambda: simulator.ElementwiseKernel("", "T y", "", "a b"), ValueError, "kernel name"),
        (
            lambda: simulator.ElementwiseKernel("T x", "S y", "y = x", "k")(X),
            TypeError,
            "nothing says what S is",
        ),
    ],
)
def test_mistakes(call, error, message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_mistakes_in_the_operation_point_to_it() -> None:
    with pytest.raises(simulator.CompileError, match="unknown"):
        simulator.ElementwiseKernel("T x", "T y", "y = unknown", "k")(X)
