"""How threads hand over data in real kernels: flags, locks, queues and barriers of their own."""

from __future__ import annotations

from tests.sanitize.idiom import Idiom

FLAGS = {
    "a counter": Idiom("«atomicAdd(a, 1);»«!(*v)++;»", r"v\[0\]", grid=2),
    "a counter behind a fence": Idiom(
        "__threadfence(); «atomicAdd(a, 1);»«!*v = *v + 1 + t;»", r"v\[0\]", grid=2
    ),
    "data behind a flag": Idiom(
        "if (first && blockIdx.x == 0) { a[0] = 5; «__threadfence();» v[0] = 1; }\n"
        "if (first && blockIdx.x == 1) { while (v[0] == 0); a[1] = a[0]; }",
        r"a\[0\]",
        grid=2,
    ),
    "volatile data behind a flag": Idiom(
        "if (first && blockIdx.x == 0) { v[1] = 5; «__threadfence();» v[0] = 1; }\n"
        "if (first && blockIdx.x == 1) { while (v[0] == 0); a[1] = v[1]; }",
        r"v\[1\]",
        grid=2,
    ),
    "the fence comes after the data": Idiom(
        "if (first && blockIdx.x == 0) {\n"
        "«!__threadfence();» v[1] = 5; «__threadfence();» v[0] = 1; }\n"
        "if (first && blockIdx.x == 1) { while (v[0] == 0); a[1] = v[1]; }",
        r"v\[1\]",
        grid=2,
    ),
    "the fence comes before the flag": Idiom(
        "if (first && blockIdx.x == 0) {\n"
        "a[0] = 5; «__threadfence();» v[0] = 1; «!__threadfence();» }\n"
        "if (first && blockIdx.x == 1) { while (v[0] == 0); a[1] = a[0]; }",
        r"a\[0\]",
        grid=2,
    ),
    "one thread waits for its block": Idiom(
        "if (blockIdx.x == 0) { a[1 + t] = t; __syncthreads();\n"
        "if (first) { __threadfence(); v[0] = 1; } }\n"
        "else { if (first) while (v[0] == 0); «__syncthreads();» a[100 + t] = a[32 - t]; }",
        r"a\[\d+\]",
        grid=2,
    ),
    "volatile data that a block waits for": Idiom(
        "if (blockIdx.x == 0) { v[1 + t] = t; «__threadfence();» __syncthreads();\n"
        "if (first) { __threadfence«!_block»(); v[0] = 1; } }\n"
        "else { if (first) while (v[0] == 0); __syncthreads(); a[100 + t] = v[32 - t]; }",
        r"v\[\d+\]",
        grid=2,
    ),
    "a function waits": Idiom(
        "if (first && blockIdx.x == 0) { a[0] = 5; «__threadfence();» v[0] = 1; }\n"
        "if (first && blockIdx.x == 1) { while (peek(v) != 1) __nanosleep(20); a[1] = a[0]; }",
        r"a\[0\]",
        grid=2,
        before="__device__ int peek(volatile int *p) { return *p; }",
    ),
    "what is read before the loop and in it": Idiom(
        "if (first && blockIdx.x == 0) v[0] = 1;\n"
        "if (first && blockIdx.x == 1) { int f = v[0]; while («f == 0»«!a[9] == 1») f = v[0];\n"
        "a[1] = f; }",
        r"v\[0\]",
        grid=2,
    ),
    "a flag in shared memory": Idiom(
        "__shared__ int s[2]; if (t < 2) s[t] = 0; __syncthreads(); volatile int *p = s;\n"
        "if (first) { s[1] = 5; «__threadfence_block();» p[0] = 1; }\n"
        "if (t == 32) { while (p[0] == 0); a[0] = s[1]; }",
        r"s\[1\]",
        block=64,
    ),
    "an early end that is looked at without waiting": Idiom(
        "for (int i = 0; i < 4; i++) { if (v[0]) break;\n"
        "if (first && blockIdx.x == 1) { «__threadfence();» v[0] = 1; } }",
        r"v\[0\]",
        grid=2,
    ),
    "a counter is reset": Idiom(
        "if (first && blockIdx.x == 0) {\n"
        "__threadfence(); «atomicExch(a, 0);»«!*(volatile int *)a = 0;» }\n"
        "if (first && blockIdx.x == 1) atomicAdd(a, 1);",
        r"a\[0\]",
        grid=2,
    ),
    "two blocks play ping-pong": Idiom(
        "if (first) for (int i = 0; i < 4; i++) { while (v[0] != blockIdx.x);\n"
        "a[1] += 1; «__threadfence();» v[0] = 1 - blockIdx.x; }",
        r"a\[1\]|v\[0\]",
        grid=2,
    ),
}

LOCKS = {
    "a spin lock, freed as volatile": Idiom(
        "if (first) { while (atomicCAS(a, 0, 1) != 0); a[1] += 1; «__threadfence();»\n"
        "*(volatile int *)a = 0; }",
        r"a\[1\]",
        grid=4,
    ),
    "a spin lock by exchanges": Idiom(
        "if (first) { while (atomicExch(a, 1) != 0); a[1] += 1;\n"
        "«__threadfence();» atomicExch(a, 0); }",
        r"a\[1\]",
        grid=4,
    ),
    "a lock that each lane tries again": Idiom(
        "bool done = false; while (!done) { if (atomicCAS(a, 0, 1) == 0) { a[1] += t;\n"
        "«__threadfence();» *(volatile int *)a = 0; done = true; } }",
        r"a\[1\]",
    ),
    "a lock that is tried once": Idiom(
        "if (first && atomicCAS(a, 0, 1) == 0) { a[1] += 1; «__threadfence();»\n"
        "*(volatile int *)a = 0; }",
        r"a\[[01]\]",
        grid=4,
    ),
    "a ticket lock": Idiom(
        "if (first) { int mine = atomicAdd(a, 1); while (v[0] != mine) __nanosleep(20);\n"
        "a[1] += 1; «__threadfence();» v[0] = mine + 1; }",
        r"a\[1\]|v\[0\]",
        grid=4,
    ),
    "a lock of the device, not of a block": Idiom(
        "if (first) { while (atomicCAS«!_block»(a, 0, 1) != 0); a[1] += 1; __threadfence();\n"
        "atomicExch«!_block»(a, 0); }",
        r"a\[[01]\]",
        grid=4,
    ),
    "what is made once, checked twice": Idiom(
        "if (first) { if (v[0] == 0) { while (atomicCAS(a, 0, 1) != 0);\n"
        "if (v[0] == 0) { a[1] = 7; «__threadfence();» v[0] = 1; }\n"
        "__threadfence(); atomicExch(a, 0); }\n"
        "a[8 + blockIdx.x] = a[1]; }",
        r"a\[1\]|v\[0\]",
        grid=4,
    ),
}

QUEUES = {
    "the last block sums up": Idiom(
        "__shared__ bool last; if (first) { v[blockIdx.x] = blockIdx.x; «__threadfence();»\n"
        "last = atomicInc((unsigned *)a, gridDim.x - 1) == gridDim.x - 1; } __syncthreads();\n"
        "if (last && first) for (int b = 0; b < gridDim.x; b++) a[1] += v[b];",
        r"v\[\d+\]",
        grid=4,
    ),
    "a look-back over packed states": Idiom(
        "if (first) { int tile = atomicAdd(a, 1); unsigned long long sum = 0;\n"
        "«volatile» unsigned long long *state = w;\n"
        "if (tile > 0) { state[tile] = 1ull << 32 | tile;\n"
        "for (int p = tile - 1; p >= 0; p--) { unsigned long long s; do { s = state[p]; }\n"
        "while ((s >> 32) == 0«! && *v == 0»); sum += s & 0xffffffffu;\n"
        "if (s >> 32 == 2) break; } }\n"
        "state[tile] = 2ull << 32 | (sum + tile); }",
        r"w\[\d+\]",
        grid=4,
    ),
    "a look-back in one loop": Idiom(
        "if (first) { int tile = atomicAdd(a, 1), p = tile - 1; unsigned long long sum = 0;\n"
        "volatile unsigned long long *state = w; if (tile > 0) state[tile] = 1ull << 32 | tile;\n"
        "while (p >= 0) { unsigned long long s = «state»«!w»[p]; if (s >> 32 == 0) continue;\n"
        "sum += s & 0xffffffffu; if (s >> 32 == 2) break; p--; }\n"
        "state[tile] = 2ull << 32 | (sum + tile); }",
        r"w\[\d+\]",
        grid=4,
    ),
    "a look-back over flags and sums": Idiom(
        "if (first) { int tile = atomicAdd(a, 1), sum = tile;\n"
        "if (tile > 0) { while (v[tile - 1] == 0); sum += a[8 + tile - 1]; }\n"
        "a[8 + tile] = sum; «__threadfence();» v[tile] = 1; }",
        r"a\[\d+\]",
        grid=4,
    ),
    "a look-back over flags and volatile sums": Idiom(
        "if (first) { int tile = atomicAdd(a, 1), sum = tile;\n"
        "if (tile > 0) { while (v[tile - 1] == 0); sum += v[32 + tile - 1]; }\n"
        "v[32 + tile] = sum; «__threadfence();» v[tile] = 1; }",
        r"v\[\d+\]",
        grid=4,
    ),
    "a queue whose places say that they are filled": Idiom(
        "if (first && blockIdx.x < 2) { int at = atomicAdd(a, 1); a[8 + at] = 3;\n"
        "«__threadfence();» v[at] = 1; }\n"
        "if (first && blockIdx.x > 1) { int at = atomicAdd(a + 1, 1); while (v[at] == 0);\n"
        "a[16 + at] = a[8 + at]; }",
        r"a\[\d+\]",
        grid=4,
    ),
    "workers that stay": Idiom(
        "if (first) while (true) { int at = «atomicAdd(a, 1)»«!v[0]++»; if (at >= 8) break;\n"
        "a[8 + at] = at; }",
        r"v\[0\]|a\[\d+\]",
        grid=4,
    ),
    "a ring between two blocks": Idiom(
        "if (first && blockIdx.x == 0) for (int i = 0; i < 6; i++) { while (i - v[1] == 2);\n"
        "a[i % 2] = i; «__threadfence();» v[0] = i + 1; }\n"
        "if (first && blockIdx.x == 1) for (int i = 0; i < 6; i++) { while (v[0] <= i);\n"
        "a[8] += a[i % 2]; __threadfence(); v[1] = i + 1; }",
        r"a\[[01]\]",
        grid=2,
    ),
    "a ring whose consumer fences, too": Idiom(
        "if (first && blockIdx.x == 0) for (int i = 0; i < 6; i++) { while (i - v[1] == 2);\n"
        "a[i % 2] = i; __threadfence(); v[0] = i + 1; }\n"
        "if (first && blockIdx.x == 1) for (int i = 0; i < 6; i++) { while (v[0] <= i);\n"
        "a[8] += a[i % 2]; «__threadfence();» v[1] = i + 1; }",
        r"a\[[01]\]",
        grid=2,
    ),
    "a sequence lock": Idiom(
        "if (first && blockIdx.x == 0) for (int i = 0; i < 3; i++) { v[0] = 2 * i + 1;\n"
        "«__threadfence();» v[1] = i; v[2] = i; «__threadfence();» v[0] = 2 * i + 2; }\n"
        "if (first && blockIdx.x == 1) { int begin, x, y; do { begin = v[0]; __threadfence();\n"
        "x = v[1]; y = v[2]; __threadfence(); } while (begin % 2 != 0 || v[0] != begin);\n"
        "a[0] = x - y; }",
        r"v\[[12]\]",
        grid=2,
    ),
}

BARRIERS = {
    "a barrier of flags": Idiom(
        "a[t + blockIdx.x * 32] = t; __syncthreads();\n"
        "if (first) { «__threadfence();» v[blockIdx.x] = 1; }\n"
        "if (blockIdx.x == 0) { if (t < gridDim.x) while (v[t] == 0); __syncthreads();\n"
        "if (t < gridDim.x) { __threadfence(); v[32 + t] = 1; } }\n"
        "if (first) while (v[32 + blockIdx.x] == 0); __syncthreads();\n"
        "a[128 + t + blockIdx.x * 32] = a[t + (gridDim.x - 1 - blockIdx.x) * 32];",
        r"a\[\d+\]",
        grid=3,
    ),
    "a barrier of a counter": Idiom(
        "a[8 + t + blockIdx.x * 32] = t; __syncthreads();\n"
        "if (first) { «__threadfence();» atomicAdd(a, 1);\n"
        "while (*(volatile int *)a < gridDim.x); }\n"
        "__syncthreads(); a[128 + t + blockIdx.x * 32] = a[8 + t + (2 - blockIdx.x) * 32];",
        r"a\[\d+\]",
        grid=3,
    ),
    "a barrier that turns its sense": Idiom(
        "for (int turn = 1; turn < 3; turn++) { if (first) a[8 + blockIdx.x] = turn;\n"
        "if (first) { «__threadfence();»\n"
        "if (atomicAdd(a, 1) == gridDim.x - 1) { atomicExch(a, 0);\n"
        "__threadfence(); v[0] = turn; } else while (v[0] != turn); } __syncthreads();\n"
        "if (first) a[16 + blockIdx.x] += a[8 + (blockIdx.x + 1) % gridDim.x];\n"
        "__syncthreads(); if (first) { __threadfence();\n"
        "if (atomicAdd(a + 1, 1) == gridDim.x - 1) {\n"
        "atomicExch(a + 1, 0); __threadfence(); v[1] = turn; }\n"
        "else while (v[1] != turn); } __syncthreads(); }",
        r"a\[\d+\]|v\[0\]",
        grid=3,
    ),
}
