"""`__isShared` and its kin: where a pointer leads."""

from __future__ import annotations

import numpy as np
import pytest

from tests.simulator.launching import run, source

KIND = """
__device__ unsigned kind(const int *p) {
  return __isShared(p) + 2 * __isLocal(p) + 4 * __isGlobal((const void *)p);
}
__device__ int everywhere;
"""


@pytest.mark.parametrize(
    ("pointer", "kind"),
    [
        ("a + t", [4, 4, 4, 4]),
        ("s + t", [1, 1, 1, 1]),
        ("mine", [2, 2, 2, 2]),
        ("&one", [2, 2, 2, 2]),
        ("&everywhere", [4, 4, 4, 4]),
        ("d", [1, 1, 1, 1]),
        ("t == 0 ? s : t == 1 ? a : mine", [1, 4, 2, 2]),
        ("(int *)nullptr", [4, 4, 4, 4]),
    ],
)
def test_where_a_pointer_leads(pointer: str, kind: list[int]) -> None:
    body = f"""extern __shared__ int d[]; __shared__ int s[4]; int mine[3] = {{1, 2, 3}};
    int t = threadIdx.x, one = t; s[t] = d[0] = 0; int *p = {pointer}; o[t] = kind(p) + 0 * one;
    mine[t % 3] = 0;"""
    text = source("int *a, unsigned *o", body, KIND)
    found = run(text, np.zeros(8, "i4"), np.zeros(4, "u4"), block=4, shared=16)
    assert found.arrays[1].tolist() == kind
