"""Bank conflicts against what Nsight Compute read on an H200 for the same kernels, to the digit."""

import json
from pathlib import Path

import numpy as np
import pytest

import simulator

RECORD = json.loads((Path(__file__).parent / "data" / "bank_conflicts_h200.json").read_text())
LOADS = {"strided_1": "uint8", "strided_4": "int32", "strided_8": "int64"}
RANDOM = {"random_4": "int32", "random_8": "int64"}
C_TYPES = {"uint8": "unsigned char", "int32": "int", "int64": "long long"}

FILL = """__shared__ {t} s[4096];
  for (int i = threadIdx.x; i < 4096; i += 32) s[i] = i;
  __syncthreads();"""
STRIDED = """extern "C" __global__ void {name}({t} *out, int stride, int shift) {{
  {fill}
  out[threadIdx.x] = s[(threadIdx.x * stride + shift) % 4096];
}}"""
SCATTERED = """extern "C" __global__ void {name}({t} *out, const int *where) {{
  {fill}
  out[threadIdx.x] = s[where[threadIdx.x]];
}}"""
PARTIAL = """extern "C" __global__ void partial_8(long long *out, int stride, int lanes) {
  __shared__ long long s[4096];
  if (threadIdx.x < lanes) s[(threadIdx.x * stride) % 4096] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = s[0];
}"""


def source() -> str:
    parts = [PARTIAL]
    for table, text in ((LOADS, STRIDED), (RANDOM, SCATTERED)):
        for name, dtype in table.items():
            t = C_TYPES[dtype]
            parts.append(text.format(name=name, t=t, fill=FILL.format(t=t)))
    return "\n".join(parts)


MODULE_TEXT = source()


@pytest.mark.parametrize("kernel", [*LOADS, *RANDOM, "partial_8"])
def test_bank_conflicts_equal_the_hardware(kernel: str) -> None:
    launches = [launch for launch in RECORD["launches"] if launch["kernel"] == kernel]
    assert len(launches) >= 12
    run = simulator.RawModule(code=MODULE_TEXT).get_function(kernel)
    dtype = {**LOADS, **RANDOM, "partial_8": "int64"}[kernel]
    out = simulator.zeros(32, dtype)
    for launch in launches:
        given = launch["arguments"]
        args = (simulator.asarray(np.array(given, np.int32)),) if kernel in RANDOM else given
        with simulator.counting() as record:
            run((1,), (32,), (out, *args))
        counted = record.launches[0].counters.bank_conflicts
        assert counted == launch["conflicts"], given
