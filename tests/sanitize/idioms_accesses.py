"""What real kernels take for ordered, atomic or readable: warps, blocks, words and caches."""

from __future__ import annotations

from tests.sanitize.idiom import Idiom


def _steps(step: str) -> str:
    return "\n".join(step.replace("H", str(half)) for half in (16, 8, 4, 2, 1))


FILLED = "__shared__ int s[64]; s[t] = t; s[t + 32] = 0; __syncthreads();\n"

REDUCTIONS = {
    "the last warp reads and writes in turns": Idiom(
        FILLED + "last_warp(s, t); if (first) a[0] = s[0];",
        r"s\[\d+\]",
        before="__device__ void last_warp(volatile int *s, int t) { int x = s[t];\n"
        + _steps("x += s[t + H]; «__syncwarp();» s[t] = x; «__syncwarp();»")
        + "}",
    ),
    "lanes that only lower lanes read": Idiom(
        FILLED + "volatile int *p = s;\n" + _steps("if (t < H) p[t] += p[t + H]; «__syncwarp();»"),
        r"s\[\d+\]",
    ),
    "one __syncwarp a step is too few": Idiom(
        FILLED
        + "volatile int *p = s;\n"
        + _steps("{ int x = p[t + H]; «__syncwarp();» p[t] += x; __syncwarp(); }"),
        r"s\[\d+\]",
    ),
    "the last warp of two": Idiom(
        "__shared__ int s[96]; s[t] = t; if (t < 32) s[64 + t] = 0; __syncthreads();\n"
        "volatile int *p = s; if (t < 32) { p[t] += p[t + 32]; «__syncwarp();»\n"
        + _steps("{ int x = p[t + H]; __syncwarp(); p[t] += x; __syncwarp(); }")
        + "} if (first) a[0] = p[0];",
        r"s\[\d+\]",
        block=64,
    ),
}

_ASKED = {
    "a ballot": "t = t + 0 * __ballot_sync(~0u, t);",
    "a vote": "t = t + 0 * __any_sync(~0u, t) + 0 * __all_sync(~0u, t);",
    "a match": "t = t + 0 * __match_any_sync(~0u, t);",
    "a shuffle": "t = __shfl_xor_sync(~0u, t, 0);",
    "a reduction": "t = t + 0 * __reduce_add_sync(~0u, t);",
    "who is active": "t = t + 0 * __activemask();",
}
WARPS = {
    f"{name} is no __syncwarp": Idiom(
        f"__shared__ int s[32]; s[t] = t; {text} «__syncwarp();» a[t] = s[31 - t];", r"s\[\d+\]"
    )
    for name, text in _ASKED.items()
} | {
    f"{name} of a group is no sync": Idiom(
        "cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());\n"
        f"__shared__ int s[32]; s[t] = t; {text} «tile.sync();» a[t] = s[31 - t];",
        r"s\[\d+\]",
        before="#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n",
    )
    for name, text in {
        "a ballot": "t = t + 0 * tile.ballot(t);",
        "a shuffle": "t = tile.shfl_xor(t, 0);",
    }.items()
}

ATOMICS = {
    "an atomic of the device": Idiom("atomicAdd«!_block»(a, 1);", r"a\[0\]", grid=2),
    "one side is of its block": Idiom(
        "if (blockIdx.x == 0) atomicAdd«!_block»(a, 1); else atomicMax(a, t);", r"a\[0\]", grid=2
    ),
    "an element for each block": Idiom(
        "atomicAdd_block(a + «blockIdx.x»«!0», 1);", r"a\[0\]", grid=2
    ),
    "an atomic of the system": Idiom(
        "if (blockIdx.x == 0) atomicAdd_system(a, 1); else atomicAdd«!_block»(a, 1);",
        r"a\[0\]",
        grid=2,
    ),
    "a look at what a block counts": Idiom(
        "atomicAdd_block(a + blockIdx.x, 1); if («false»«!first») a[8 + blockIdx.x] = "
        "*(volatile int *)(a + 1 - blockIdx.x);",
        r"a\[[01]\]",
        grid=2,
    ),
    "one size": Idiom(
        "if (first) atomicAdd((unsigned long long *)(a + «2»«!0»), 1ull); else atomicAdd(a, 1);",
        r"a\[0\]",
    ),
    "halves of a word": Idiom(
        "if (first) atomicAdd((unsigned long long *)(a + «2»«!0»), 1ull);\n"
        "else atomicAdd(a + 1, 1);",
        r"a\[1\]",
    ),
}

CACHES = {
    "__ldg of what another thread writes": Idiom(
        "if (first) a[0] = 1; __syncthreads(); a[1 + t] = «a[0]»«!__ldg(a)»;", r"a\[0\]", block=64
    ),
    "__ldg of what the thread itself writes": Idiom(
        "a[t] = t; a[64 + t] = «a[t]»«!__ldg(&a[t])»;", r"a\[\d+\]"
    ),
    "__ldg before the write": Idiom("int x = «a[t]»«!__ldg(a + t)»; a[t] = x + 1;", r"a\[\d+\]"),
    "__ldg of what is only read": Idiom(
        "a[t] = __ldg((const int *)w + t) + «0»«!__ldg(a)»;", r"a\[\d+\]"
    ),
}
