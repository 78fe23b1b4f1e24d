"""Variables of functions that are `static`: one for all threads, in global memory."""

from __future__ import annotations

import pytest

import simulator


def launched(text: str, times: int = 1, threads: int = 1) -> list[list[int]]:
    """What a kernel `k(int *out)` leaves in four numbers, launch by launch."""
    kernel, out, found = simulator.RawKernel(text, "k"), simulator.zeros(4, "int32"), []
    for _ in range(times):
        kernel((1,), (threads,), (out,))
        found.append(out.get().tolist())
    return found


def test_they_keep_their_values_from_call_to_call_and_launch_to_launch() -> None:
    text = """
template <int N> __device__ int next() { static int n = N; return n++; }
__device__ int chosen(bool b) {
  if (b) { static unsigned n = 3; return n++; }
  static unsigned n = 50;
  return ++n;
}
struct C { __device__ int calls() const { static int n; return ++n; } };
extern "C" __global__ void k(int *out) {
  static struct { int u; short v[2]; } w = {1, {7, 8}};
  C c;
  out[0] = next<1>() + 100 * next<2>() + 10000 * next<1>();
  out[1] = chosen(true) + 100 * chosen(false);
  out[2] = c.calls() + 10 * C().calls();
  out[3] = w.u++ + 10 * w.v[1]--;
}"""
    assert launched(text, 2) == [[20201, 5103, 21, 81], [40303, 5204, 43, 72]]


SHARED = """
extern "C" __global__ void k(int *out) {
  static int count;
  atomicAdd(&count, 1);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = count;
}"""


@pytest.mark.gpu
def test_a_gpu_shares_them_so() -> None:
    cupy = pytest.importorskip("cupy")
    if not cupy.cuda.is_available():
        pytest.skip("there is no GPU")
    kernel, out, found = cupy.RawKernel(SHARED, "k"), cupy.zeros(4, "int32"), []
    for _ in range(2):
        kernel((1,), (64,), (out,))
        found.append(int(out[0]))
    assert found == [64, 128]


def test_all_threads_share_them() -> None:
    assert [row[0] for row in launched(SHARED, 2, 64)] == [64, 128]
    raced = SHARED.replace("atomicAdd(&count, 1)", "count++")
    with simulator.sanitize("race"), pytest.raises(simulator.SimulatorError, match="k::count"):
        launched(raced, threads=64)


def test_the_host_finds_none_by_its_plain_name() -> None:
    module = simulator.RawModule(code='extern "C" __global__ void k() { static int n; n++; }')
    with pytest.raises(simulator.CompileError):
        module.get_global("n")
