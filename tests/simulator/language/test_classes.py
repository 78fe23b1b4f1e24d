"""Classes, templates of classes, lambdas and pointers to functions mean what they do in C++.

The programs in `classes/` define `double run(int i)`; a C++ compiler of the host says what it is.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simulator
from simulator.instrument import InstrumentedModule, instrumented
from tests.simulator.cpp.test_random import compiler, needs_compiler

PROGRAMS = sorted(Path(__file__).with_name("classes").glob("*.cuh"))
COUNT = 32
KERNEL = """
extern "C" __global__ void k(double *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = run(i);
}
"""
MAIN = f"""
int main() {{
    for (int i = 0; i < {COUNT}; i++) std::printf("%a ", run(i));
}}
"""


def by_simulator(text: str, **options: object) -> np.ndarray:
    a = simulator.zeros(COUNT, "float64")
    kernel = simulator.RawKernel(text + KERNEL, "k", **options)
    kernel((2,), (COUNT // 2,), (a,))
    return a.get()


def by_compiler(text: str, folder: Path) -> np.ndarray:
    whole = f"#include <cstdio>\n#define __device__\n{text}{MAIN}"
    command = [compiler(), "-std=c++17", "-w", "-x", "c++", "-o", str(folder / "program"), "-"]
    subprocess.run(command, input=whole, text=True, check=True, capture_output=True)
    ran = subprocess.run([folder / "program"], capture_output=True, text=True, check=True)
    return np.array([float.fromhex(number) for number in ran.stdout.split()])


@needs_compiler
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_programs_compute_what_a_compiler_s_do(program: Path, tmp_path: Path) -> None:
    text = program.read_text("utf-8")
    expected = by_compiler(text, tmp_path)
    assert len(set(expected)) > COUNT // 2
    np.testing.assert_array_equal(by_simulator(text), expected)


#: Kernels whose classes, lambdas and pointers to functions reach memory: `k(a, n)`.
IN_MEMORY = {
    "packs": """
template <typename T> struct alignas(16) Pack {
    static constexpr int size = sizeof(int4) / sizeof(T);
    Pack() = default;
    __device__ explicit Pack(int4 bits) { memcpy(&payload, &bits, sizeof(bits)); }
    __device__ T &operator[](int i) { return payload[i]; }
    __device__ int4 bits() const {
        int4 found;
        memcpy(&found, &payload, sizeof(found));
        return found;
    }
    T payload[size];
};
template <typename T> __device__ Pack<T> load(const T *at) {
    return Pack<T>{*reinterpret_cast<const int4 *>(at)};
}
template <typename T> __device__ void store(T *at, Pack<T> pack) {
    *reinterpret_cast<int4 *>(at) = pack.bits();
}
extern "C" __global__ void k(float *a, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * Pack<float>::size;
    if (i >= n) return;
    Pack<float> pack = load(a + i);
    for (int j = 0; j < Pack<float>::size; j++) pack[j] = 2 * pack[j] + j;
    store(a + i, pack);
}""",
    "objects": """
struct Body {
    float place, speed;
    __device__ void move(float by) { place += speed * by; }
    __device__ float energy() const { return 0.5f * speed * speed; }
};
struct Bodies {
    Body *all;
    int count;
    __device__ Body &operator[](int i) const { return all[i]; }
    __device__ bool has(int i) const { return i < count; }
};
extern "C" __global__ void k(float *a, int n) {
    Bodies bodies{reinterpret_cast<Body *>(a), n / 2};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!bodies.has(i)) return;
    bodies[i].move(0.25f);
    Body *other = &bodies[i];
    other->speed = bodies[i].energy();
}""",
    "reductions": """
struct Sum { __device__ float operator()(float a, float b) const { return a + b; } };
template <int threads, typename F> struct Block {
    float *space;
    __device__ explicit Block(float *space) : space(space) {}
    __device__ float reduce(float value, F f) {
        space[threadIdx.x] = value;
        __syncthreads();
        for (int half = threads / 2; half > 0; half /= 2) {
            if (threadIdx.x < half)
                space[threadIdx.x] = f(space[threadIdx.x], space[threadIdx.x + half]);
            __syncthreads();
        }
        return space[0];
    }
};
extern "C" __global__ void k(float *a, int n) {
    __shared__ float space[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto at = [&](int j) -> float & { return a[j % n]; };
    float sum = Block<64, Sum>(space).reduce(at(i) * at(i + 3), Sum());
    if (threadIdx.x == 0) atomicAdd(&at(7), sum);
}""",
    "choices": """
typedef float (*Choice)(const float *, int);
__device__ float left(const float *p, int i) { return p[i > 0 ? i - 1 : 0]; }
__device__ float self(const float *p, int i) { return p[i]; }
__device__ float strided(const float *p, int i) { return p[i * 5 % 96]; }
__device__ Choice choices[] = {left, self, strided};
extern "C" __global__ void k(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Choice mine = i < 64 ? strided : choices[i % 2];
    float found = i < n ? mine(a, i) : 0;
    __syncthreads();
    if (i < n) a[i + 128] = found;
}""",
}
THREADS = (2,), (64,)
EQUAL = "load_requests store_requests load_sectors store_sectors atomic_lanes branches".split()


def start() -> np.ndarray:
    return (np.arange(256) % 17 / 4).astype(np.float32)


@pytest.mark.parametrize("name", IN_MEMORY)
def test_a_text_that_counts_by_itself_counts_the_same(name: str) -> None:
    text = IN_MEMORY[name]
    once, again = simulator.array(start()), simulator.array(start())
    with simulator.counting() as record:
        simulator.RawKernel(text, "k")(*THREADS, (once, np.int32(100)))
    made = instrumented(text)
    module = InstrumentedModule(simulator, simulator.RawModule(code=made.text), made)
    module.get_function("k")(*THREADS, (again, np.int32(100)))
    ours, theirs = record.launches[0].counters, module.launches[0].counters
    np.testing.assert_array_equal(once.get(), again.get())
    assert ours.load_sectors > 0
    assert [getattr(ours, n) for n in EQUAL] == [getattr(theirs, n) for n in EQUAL]


@pytest.mark.parametrize("name", IN_MEMORY)
def test_objects_in_memory_are_what_python_says(name: str) -> None:
    found = simulator.array(start())
    simulator.RawKernel(IN_MEMORY[name], "k")(*THREADS, (found, np.int32(100)))
    np.testing.assert_allclose(found.get(), by_python(name, start(), 100), rtol=1e-5)


def test_objects_that_functions_return_are_not_read_for_nothing() -> None:
    text = """
struct P {
    float x;
    __device__ P &operator+=(float v) { x += v; return *this; }
    __device__ P &twice() { x *= 2; return *this; }
};
extern "C" __global__ void k(P *a) {
    a[threadIdx.x] += 1.0f;
    a[threadIdx.x].twice().twice();
    for (int i = 0; i < 2; a[threadIdx.x] += 2.0f) i++;
}"""
    a = simulator.zeros(32, "float32")
    with simulator.counting() as record:
        simulator.RawKernel(text, "k")((1,), (32,), (a,))
    counters = record.launches[0].counters
    assert (counters.load_requests, counters.store_requests) == (5, 5)
    assert a.get().tolist() == [8] * 32


def by_python(name: str, a: np.ndarray, n: int) -> np.ndarray:
    if name == "packs":
        a[:n] = 2 * a[:n] + np.arange(n) % 4
    elif name == "objects":
        place, speed = a[0:n:2], a[1:n:2]
        place += speed * np.float32(0.25)
        speed[:] = np.float32(0.5) * speed * speed
    elif name == "reductions":
        i = np.arange(128)
        a[7] += (a[i % n] * a[(i + 3) % n]).sum()
    else:
        i = np.arange(n)
        left = a[np.maximum(i - 1, 0)]
        mine = np.where(i < 64, a[i * 5 % 96], np.where(i % 2 == 0, left, a[i]))
        a[128 : 128 + n] = mine
    return a


def on_a_gpu() -> Any:
    cupy = pytest.importorskip("cupy")
    if not cupy.cuda.is_available():
        pytest.skip("there is no GPU")
    return cupy


@pytest.mark.gpu
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_a_gpu_computes_the_same(program: Path) -> None:
    cupy = on_a_gpu()
    text = program.read_text("utf-8")
    a = cupy.zeros(COUNT)
    kernel = cupy.RawKernel(text + KERNEL, "k", options=("-std=c++17", "--fmad=false"))
    kernel((2,), (COUNT // 2,), (a,))
    np.testing.assert_array_equal(a.get(), by_simulator(text))


@pytest.mark.gpu
@pytest.mark.parametrize("name", IN_MEMORY)
def test_a_gpu_counts_the_same(name: str) -> None:
    cupy = on_a_gpu()
    ours, theirs = simulator.array(start()), cupy.array(start())
    with simulator.counting() as record:
        simulator.RawKernel(IN_MEMORY[name], "k")(*THREADS, (ours, np.int32(100)))
    made = instrumented(IN_MEMORY[name])
    raw = cupy.RawModule(code=made.text, options=("-std=c++17", "--fmad=false"))
    module = InstrumentedModule(cupy, raw, made)
    module.get_function("k")(*THREADS, (theirs, np.int32(100)))
    np.testing.assert_allclose(ours.get(), theirs.get(), rtol=1e-5)
    a, b = record.launches[0].counters, module.launches[0].counters
    assert [getattr(a, n) for n in EQUAL] == [getattr(b, n) for n in EQUAL]
