"""Scans, partitions and asynchronous copies of groups against a GPU, floats to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simulator
from gpubfs.machines import nvrtc
from tests.simulator.language.test_async_copies import kernel as copying
from tests.simulator.launching import grouped

pytestmark = pytest.mark.gpu

GROUPS = {
    "tile": "cg::tiled_partition<16>(cg::this_thread_block())",
    "some": "cg::coalesced_threads()",
}
SCANS = [
    ("float", ""),
    ("float", ", cg::greater<float>()"),
    ("double", ", cg::plus<double>()"),
    ("int", ""),
    ("unsigned", ", cg::bit_xor<unsigned>()"),
]
DTYPES = {"float": "f4", "double": "f8", "int": "i4", "unsigned": "u4"}


@pytest.fixture(scope="module")
def cupy() -> Any:
    found = pytest.importorskip("cupy")
    if not found.cuda.is_available():
        pytest.skip("there is no GPU")
    return found


def kernel_of(machine: Any, code: str) -> Any:
    """A kernel; CuPy finds CUDA's headers by itself, or is told where they are."""
    if machine is simulator:
        return machine.RawKernel(code, "k")
    kernel = machine.RawKernel(code, "k")
    try:
        kernel.compile()
    except machine.cuda.compiler.CompileException:
        kernel = machine.RawKernel(code, "k", options=nvrtc.header_options())
    return kernel


def launched(machine: Any, code: str, *arrays: Any) -> Any:
    """What a kernel leaves in its last array."""
    given = [machine.asarray(a) for a in arrays]
    kernel_of(machine, code)((2,), (96,), tuple(given))
    return given[-1].get()


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize(("of", "operation"), SCANS)
def test_scans(cupy: Any, group: str, of: str, operation: str) -> None:
    body = f"""int i = blockIdx.x * 96 + threadIdx.x; if ({group == "tile":d} || a[i] > 0) {{
      auto g = {GROUPS[group]};
      out[2 * i] = cg::inclusive_scan(g, a[i]{operation});
      out[2 * i + 1] = cg::exclusive_scan(g, a[i]{operation}); }}"""
    code = grouped(f"const {of} *a, {of} *out", body)
    random = np.random.default_rng(11)
    a = (random.normal(size=192) * 1000).astype(DTYPES[of])
    ours, theirs = (launched(m, code, a, np.zeros(384, a.dtype)) for m in (simulator, cupy))
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("part", ["binary_partition(g, a[i] > 2)", "labeled_partition(g, a[i])"])
def test_partitions(cupy: Any, group: str, part: str) -> None:
    body = f"""int i = blockIdx.x * 96 + threadIdx.x; if ({group == "tile":d} || i % 3) {{
      auto g = {GROUPS[group]}; auto p = cg::{part}; unsigned *o = out + 4 * i;
      o[0] = p.thread_rank(); o[1] = p.size(); o[2] = p.meta_group_rank();
      o[3] = p.meta_group_size(); }}"""
    code = grouped("const int *a, unsigned *out", body)
    a = np.random.default_rng(12).integers(0, 6, 192).astype("i4")
    ours, theirs = (launched(m, code, a, np.zeros(768, "u4")) for m in (simulator, cupy))
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("ctype", ["int", "short", "int4"])
def test_copies(cupy: Any, ctype: str) -> None:
    size = {"int": 4, "short": 2, "int4": 16}[ctype]
    body = f"""__shared__ {ctype} tile[2][96]; auto block = cg::this_thread_block();
      const {ctype} *mine = a + 192 * blockIdx.x;
      cg::memcpy_async(block, tile[0], mine, sizeof({ctype}) * 96);
      cg::memcpy_async(block, tile[1], 96, mine + 96, 90);
      cg::wait_prior<1>(block); out[192 * blockIdx.x + t] = tile[0][95 - t];
      cg::wait(block); if (t < 90) out[192 * blockIdx.x + 96 + t] = tile[1][89 - t];"""
    code = copying(body, f"const {ctype} *a, {ctype} *out")
    a = np.random.default_rng(13).integers(0, 256, 384 * size).astype("u1")
    ours, theirs = (launched(m, code, a, np.zeros_like(a)) for m in (simulator, cupy))
    np.testing.assert_array_equal(ours, theirs)
