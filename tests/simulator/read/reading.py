"""A program for the reader, and the statements of a kernel as it reads them."""

from __future__ import annotations

from simulator.ir import tree
from simulator.ir.unchecked import Definition
from simulator.read import read
from simulator.source import Source

KERNEL = """#define WIDTH 4
extern "C" __global__ void gather(const int *__restrict__ in, int *out, int n) {
  __shared__ int tile[WIDTH];
  typedef unsigned long long count_t;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  count_t total = 0;
  #pragma unroll 1
  for (int k = 0, step = 2; k < WIDTH && i < n; k += step) {
    total += in[i + k] ? (count_t)in[i] : 1u;
    if (total > 3) continue; else --i;
  }
  tile[threadIdx.x % WIDTH] = min(i, n);
  __syncthreads();
  do { out[i] = -tile[0]; } while (false);
}
"""


def body(statements: str) -> tuple[tree.Statement, ...]:
    unit = read(Source(f"__global__ void k(int *a, int n) {{ {statements} }}"))
    (item,) = unit.items
    assert isinstance(item, Definition)
    return item.body.body
