"""Reduction kernels: what CuPy documents of them, executed as kernels are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import simulator

SUM = simulator.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
NORM = simulator.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from([(5,), (3, 4), (2, 3, 70), (1, 0), (600,), (0, 3)]),
    st.sampled_from([None, 0, -1, (0, 1), 1]),
    st.booleans(),
)
def test_axes(shape, axis, keepdims: bool) -> None:
    host = np.random.default_rng(2).integers(0, 99, shape)
    if axis is not None and max(np.atleast_1d(axis)) >= len(shape):
        with pytest.raises(np.exceptions.AxisError):
            SUM(simulator.asarray(host), axis=axis)
        return
    found = SUM(simulator.asarray(host), axis=axis, keepdims=keepdims)
    expected = host.sum(axis=axis, keepdims=keepdims)
    assert (found.shape, found.tolist()) == (expected.shape, expected.tolist())


def test_the_example_of_a_norm() -> None:
    x = simulator.arange(10, dtype="float32").reshape(2, 5)
    np.testing.assert_allclose(NORM(x, axis=1).get(), [30**0.5, 255**0.5], rtol=1e-6)
    np.testing.assert_allclose(float(NORM(x.T)), 285**0.5, rtol=1e-6)


def test_several_inputs_numbers_and_an_output_that_is_there() -> None:
    dot = simulator.ReductionKernel(
        "T x, T y, float64 scale", "T z", "x * y * scale", "a + b", "z = a", "0", "scaled_dot"
    )
    x = simulator.arange(6.0).reshape(2, 3)
    out = simulator.zeros(2)
    assert dot(x, simulator.ones(3), 2, out=out, axis=1) is out
    assert out.tolist() == [6, 24]
    assert dot(x, x, 1, axis=0).tolist() == [9, 17, 29]


def test_another_type_to_reduce_in() -> None:
    most = simulator.ReductionKernel(
        "float32 x",
        "int64 where",
        "Best(x, i)",
        "better(a, b)",
        "where = a.at",
        "Best()",
        "argmax_of",
        reduce_type="Best",
        preamble="""struct Best {
          float value; long long at;
          __device__ Best() { value = -1e30f; at = -1; }
          __device__ Best(float v, long long k) { value = v; at = k; }
        };
        __device__ Best better(Best a, Best b) { return a.value >= b.value ? a : b; }""",
    )
    values = np.random.default_rng(3).permutation(500).astype("f4")
    assert int(most(simulator.asarray(values))) == values.argmax()


def test_it_is_counted_as_a_kernel() -> None:
    with simulator.counting() as record:
        SUM(simulator.arange(64, dtype="int32"))
    (launch,) = record.launches
    assert launch.counters.load_sectors == 64 * 4 // 32


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: SUM(3), "undecided"),
        (lambda: SUM(simulator.ones(3), out=simulator.ones(3)), "shape is mismatched"),
        (
            lambda: simulator.ReductionKernel("T x", "T y", "x", "a + b", "y = a", None),
            "needs an identity",
        ),
        (
            lambda: simulator.ReductionKernel("T x", "raw T y", "x", "a + b", "y[0] = a", "0"),
            "raw outputs",
        ),
    ],
)
def test_mistakes(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
