"""Sanitizers know structures and the variables of a module."""

from __future__ import annotations

import numpy as np
import pytest

from simulator import Fault
from tests.sanitize.machine import kernel, sanitized

OUT = np.zeros(64, "i4")
PAIR = "struct Pair { int x, y; };"
TRIPLE = "struct Pair { int x, y, z; };"


@pytest.mark.parametrize(
    ("before", "body", "words"),
    [
        ("__device__ int d = 5;", "d = t;", "race on d[0]"),
        (
            "__device__ int d[4];",
            "if (t == 40) d[1] = 3; if (t == 2) out[1] = d[1];",
            "race on d[1]",
        ),
        (
            PAIR + " __device__ Pair d[4]; __constant__ Pair c = {1, 2};",
            "if (t == 40) d[1] = c; if (t == 2) out[1] = d[1].y;",
            "race on d[1].y",
        ),
        (
            TRIPLE,
            "__shared__ Pair s[2]; if (t == 40) s[1] = {1}; if (t == 2) out[1] = s[1].z;",
            "race on s[1].z",
        ),
        (
            "struct Row { int x, y, z[2]; };",
            "Row r; Row *p = &r; r.z[1] = 1; out[t] = p->z[1] + p->z[t & 1];",
            "reads r.z[0], which nothing has written",
        ),
    ],
)
def test_found(before: str, body: str, words: str) -> None:
    with pytest.raises(Fault) as caught:
        sanitized(kernel("int *out", f"int t = threadIdx.x; {body}", before), OUT, block=64)
    assert words in caught.value.message


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("__device__ int d; __constant__ int c[64];", "out[t] = d + c[t];"),
        (TRIPLE + " __device__ Pair d[64];", "d[t].x = t; Pair p = d[t]; out[t] = p.z;"),
        ("struct Row { int x, z[2]; };", "Row r; r.x = 1; Row s = r; out[t] = s.x;"),
        (
            "__device__ volatile int flag; __device__ int v;",
            "if (t == 0) { while (!flag) ; out[0] = v; }"
            "if (t == 40) { v = 1; __threadfence(); flag = 1; }",
        ),
        ("__device__ int d;", "switch (t & 1) { case 0: atomicAdd(&d, 1); break; default: ; }"),
    ],
)
def test_harmless(before: str, body: str) -> None:
    sanitized(kernel("int *out", f"int t = threadIdx.x; {body}", before), OUT, block=64)
