"""Kernels and modules that are copied, pickled, and sent to another process."""

import copy
import multiprocessing
import pickle
from typing import Any

import numpy as np
import pytest

import simulator

CODE = """
#include <cooperative_groups.h>
__device__ int calls;
template <typename T> __global__ void scale(T *a, T by) { a[threadIdx.x] *= by; }
extern "C" __global__ void twice(int *a) { calls++; a[threadIdx.x] *= FACTOR; }
extern "C" __global__ void wait(int *a) { cooperative_groups::this_grid().sync(); *a += 3; }
"""
NAMED = "scale<unsigned int>"


def module(**more: Any) -> simulator.RawModule:
    given = {"options": ("-DFACTOR=2",), "name_expressions": [NAMED], **more}
    return simulator.RawModule(code=CODE, enable_cooperative_groups=True, **given)


def doubled(kernel: simulator.RawKernel) -> list[int]:
    a = simulator.asarray(np.arange(4, dtype="i4"))
    kernel((1,), (4,), (a,))
    return a.get().tolist()


COPIES = {
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("used", [False, True])
def test_a_kernel_that_may_have_run_is_copied(how: str, used: bool) -> None:
    kernel = simulator.RawKernel(CODE, "twice", ("-DFACTOR=2",), backend="nvrtc")
    if used:
        assert doubled(kernel) == [0, 2, 4, 6]
    kernel.max_dynamic_shared_size_bytes = 60_000
    other = COPIES[how](kernel)
    assert doubled(other) == [0, 2, 4, 6]
    assert other.max_dynamic_shared_size_bytes == 60_000
    for name in ("code", "name", "options", "backend", "enable_cooperative_groups"):
        assert getattr(other, name) == getattr(kernel, name)


@pytest.mark.parametrize("how", COPIES)
def test_a_module_is_copied_with_all_that_made_it(how: str) -> None:
    first = module()
    assert doubled(first.get_function("twice")) == [0, 2, 4, 6]
    other = COPIES[how](first)
    assert doubled(other.get_function("twice")) == [0, 2, 4, 6]
    a = simulator.asarray(np.array([5], "u4"))
    other.get_function(NAMED)((1,), (1,), (a, np.uint32(3)))
    assert int(a[0]) == 15
    b = simulator.zeros(1, "int32")
    other.get_function("wait")((1,), (1,), (b,))
    assert int(b[0]) == 3


def test_an_instance_of_a_template_is_copied() -> None:
    kernel = pickle.loads(pickle.dumps(module().get_function(NAMED)))
    a = simulator.asarray(np.array([5], "u4"))
    kernel((1,), (1,), (a, np.uint32(3)))
    assert int(a[0]) == 15


def test_a_module_keeps_its_variables_where_it_is_copied() -> None:
    first = module()
    kernel = first.get_function("twice")
    kernel((1,), (1,), (simulator.zeros(1, "int32"),))
    other = copy.deepcopy(kernel)
    other((1,), (1,), (simulator.zeros(1, "int32"),))
    calls = simulator.ndarray((1,), "int32", first.get_global("calls"))
    assert int(calls[0]) == 2


def test_a_file_that_is_gone_is_not_needed_again(tmp_path) -> None:
    file = tmp_path / "k.cu"
    file.write_text(CODE)
    first = simulator.RawModule(path=str(file), options=("-DFACTOR=2",))
    kernel = pickle.dumps(first.get_function("twice"))
    file.unlink()
    assert doubled(pickle.loads(kernel)) == [0, 2, 4, 6]


def test_an_array_is_copied_to_the_device() -> None:
    a = simulator.arange(6, dtype="int32").reshape(2, 3)
    for how in COPIES.values():
        other = how(a)
        assert isinstance(other, simulator.ndarray)
        other[0, 0] = 9
        assert other.get().tolist() == [[9, 1, 2], [3, 4, 5]]
    assert int(a[0, 0]) == 0


def test_a_kernel_goes_to_another_process_and_its_result_comes_back() -> None:
    kernel = simulator.RawKernel(CODE, "twice", ("-DFACTOR=2",))
    assert doubled(kernel) == [0, 2, 4, 6]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(doubled, (kernel,)) == [0, 2, 4, 6]


def test_the_order_of_an_array_is_kept() -> None:
    a = simulator.asarray(np.arange(6).reshape(2, 3), order="F")
    other = pickle.loads(pickle.dumps(a))
    assert other.strides == a.strides
    assert other.tolist() == a.tolist()
