"""The sizes that a kernel gives to a launch: `dim3` declared, copied, passed, refused."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from tests.simulator.launching import run, source


@pytest.mark.parametrize(
    ("declared", "sizes"),
    [
        ("dim3 d;", (1, 1, 1)),
        ("dim3 d(4);", (4, 1, 1)),
        ("dim3 d(4, 2);", (4, 2, 1)),
        ("dim3 d(4, n + 1, 3);", (4, 8, 3)),
        ("dim3 d = 4;", (4, 1, 1)),
        ("dim3 d = n;", (7, 1, 1)),
        ("dim3 d{2, 3};", (2, 3, 1)),
        ("dim3 d = {2, 3, 4};", (2, 3, 4)),
        ("dim3 d = {};", (1, 1, 1)),
        ("dim3 d = dim3(5, 6);", (5, 6, 1)),
        ("dim3 d = dim3(n);", (7, 1, 1)),
        ("dim3 d = blockDim;", (3, 1, 1)),
        ("dim3 d(gridDim);", (2, 1, 1)),
        ("auto d = dim3(1, 2, 3);", (1, 2, 3)),
        ("dim3 e(9, 8, 7), d = e;", (9, 8, 7)),
        ("dim3 d; d.x = 5; d.z += n;", (5, 1, 8)),
        ("dim3 d; d = 6; d.y = d.x;", (6, 6, 1)),
        ("dim3 d; d = dim3(2, 2);", (2, 2, 1)),
        ("const dim3 d(2, 3);", (2, 3, 1)),
        ("dim3 d = doubled(dim3(1, 2, n));", (2, 4, 14)),
        ("uint3 u = make_uint3(3, 4, 5); dim3 d = u;", (3, 4, 5)),
        ("dim3 d = twice(4);", (8, 1, 1)),
        ("dim3 d(2.9f, 3ll);", (2, 3, 1)),
    ],
)
def test_dim3(declared: str, sizes: tuple[int, int, int]) -> None:
    functions = """
    __device__ dim3 doubled(dim3 d) { return dim3(2 * d.x, 2 * d.y, 2 * d.z); }
    __device__ dim3 twice(dim3 d) { d.x *= 2; return d; }
    """
    body = f"{declared} if (threadIdx.x == 0) {{ a[0] = d.x; a[1] = d.y; a[2] = d.z; }}"
    text = source("unsigned *a, int n", f"{body} a[3] = sizeof(d);", functions)
    found = run(text, np.zeros(4, "u4"), 7, grid=2, block=3).arrays[0]
    assert found.tolist() == [*sizes, 12]


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("dim3 d(1, 2, 3, 4);", "`dim3` takes at most 3 values, not 4"),
        ("dim3 d(a);", "is `int *`, but"),
        ("dim3 d[2];", "a `dim3` is supported as a local variable only"),
        ("__shared__ dim3 d;", "a `dim3` is supported as a local variable only"),
        ("dim3 d; d.w = 1;", "`dim3` has no `w`"),
        ("int i = dim3(1);", "is `dim3`, but `int` is needed"),
        ("int i(1, 2);", "one value is expected here"),
        ("n = gridDim;", "`gridDim` needs an axis"),
    ],
)
def test_what_is_no_dim3(statement: str, message: str) -> None:
    with pytest.raises(simulator.CompileError) as caught:
        simulator.RawModule(code=source("int *a, int n", statement))
    assert message in caught.value.message
