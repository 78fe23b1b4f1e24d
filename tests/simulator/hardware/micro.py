"""Launches that are small enough to know by hand, and that an H200's Nsight Compute has counted.

`python -m tests.simulator.hardware.record FILE` runs them on a GPU under Nsight Compute, and
`test_micro` holds the simulator to what it wrote. Each kernel is `NAME(float *a, float *b)`.
"""

from __future__ import annotations

from dataclasses import dataclass

#: Bytes of each of the two arrays.
BYTES = 1 << 16


@dataclass(frozen=True)
class Micro:
    """A kernel, called by its name, and how many threads its one block has."""

    name: str
    text: str
    threads: int = 64

    @property
    def code(self) -> str:
        """The program."""
        return HEADERS + self.text.replace("KERNEL", f'extern "C" __global__ void {self.name}')


HEADERS = """
#include <cuda_fp16.h>
#include <cuda_bf16.h>
"""
_CLASSES = """
struct Body {
    float place, speed;
    __device__ void move() { place += speed; }
};
struct Heavy : Body {
    float mass;
    __device__ float energy() const { return mass * speed; }
};
template <typename T> struct alignas(16) Pack {
    T values[16 / sizeof(T)];
    __device__ T &operator[](int i) { return values[i]; }
};
struct View {
    float *at;
    int step;
    __device__ float &operator[](int i) const { return at[i * step]; }
};
"""
_BITS = """
union Bits { float f; unsigned u; unsigned char c[4]; };
union Vector { uint4 all; unsigned char c[16]; float f[4]; };
union Rows { float f[8]; float4 q[2]; };
union Three { float f[3]; int i; };
struct Flags { unsigned low : 5, high : 3, rest : 24; };
struct Bytes { unsigned a : 8, b : 8, c : 16; };
struct Mixed { long long big : 40; int small : 20; char c; };
struct Base { float x; char c; __device__ Base() {} };
struct Derived : Base { char d; float y; };
"""
_T = "int t = threadIdx.x;"
_POINTERS = """
typedef float (*Choice)(const float *, int);
__device__ float self(const float *p, int i) { return p[i]; }
__device__ float far(const float *p, int i) { return p[16 * i]; }
"""

MICROS = (
    Micro("half_row", f"KERNEL(float *a, float *b) {{ {_T} ((half *)b)[t] = ((half *)a)[t]; }}"),
    Micro(
        "half_stride", f"KERNEL(float *a, float *b) {{ {_T} ((half *)b)[t] = ((half *)a)[9 * t]; }}"
    ),
    Micro(
        "half_sum",
        f"KERNEL(float *a, float *b) {{ {_T} half *x = (half *)a; "
        "((half *)b)[t] = __hadd(x[t], x[t + 1]); }",
    ),
    Micro(
        "half_pair", f"KERNEL(float *a, float *b) {{ {_T} ((half2 *)b)[t] = ((half2 *)a)[t + 1]; }}"
    ),
    Micro(
        "bfloat_row",
        f"KERNEL(float *a, float *b) {{ {_T} "
        "((__nv_bfloat16 *)b)[2 * t] = ((__nv_bfloat16 *)a)[t]; }",
    ),
    Micro("objects", _CLASSES + f"KERNEL(float *a, float *b) {{ {_T} ((Body *)a)[t].move(); }}"),
    Micro(
        "heirs",
        _CLASSES + f"KERNEL(float *a, float *b) {{ {_T} Heavy *h = (Heavy *)a; "
        "b[t] = h[t].energy(); h[t].move(); }",
    ),
    Micro(
        "packs",
        _CLASSES + f"KERNEL(float *a, float *b) {{ {_T} auto p = ((Pack<float> *)a)[t]; "
        "for (float &x : p.values) x *= 2; ((Pack<float> *)b)[t] = p; }",
    ),
    Micro(
        "view",
        _CLASSES + f"KERNEL(float *a, float *b) {{ {_T} View v{{a, 3}}; v[t] += v[t + 64]; }}",
    ),
    Micro(
        "closure",
        f"KERNEL(float *a, float *b) {{ {_T} "
        "auto at = [&](int i) -> float & { return a[5 * i]; }; b[t] = at(t) + at(t + 1); }",
    ),
    Micro(
        "pointers",
        _POINTERS + f"KERNEL(float *a, float *b) {{ {_T} Choice f = t < 32 ? self : far; "
        "b[t] = f(a, t); }",
    ),
    Micro(
        "copies",
        f"KERNEL(float *a, float *b) {{ {_T} "
        "memcpy((float4 *)b + t, (const float4 *)a + 2 * t, 16); }",
    ),
    Micro(
        "taken",
        f"KERNEL(float *a, float *b) {{ {_T} float4 v; memcpy(&v, (float4 *)a + t, 16); "
        "b[t] = v.x + v.y + v.z + v.w; }",
    ),
    Micro("zeroed", f"KERNEL(float *a, float *b) {{ {_T} memset((float4 *)b + t, 0, 16); }}"),
    Micro(
        "rows",
        f"KERNEL(float *a, float *b) {{ {_T} __shared__ float tile[32][33]; "
        "auto &row = tile[t / 32]; row[t % 32] = a[t]; __syncthreads(); "
        "float sum = 0; for (float x : row) sum += x; b[t] = sum; }",
    ),
    Micro(
        "bit_fields",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} Flags *p = (Flags *)a; "
        "p[t].high = t; b[t] = p[t + 64].low; }",
    ),
    Micro("bit_bytes", _BITS + f"KERNEL(float *a, float *b) {{ {_T} ((Bytes *)a)[t].b = t; }}"),
    Micro(
        "bit_units",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} Mixed *p = (Mixed *)a; "
        "p[t].big = t; p[t + 64].small = t; }",
    ),
    Micro(
        "bit_shared",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} __shared__ Flags s[64]; "
        "s[t].rest = t; __syncthreads(); b[t] = s[t ^ 1].rest; }",
    ),
    Micro(
        "bit_copies",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} Flags f = ((Flags *)a)[t]; f.low += 3; "
        "((Flags *)b)[t] = f; }",
    ),
    Micro(
        "unions",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} Bits u; u.f = a[t]; u.u ^= 5; u.c[1] = t; "
        "b[t] = u.f; }",
    ),
    Micro(
        "union_whole",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} Vector v = ((Vector *)a)[t]; "
        "v.c[3] += t; ((Vector *)b)[t] = v; }",
    ),
    Micro(
        "union_rows",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} Rows r = ((Rows *)a)[t]; "
        "((Rows *)b)[t] = r; }",
    ),
    Micro(
        "union_words",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} Three r = ((Three *)a)[t]; "
        "((Three *)b)[t] = r; }",
    ),
    Micro(
        "union_bytes",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} ((Bits *)b)[t].c[2] = ((Bits *)a)[t].c[1]; }}",
    ),
    Micro(
        "shared_padding",
        _BITS + f"KERNEL(float *a, float *b) {{ {_T} Derived *p = (Derived *)a; "
        "p[t].d = p[t + 64].c; p[t].y = 1; }",
    ),
    Micro(
        "static_variable",
        f"KERNEL(float *a, float *b) {{ {_T} static float v[64]; v[t ^ 1] = a[t]; b[t] = v[t]; }}",
    ),
    Micro(
        "assembly",
        f"KERNEL(float *a, float *b) {{ {_T} float x, y; "
        'asm volatile("ld.global.cg.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "l"(a + 4 * t)); '
        'asm volatile("st.global.f32 [%0], %1;" :: "l"(b + t), "f"(x + y)); '
        'asm volatile("red.global.add.f32 [%0], %1;" :: "l"(b + 256), "f"(x)); }',
    ),
)
