"""Loads, stores, atomics and exchanges in a warp by PTX: what they do is what such C does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simulator
from gpubfs.machines import nvrtc
from tests.simulator.launching import run, source

PARAMETERS = "const unsigned *a, unsigned *b, unsigned *out"

#: Statements of PTX, and C that does the same: `t` is the thread, `x` what it has.
TWINS: dict[str, tuple[str, str]] = {
    "load": (
        'asm("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(a + t));',
        "x = a[t];",
    ),
    "load behind": (
        'asm("ld.global.cg.u32 %0, [%1+8];" : "=r"(x) : "l"(a + t));',
        "x = a[t + 2];",
    ),
    "load before": (
        'asm volatile("ld.volatile.global.u32 %0, [%1 + -4];" : "=r"(x) : "l"(b + t + 1));',
        "x = *(volatile unsigned *)&b[t];",
    ),
    "read only": (
        'asm("ld.global.nc.L1::no_allocate.L2::128B.u32 %0, [%1];" : "=r"(x) : "l"(a + t));',
        "x = __ldg(a + t);",
    ),
    "narrow": (
        'asm("ld.global.u8 %0, [%1];" : "=r"(x) : "l"((const char *)a + t));',
        "x = ((const unsigned char *)a)[t];",
    ),
    "narrow and signed": (
        'asm("ld.s16 %0, [%1];" : "=r"(x) : "l"((const short *)a + t));',
        "x = ((const short *)a)[t];",
    ),
    "four": (
        "unsigned y, z, w;"
        ' asm("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"'
        ' : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(a + 4 * t)); x += 2 * y + 3 * z + 4 * w;',
        "uint4 v = ((const uint4 *)a)[t]; x = v.x + 2 * v.y + 3 * v.z + 4 * v.w;",
    ),
    "store": (
        'asm volatile("st.global.u32 [%0], %1;" :: "l"(b + t), "r"(x) : "memory"); x = b[t];',
        "b[t] = x; x = b[t];",
    ),
    "store narrow": (
        'asm volatile("st.global.wb.u8 [%0], %1;" :: "l"((char *)b + t), "r"(x + 300));',
        "((unsigned char *)b)[t] = x + 300;",
    ),
    "store two": (
        'asm volatile("st.global.cs.v2.f32 [%0], {%1, %2};"'
        ' :: "l"((float2 *)b + t), "f"((float)t), "f"(0.5f));',
        "((float2 *)b)[t] = make_float2(t, 0.5f);",
    ),
    "if": (
        'asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 7; @p st.global.u32 [%0], %1; }"'
        ' :: "l"(b + t), "r"(t));',
        "if (t < 7) b[t] = t;",
    ),
    "shared": (
        "__shared__ unsigned s[32]; s[t] = x; __syncwarp();"
        " unsigned at = __cvta_generic_to_shared(&s[31 - t]);"
        ' asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(at));',
        "__shared__ unsigned s[32]; s[t] = x; __syncwarp(); x = s[31 - t];",
    ),
    "shared by 64 bits": (
        "__shared__ unsigned s[64]; unsigned long long at;"
        ' asm("cvta.to.shared.u64 %0, %1;" : "=l"(at) : "l"(s + t));'
        ' asm volatile("st.shared.u32 [%0+4], %1;" :: "l"(at), "r"(x)); __syncwarp();'
        " x = s[t + 1];",
        "__shared__ unsigned s[64]; s[t + 1] = x; __syncwarp(); x = s[t + 1];",
    ),
    "atomic": (
        'asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(x) : "l"(b + t % 4), "r"(t));',
        "x = atomicAdd(b + t % 4, t);",
    ),
    "reduction": (
        'asm volatile("red.relaxed.cta.global.max.s32 [%0], %1;" :: "l"(b), "r"(t - 8));',
        "atomicMax_block((int *)b, t - 8);",
    ),
    "swap": (
        'asm volatile("atom.global.cas.b32 %0, [%1], %2, 77;" : "=r"(x) : "l"(b + t), "r"(t));',
        "x = atomicCAS(b + t, t, 77);",
    ),
    "add floats": (
        'asm volatile("red.global.add.f32 [%0], %1;" :: "l"(b), "f"(1.5f));',
        "atomicAdd((float *)b, 1.5f);",
    ),
    "exchange": (
        'asm volatile("atom.exch.b32 %0, [%1], %2;" : "=r"(x) : "l"(b + t), "r"(t));',
        "x = atomicExch(b + t, t);",
    ),
    "barrier": (
        "__shared__ unsigned s[32]; s[t] = x;"
        ' asm volatile("bar.sync 0;" ::: "memory"); x = s[31 - t];',
        "__shared__ unsigned s[32]; s[t] = x; __syncthreads(); x = s[31 - t];",
    ),
    "barrier that counts": (
        'asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 9; barrier.cta.red.popc.aligned.u32'
        ' %0, 0, p; }" : "=r"(x) : "r"(t));',
        "x = __syncthreads_count(t > 9);",
    ),
    "shuffle": (
        'asm("shfl.sync.bfly.b32 %0, %1, 5, 0x1f, 0xffffffff;" : "=r"(x) : "r"(a[t]));',
        "x = __shfl_xor_sync(0xffffffff, a[t], 5);",
    ),
    "shuffle with a predicate": (
        'asm("{ .reg .pred p; shfl.sync.up.b32 %0|p, %1, %2, 0x1800, -1; @p add.u32 %0, %0, %1; }"'
        ' : "=r"(x) : "r"(a[t]), "r"(2));',
        "unsigned y = a[t]; x = __shfl_up_sync(-1, y, 2, 8); if (t % 8 >= 2) x += y;",
    ),
    "shuffle down": (
        'asm("{ .reg .pred p; shfl.sync.down.b32 %0|p, %1, 3, 0x1f, -1; selp.u32 %0, %0, 1, p; }"'
        ' : "=r"(x) : "r"(a[t]));',
        "x = __shfl_down_sync(-1, a[t], 3); if (t + 3 >= 32) x = 1;",
    ),
    "shuffle from": (
        'asm("shfl.sync.idx.b32 %0, %1, %2, 0x101f, -1;" : "=r"(x) : "r"(a[t]), "r"(t / 2));',
        "x = __shfl_sync(-1, a[t], t / 2, 16);",
    ),
    "vote": (
        'asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 11; vote.sync.ballot.b32 %0, p, -1; }"'
        ' : "=r"(x) : "r"(t));',
        "x = __ballot_sync(-1, t < 11);",
    ),
    "any": (
        'asm volatile("{ .reg .pred p, q; setp.eq.u32 p, %1, 11; vote.sync.any.pred q, p, -1;'
        ' selp.u32 %0, 5, 6, q; }" : "=r"(x) : "r"(t));',
        "x = __any_sync(-1, t == 11) ? 5 : 6;",
    ),
    "uniform": (
        'asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 99; vote.sync.uni.pred q, p, -1;'
        ' selp.u32 %0, 5, 6, q; }" : "=r"(x) : "r"(t));',
        "x = 5;",
    ),
    "match": (
        'asm volatile("match.any.sync.b32 %0, %1, -1;" : "=r"(x) : "r"(t % 3));',
        "x = __match_any_sync(-1, t % 3);",
    ),
    "match all": (
        'asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %1, -1; @p add.u32 %0, %0, 1; }"'
        ' : "=r"(x) : "r"(t / 32));',
        "int every; x = __match_all_sync(-1, t / 32, &every); if (every) x++;",
    ),
    "reduce": (
        'asm volatile("redux.sync.add.s32 %0, %1, -1;" : "=r"(x) : "r"(t));',
        "x = __reduce_add_sync(-1, t);",
    ),
    "elect": (
        'asm volatile("{ .reg .pred p; elect.sync _|p, -1; selp.u32 %0, 5, 6, p; }" : "=r"(x));',
        "x = t == 0 ? 5 : 6;",
    ),
    "active": (
        'if (t % 3 == 1) asm volatile("activemask.b32 %0;" : "=r"(x));',
        "if (t % 3 == 1) x = __activemask();",
    ),
    "fences": (
        'asm volatile("membar.gl; fence.acq_rel.cta; fence.sc.sys; bar.warp.sync -1;");',
        "__threadfence(); __threadfence_block(); __threadfence_system(); __syncwarp();",
    ),
    "acquire and release": (
        'asm volatile("st.release.gpu.global.u32 [%1], %2; ld.acquire.gpu.global.u32 %0, [%1];"'
        ' : "=r"(x) : "l"(b + t), "r"(t));',
        "__threadfence(); *(volatile unsigned *)(b + t) = t;"
        " x = *(volatile unsigned *)(b + t); __threadfence();",
    ),
    "copy": (
        "__shared__ uint4 s[32]; unsigned at = __cvta_generic_to_shared(&s[t]);"
        ' asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.commit_group;"'
        ' :: "r"(at), "l"(a + 4 * t)); asm volatile("cp.async.wait_group 0;"); x = s[t].z;',
        "__shared__ uint4 s[32];"
        " __pipeline_memcpy_async(&s[t], (const uint4 *)a + t, 16); __pipeline_commit();"
        " __pipeline_wait_prior(0); x = s[t].z;",
    ),
    "where": (
        'asm("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 2, p; }" : "=r"(x) : "l"(a));',
        "x = __isShared(a) ? 1 : 2;",
    ),
}
HEADER = "#include <cuda_pipeline.h>\n"


def kernel(statements: str) -> str:
    body = f"int t = threadIdx.x; unsigned x = 3 * t + 1; {statements} out[t] = x;"
    return source(PARAMETERS, body, HEADER if "__pipeline" in statements else "")


def ran(statements: str) -> Any:
    a = np.random.default_rng(1).integers(0, 2**32, 256, dtype="u4")
    return run(kernel(statements), a, np.arange(64, dtype="u4"), np.zeros(32, "u4"))


@pytest.mark.parametrize("name", TWINS)
def test_ptx_does_what_such_c_does(name: str) -> None:
    ptx, c = TWINS[name]
    mine, twin = ran(ptx), ran(c)
    for one, other in zip(mine.arrays, twin.arrays, strict=True):
        assert one.tolist() == other.tolist()
    for counter in (
        *("load_requests", "load_sectors", "load_bytes", "store_requests", "store_sectors"),
        *("atomic_requests", "atomic_sectors", "shared_requests", "bank_conflicts", "barriers"),
    ):
        assert mine.counters[counter] == twin.counters[counter], counter


@pytest.mark.skipif(nvrtc.load()[0] is None, reason=nvrtc.load()[1])
def test_nvidias_assembler_takes_them(tmp_path: Path) -> None:
    functions = [
        kernel(ptx).replace(" k(", f" k{number}(") for number, (ptx, _) in enumerate(TWINS.values())
    ]
    nvrtc.compile_text("\n".join(functions), "twins.cu", tmp_path)


SPECIAL = {
    "%%laneid": "at % 32",
    "%%warpid": "at / 32",
    "%%nwarpid": "2",
    "%%lanemask_eq": "1 << at % 32",
    "%%lanemask_lt": "(1 << at % 32) - 1",
    "%%lanemask_le": "(2 << at % 32) - 1",
    "%%lanemask_gt": "2**32 - (2 << at % 32)",
    "%%lanemask_ge": "2**32 - (1 << at % 32)",
    "%%tid.x": "at % 16",
    "%%tid.y": "at // 16",
    "%%ntid.x": "16",
    "%%ctaid.x": "block",
    "%%nctaid.x": "2",
    "%laneid": "at % 32",
    "%%smid": "block",
    "WARP_SZ": "32",
}


@pytest.mark.parametrize("register", SPECIAL)
def test_special_registers(register: str) -> None:
    body = f"""unsigned x; asm("mov.u32 %0, {register};" : "=r"(x));
      out[blockIdx.x * 64 + threadIdx.y * 16 + threadIdx.x] = x;"""
    found = run(source("unsigned *out", body), np.zeros(128, "u4"), grid=2, block=(16, 4)).arrays[0]
    wanted = [
        eval(SPECIAL[register].replace("at / 32", "at // 32"), {"at": i % 64, "block": i // 64})
        for i in range(128)
    ]
    assert found.tolist() == wanted


def test_clocks_grow() -> None:
    body = """unsigned long long x, y; unsigned z;
      asm volatile("mov.u64 %0, %%clock64;" : "=l"(x));
      asm volatile("mov.u32 %0, %%clock;" : "=r"(z));
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(y)); out[threadIdx.x] = x < z && z < y;"""
    assert run(source("unsigned *out", body), np.zeros(4, "u4"), block=4).arrays[0].all()


def test_races_and_bounds_are_found_at_the_instruction() -> None:
    body = """__shared__ int s[32]; unsigned at = __cvta_generic_to_shared(s);
      asm volatile("mad.lo.u32 %0, %1, 4, %0; st.shared.u32 [%0], %1;"
                   : "+r"(at) : "r"(threadIdx.x));
      out[threadIdx.x] = s[31 - threadIdx.x];"""
    with simulator.sanitize("race"), pytest.raises(simulator.Fault, match="race") as caught:
        simulator.RawKernel(source("int *out", body), "k")(
            (1,), (32,), (simulator.zeros(32, "int32"),)
        )
    assert "st.shared.u32 [%0], %1" in str(caught.value)
    body = (
        'int x; asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(out + 4000000)); *out = x;'
    )
    with pytest.raises(simulator.Fault) as caught:
        simulator.RawKernel(source("int *out", body), "k")(
            (1,), (32,), (simulator.zeros(32, "int32"),)
        )
    assert caught.value.span is not None
    assert caught.value.span.text == "ld.global.u32 %0, [%1]"


FLAGGED = """__device__ void wait_for(int *flag) {
  int v;
  do { asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(v) : "l"(flag) : "memory"); }
  while (v == 0);
}
extern "C" __global__ void k(int *o, int *flag) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    o[100] = 5;
    asm volatile("st.release.gpu.global.s32 [%0], %1;" :: "l"(flag), "r"(1) : "memory");
  }
  if (blockIdx.x == 1) { wait_for(flag); o[threadIdx.x] = o[100]; }
}"""


@pytest.mark.parametrize("schedule", ["lockstep", "warp", "round-robin:2"])
@pytest.mark.parametrize("ordered", [True, False])
def test_releases_are_messages(schedule: str, ordered: bool) -> None:
    relaxed = FLAGGED.replace("acquire", "relaxed").replace("release", "relaxed")
    with simulator.Device(schedule=schedule), simulator.sanitize("race"):
        o, flag = simulator.zeros(128, "int32"), simulator.zeros(1, "int32")
        kernel = simulator.RawKernel(FLAGGED if ordered else relaxed, "k")
        if ordered:
            kernel((2,), (32,), (o, flag))
            assert o.get()[:32].tolist() == [5] * 32
        else:
            with pytest.raises(simulator.Fault, match=r"race on o\[100\]"):
                kernel((2,), (32,), (o, flag))


CLUSTERED = """extern "C" __global__ void __cluster_dims__(2) k(int *out) {
  __shared__ int mine; mine = blockIdx.x + 5;
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  unsigned rank, count;
  asm("mov.u32 %0, %%cluster_ctarank; mov.u32 %1, %%cluster_nctarank;" : "=r"(rank), "=r"(count));
  out[blockIdx.x] = mine + 10 * rank + 100 * count;
}"""


@pytest.mark.slow
def test_clusters(tmp_path: Path) -> None:
    ran_clusters = run(CLUSTERED, np.zeros(4, "i4"), grid=4, block=1)
    assert ran_clusters.arrays[0].tolist() == [205, 216, 207, 218]
    assert ran_clusters.counters.cluster_syncs == 2
    if nvrtc.load()[0] is not None:
        nvrtc.compile_text(CLUSTERED, "clusters.cu", tmp_path)
