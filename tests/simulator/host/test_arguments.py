"""What the host passes by value, as CuPy takes it: numbers, and arrays of one element."""

from typing import Any

import numpy as np
import pytest

import simulator

POINT = np.dtype([("x", "i4"), ("y", "f4")])


def passed(parameter: str, value: Any, read: str = "v", of: str = "double") -> Any:
    """What a kernel finds in its parameter `v`."""
    text = f"""struct Point {{ int x; float y; }};
    extern "C" __global__ void k({of} *a, {parameter}) {{ a[0] = {read}; }}"""
    a = simulator.zeros(1, {"double": "f8", "long long": "i8", "int": "i4"}[of])
    simulator.RawKernel(text, "k")((1,), (1,), (a, value))
    return a.get()[0].item()


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (1, 1, 1)])
@pytest.mark.parametrize(
    ("parameter", "dtype"),
    [
        ("int v", "i4"),
        ("unsigned char v", "u1"),
        ("short v", "i2"),
        ("long long v", "i8"),
        ("unsigned v", "u4"),
        ("float v", "f4"),
        ("double v", "f8"),
        ("bool v", "?"),
    ],
)
def test_an_array_of_one_element_is_a_value(parameter: str, dtype: str, shape: Any) -> None:
    assert passed(parameter, np.full(shape, 1, dtype)) == 1


def test_a_view_of_one_element_is_a_value() -> None:
    whole = np.arange(12, dtype="i4").reshape(3, 4)
    assert passed("int v", whole[1:2, 2:3]) == 6
    assert passed("int v", whole[::-2, ::5][:1]) == 8


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_a_structured_array_of_one_element_is_a_structure(shape: Any) -> None:
    assert passed("Point v", np.array([(3, 0.5)], POINT).reshape(shape), "v.x + v.y") == 3.5
    assert passed("Point v", np.array((3, 0.5), POINT)[()], "v.x + v.y") == 3.5


@pytest.mark.parametrize(
    ("parameter", "value", "found"),
    [
        ("float2 v", np.complex64(3 + 0.5j), 3.5),
        ("float2 v", np.array([3 + 0.5j], "c8"), 3.5),
        ("double2 v", np.complex128(3 + 0.5j), 3.5),
        ("double2 v", 3 + 0.5j, 3.5),
        ("int2 v", np.int64(5 + (7 << 32)), 12),
        ("int2 v", np.array([5, 7], "i4").view("V8"), 12),
    ],
)
def test_numbers_are_structures_by_their_bytes(parameter: str, value: Any, found: float) -> None:
    assert passed(parameter, value, "v.x + v.y") == found


def test_an_array_of_one_address_is_a_pointer() -> None:
    data = simulator.asarray(np.array([41], "i4"))
    for address in (np.array([data.data.ptr], "u8"), np.array(data.data.ptr), np.uint64(0)):
        read = "v ? v[0] : -1"
        assert passed("int *v", address, read) == (-1 if address == 0 else 41)


@pytest.mark.parametrize(
    ("parameter", "value", "said", "remedy"),
    [
        ("int v", np.zeros(2, "i4"), "host array of int32", "array of one element is a value"),
        ("int v", np.zeros(0, "i4"), "host array of int32", "array of one element is a value"),
        ("int v", np.array([1], "i8"), "int64 1", "numpy.int32"),
        ("int v", np.array([1], ">i4"), "host array of >i4", "in the other order"),
        ("int v", np.array([1], object), "host array of object", "Python objects"),
        ("float v", np.array([1], "i4"), "int32 1", "numpy.float32"),
        ("float v", np.int32(1), "int32 1", "numpy.float32"),
        ("double v", np.uint64(1), "uint64 1", "numpy.float64"),
        ("double v", np.complex64(1), "complex64 (1+0j)", "number"),
        ("long long v", np.complex64(1), "complex64 (1+0j)", "number"),
        ("double v", 1j, "complex 1j", "number"),
        ("int *v", np.array([1], "i4"), "host array of int32", "simulator.asarray"),
        ("int *v", np.zeros(2, "i8"), "host array of int64", "simulator.asarray"),
        ("Point v", np.zeros(2, "i4"), "host array of int32", "array of one"),
        ("Point v", np.zeros(2, "f4"), "host array of float32", "array.view('V8')"),
        ("Point v", np.zeros(1, "i4"), "int32 of 4 bytes", "8 bytes"),
        ("Point v", True, "bool of 1 bytes", "8 bytes"),
        ("Point v", "text", "str", "8 bytes"),
    ],
)
def test_what_is_no_value_is_refused(parameter: str, value: Any, said: str, remedy: str) -> None:
    with pytest.raises(simulator.LaunchError) as caught:
        passed(parameter, value, "0")
    assert f"cannot take {said}" in caught.value.message.replace("cannot take a ", "cannot take ")
    assert remedy.lower() in caught.value.hint.lower()


def test_a_device_array_of_one_element_is_no_number() -> None:
    with pytest.raises(simulator.LaunchError) as caught:
        passed("int v", simulator.zeros((), "i4"))
    assert "int(array)" in caught.value.hint


def test_a_stream_is_named_in_the_launch() -> None:
    a = simulator.zeros(1, "int32")
    kernel = simulator.RawKernel('extern "C" __global__ void k(int *a) { a[0] += 3; }', "k")
    kernel((1,), (1,), (a,), stream=None)
    kernel((1,), (1,), (a,), shared_mem=0, stream=simulator.host.cuda.Stream())
    assert int(a[0]) == 6


@pytest.mark.parametrize("value", [np.int8(0), np.zeros(1, "V1")])
def test_a_structure_without_members_can_be_a_parameter(value: Any) -> None:
    text = """
    struct Sum { __device__ int operator()(int x, int y) const { return x + y; } };
    struct Twice { Sum sum; __device__ int operator()(int x) const { return sum(x, x); } };
    template <typename F, typename G> __global__ void k(int *a, F f, G g, const int *b) {
      F copy = f;
      a[threadIdx.x] = copy(b[threadIdx.x], g(1));
    }"""
    expression = "k<Sum, Twice>"
    module = simulator.RawModule(code=text, name_expressions=[expression])
    a, b = simulator.zeros(32, "int32"), simulator.arange(32, dtype="int32")
    module.get_function(expression)((1,), (32,), (a, value, value, b))
    assert a.get().tolist() == [i + 2 for i in range(32)]
