"""Launches that a GPU would refuse, and what kernels know of their launch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simulator
from simulator import CompileError, LaunchError
from tests.simulator.brute_force import lanes
from tests.simulator.launching import run, source

MANY = source("int *a, float f, unsigned char c, const double *d", "a[0] = c + (int)f + (int)d[0];")


def arguments() -> list[Any]:
    return [
        simulator.zeros(4, "int32"),
        np.float32(2.5),
        7,
        simulator.full(1, 100.0, "float64"),
    ]


def launch(text: str, args: Any, grid: Any = (1,), block: Any = (1,), **more: Any) -> None:
    simulator.RawKernel(text, "k")(grid, block, tuple(args), **more)


def test_arguments_of_every_kind() -> None:
    given = arguments()
    launch(MANY, given)
    assert given[0].get().tolist() == [7 + 2 + 100, 0, 0, 0]


@pytest.mark.parametrize("count", [0, 3, 5])
def test_the_wrong_number_of_arguments(count: int) -> None:
    given = (arguments() * 2)[:count]
    with pytest.raises(LaunchError, match=f"k takes 4 arguments, {count} given") as caught:
        launch(MANY, given)
    for name in ("int *a", "float f", "unsigned char c", "const double *d"):
        assert name in caught.value.hint


@pytest.mark.parametrize(
    ("place", "value", "name"),
    [
        (1, np.zeros(4, "i4"), "host array of int32"),
        (1, [1, 2], "list"),
        (1, 2.5, "float 2.5"),
        (1, simulator.zeros(4, "float32"), "device array of float32"),
        (1, simulator.zeros(4, "int64"), "device array of int64"),
        (2, simulator.zeros(4, "float32"), "device array of float32"),
        (2, "2.5", "str"),
        (2, np.float64(2.5), "float64 2.5"),
        (2, 1 + 2j, "complex"),
        (3, 256, "int 256"),
        (3, -1, "int -1"),
        (3, 1.0, "float 1.0"),
        (3, np.int32(7), "int32 7"),
        (4, simulator.zeros(4, "float32"), "device array of float32"),
    ],
)
def test_the_wrong_kind_of_argument(place: int, value: Any, name: str) -> None:
    given = arguments()
    given[place - 1] = value
    with pytest.raises(LaunchError) as caught:
        launch(MANY, given)
    parameter = ["int * a", "float f", "unsigned char c", "const double * d"][place - 1]
    message = caught.value.message.replace(" *", " * ").replace("  ", " ")
    assert message.startswith(f"k: argument {place} ({parameter}) cannot take {name}")
    assert caught.value.hint


def test_an_unsigned_array_for_a_signed_pointer_and_the_other_way() -> None:
    for code, of in (("uint32", "int"), ("int32", "unsigned int"), ("int64", "unsigned long long")):
        a = simulator.zeros(1, code)
        launch(source(f"{of} *a", "a[0] = 5;"), [a])
        assert int(a[0]) == 5


def test_an_array_of_another_device() -> None:
    with simulator.Device(memory=1 << 16):
        strange = simulator.zeros(4, "int32")
    with pytest.raises(LaunchError, match="argument 1") as caught:
        launch(source("int *a", "a[0] = 1;"), [strange])
    assert "another" in caught.value.hint


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("what", ["grid", "block"])
def test_grids_and_blocks_of_less_than_nothing(what: str, axis: int) -> None:
    shape = [1, 1, 1]
    shape[axis] = -1
    with pytest.raises(LaunchError, match=f"{what}.{'xyz'[axis]} = -1"):
        launch(source("int *a", ""), [simulator.zeros(1, "int32")], **{what: tuple(shape)})


@pytest.mark.parametrize(
    ("grid", "block", "match"),
    [
        ((1,), (1025,), r"block\.x = 1025"),
        ((1,), (1, 1025), r"block\.y = 1025"),
        ((1,), (1, 1, 65), r"block\.z = 65"),
        ((1,), (32, 33), r"1056 threads a block \(32 x 33 x 1\)"),
        ((1, 65536), (1,), r"grid\.y = 65536"),
        ((1, 1, 65536), (1,), r"grid\.z = 65536"),
        ((2**31,), (1,), r"grid\.x = 2147483648"),
        ((1, 1, 1, 1), (1,), "grid"),
        ((), (1,), "grid"),
        ((1.5,), (1,), "grid"),
        ((1,), "32", "block"),
    ],
)
def test_grids_and_blocks_that_are_too_large_or_no_sizes(grid: Any, block: Any, match: str) -> None:
    with pytest.raises(LaunchError, match=match):
        launch(source("int *a", ""), [simulator.zeros(1, "int32")], grid, block)


def test_nothing_runs_when_a_launch_is_refused() -> None:
    a = simulator.zeros(1, "int32")
    with simulator.counting() as record, pytest.raises(LaunchError):
        launch(source("int *a", "a[0] = 1;"), [a], (1,), (2000,))
    assert int(a[0]) == 0
    assert record.launches == []


@pytest.mark.parametrize(
    ("body", "dynamic"),
    [
        ("__shared__ int s[12289]; s[0] = 1;", 0),
        ("extern __shared__ int s[]; s[0] = 1;", 48 * 1024 + 1),
        ("__shared__ int t[4]; extern __shared__ int s[]; s[0] = t[0] = 1;", 48 * 1024 - 15),
    ],
)
def test_too_much_shared_memory(body: str, dynamic: int) -> None:
    with pytest.raises(LaunchError, match="shared memory"):
        launch(source("int *a", body), [simulator.zeros(1, "int32")], shared_mem=dynamic)


def test_all_the_shared_memory_that_there_is() -> None:
    body = "extern __shared__ int s[]; s[12287] = 5; a[0] = s[12287];"
    ran = run(source("int *a", body), np.zeros(1, "i4"), block=1, shared=48 * 1024)
    assert ran.arrays[0].tolist() == [5]


def test_dynamic_shared_memory_has_the_size_that_was_asked_for() -> None:
    body = "extern __shared__ int s[]; s[n] = 5; a[0] = s[n];"
    text = source("int *a, int n", body)
    assert run(text, np.zeros(1, "i4"), 9, block=1, shared=40).arrays[0].tolist() == [5]
    with pytest.raises(simulator.Fault, match=r"s\[10\]"):
        run(text, np.zeros(1, "i4"), 10, block=1, shared=40)


def test_negative_shared_memory() -> None:
    with pytest.raises(LaunchError, match="shared_mem"):
        launch(source("int *a", ""), [simulator.zeros(1, "int32")], shared_mem=-4)


def test_a_kernel_that_is_not_there() -> None:
    with pytest.raises(CompileError, match="kk"):
        simulator.RawKernel(source("int *a", ""), "kk")
    module = simulator.RawModule(code=source("int *a", ""))
    with pytest.raises(CompileError, match="other"):
        module.get_function("other")


GEOMETRY = source(
    "int *out",
    """int place = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int i = place + blockDim.x * blockDim.y * blockDim.z * block;
    int v[13] = {threadIdx.x, threadIdx.y, threadIdx.z, blockIdx.x, blockIdx.y, blockIdx.z,
                 blockDim.x, blockDim.y, blockDim.z, gridDim.x, gridDim.y, gridDim.z, warpSize};
    for (int k = 0; k < 13; k++) out[13 * i + k] = v[k];""",
)


@pytest.mark.parametrize("profile", ["h200", "toy2", "toy4"])
@pytest.mark.parametrize(
    ("grid", "block"),
    [((1,), (1,)), ((3,), (7,)), ((2, 3), (4, 2)), ((2, 1, 3), (2, 2, 2)), ((1, 1, 5), (1, 3, 2))],
)
def test_every_thread_knows_where_it_is(
    profile: str, grid: tuple[int, ...], block: tuple[int, ...]
) -> None:
    every = list(lanes(grid, block))
    ran = run(GEOMETRY, np.zeros(13 * len(every), "i4"), grid=grid, block=block, profile=profile)
    sizes = [*(*block, 1, 1)[:3], *(*grid, 1, 1)[:3], simulator.PROFILES[profile].warp_size]
    wanted = [[*lane.thread, *lane.block, *sizes] for lane in every]
    assert ran.arrays[0].reshape(-1, 13).tolist() == wanted


def test_the_largest_blocks() -> None:
    text = source("int *a", "atomicAdd(a, 1);")
    for block in ((1024,), (1, 1024), (16, 1, 64), (8, 8, 16)):
        assert run(text, np.zeros(1, "i4"), grid=2, block=block).arrays[0].tolist() == [2048]


def test_one_kernel_takes_arrays_slices_and_addresses_in_turn() -> None:
    kernel = simulator.RawKernel(source("int *a, int v", "a[threadIdx.x] = v;"), "k")
    a = simulator.zeros(8, "int32")
    for value, given in enumerate((a, a[2:], a.data.ptr + 16, a[6:]), start=1):
        kernel((1,), (2,), (given, value))
    assert a.get().tolist() == [1, 1, 2, 2, 3, 3, 4, 4]


def test_macros_are_options() -> None:
    text = source("int *a", "a[0] = VALUE;\n#ifdef TWICE\na[0] *= 2;\n#endif")
    a = simulator.zeros(1, "int32")
    simulator.RawKernel(text, "k", options=("-DVALUE=21", "-DTWICE"))((1,), (1,), (a,))
    assert int(a[0]) == 42
