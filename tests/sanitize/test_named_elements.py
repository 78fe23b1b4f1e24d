"""Faults name elements by the type that an array was declared with, however a cast reads them."""

from __future__ import annotations

import numpy as np
import pytest

import simulator
from simulator import Fault

FIRST_TWO = "if (threadIdx.x < 2)"


@pytest.mark.parametrize(
    ("given", "body", "named"),
    [
        ("unsigned char *f", f"{FIRST_TWO} ((short *)f)[5] = threadIdx.x;", "f[10]"),
        ("int *f", f"{FIRST_TWO} ((short *)f)[5] = threadIdx.x;", "f[2]"),
        ("double *f", f"float *p = (float *)(f + 4); {FIRST_TWO} p[7] = threadIdx.x;", "f[7]"),
        ("void *f", f"{FIRST_TWO} ((int *)f)[3] = threadIdx.x;", "f[3]"),
        ("int *f", f"{FIRST_TWO} f[3] = threadIdx.x;", "f[3]"),
    ],
)
def test_races(given: str, body: str, named: str) -> None:
    kernel = simulator.RawKernel(f'extern "C" __global__ void k({given}) {{ {body} }}', "k")
    kind = {"unsigned char": "u1", "double": "f8"}.get(given.removesuffix(" *f"), "i4")
    with (
        simulator.sanitize("race"),
        pytest.raises(Fault) as caught,
    ):
        kernel((1,), (32,), (simulator.zeros(64, np.dtype(kind).name),))
    assert f"race on {named}:" in caught.value.message


@pytest.mark.parametrize("way", ["f[3]", "(n ? f : g)[3]", "(n ? f : g)[19 - 16]"])
def test_slices_count_from_where_they_begin(way: str) -> None:
    body = f"{way} = threadIdx.x;"
    text = f'extern "C" __global__ void k(int *f, int *g, int n) {{ {body} }}'
    f, g = simulator.zeros(64, "int32"), simulator.zeros(64, "int32")
    with simulator.sanitize("race"), pytest.raises(Fault) as caught:
        simulator.RawKernel(text, "k")((1,), (32,), (f[16:], g, 1))
    assert "race on f[3]:" in caught.value.message


@pytest.mark.parametrize(
    ("kind", "read", "named"),
    [
        ("int", "int2 v = ((int2 *)b)[5]; y[0] = v.x;", "b[11]"),
        ("int", "y[0] = ((long long *)b)[5];", "b[11]"),
        ("unsigned char", "y[0] = ((int *)b)[2];", "b[11]"),
        ("unsigned char", "y[0] = ((short *)b)[5];", "b[11]"),
    ],
)
@pytest.mark.parametrize("space", ["global", "shared"])
def test_bytes_that_nothing_wrote(kind: str, read: str, named: str, space: str) -> None:
    shared = f"__shared__ __align__(16) {kind} b[16];" if space == "shared" else ""
    fill = "for (int i = 0; i < 16; i++) if (i != 11) b[i] = i;"
    given = f"{kind} *{'a' if shared else 'b'}, int *y"
    text = f'extern "C" __global__ void k({given}) {{ {shared} {fill} {read} }}'
    device = simulator.empty(16, "int32" if kind == "int" else "uint8")
    with simulator.sanitize("init"), pytest.raises(Fault) as caught:
        simulator.RawKernel(text, "k")((1,), (1,), (device, simulator.zeros(1, "int32")))
    assert f"reads {named}, which nothing has written" in caught.value.message
