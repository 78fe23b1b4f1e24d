"""Requests, sectors and bank conflicts against what Nsight Compute read on an H200, to the digit.

688 launches: loads and stores of scalars and vectors from 1 to 24 bytes, coalesced, misaligned,
strided and broadcast, in two blocks of one and a half warps; shared stores by 5 to 32 lanes.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import simulator
from simulator.ir.types import SCALARS, VECTORS

RECORD = json.loads((Path(__file__).parent / "data" / "accesses_h200.json").read_text())
SIZES = {c.name: c.size for c in SCALARS} | {name: c.size for name, c in VECTORS.items()}
TYPES = sorted({(space, ctype) for space, ctype, *_ in RECORD["launches"]})

GLOBAL = """extern "C" __global__ void k(const {t} *a, {t} *b, int stride, int shift) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i * stride + shift];
}}"""
SHARED = """extern "C" __global__ void k({t} *b, int stride, int lanes) {{
  __shared__ {t} s[1024];
  if (threadIdx.x < lanes) s[(threadIdx.x * stride) % 1024] = {value};
  __syncthreads();
  if (threadIdx.x == 0) b[0] = s[0];
}}"""


def kernel(space: str, ctype: str) -> simulator.RawKernel:
    value = "threadIdx.x"
    if ctype in VECTORS:
        value = f"make_{ctype}({', '.join([value] * len(VECTORS[ctype].members))})"
    text = (GLOBAL if space == "global" else SHARED).format(t=ctype, value=value)
    return simulator.RawKernel(text, "k")


@pytest.mark.parametrize(("space", "ctype"), TYPES)
def test_counters_equal_the_hardware(space: str, ctype: str) -> None:
    run, size = kernel(space, ctype), SIZES[ctype]
    launches = [row[2:] for row in RECORD["launches"] if row[:2] == [space, ctype]]
    assert len(launches) >= 8
    for first, second, *expected in launches:
        out = simulator.zeros(96 * size, "uint8")
        numbers = np.int32(first), np.int32(second)
        with simulator.counting() as record:
            if space == "global":
                run((2,), (48,), (simulator.zeros(96 * 20 * size, "uint8"), out, *numbers))
            else:
                run((1,), (32,), (out, *numbers))
        c = record.launches[0].counters
        counted = [c.load_requests, c.load_sectors, c.store_requests, c.store_sectors]
        assert [*counted, c.bank_conflicts] == expected, (first, second)
