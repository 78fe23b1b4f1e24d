"""NVIDIA/cuda-samples: finance, bodies, transforms, random numbers, waves."""

from __future__ import annotations

from math import erf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.kernels.harnesses import hits
from tests.kernels.published.arrays import blocks, integers, normal, nothing, uniform
from tests.kernels.published.case import Launch, Run, Source, once
from tests.kernels.published.sources.samples_basics import CONCEPTS, LIBRARIES

SOURCE = Source("cuda-samples", folders=("Common",))
DOMAINS = "Samples/5_Domain_Specific/"
cumulative = np.vectorize(lambda x: (1 + erf(x / np.sqrt(2))) / 2)

# Finance.


@SOURCE.runs(f"{DOMAINS}BlackScholes/BlackScholes_kernel.cuh", "BlackScholesGPU")
@SOURCE.runs(f"{DOMAINS}BlackScholes_nvrtc/BlackScholes_kernel.cuh", "BlackScholesGPU")
def options() -> Run:
    n, rate, volatility = 400, 0.02, 0.3
    price, strike = 5 + 25 * uniform(n), 1 + 99 * uniform(n, seed=2)
    years = np.float32(0.25) + 9 * uniform(n, seed=3)
    s, x, t = (array.astype("f8") for array in (price, strike, years))
    d1 = (np.log(s / x) + (rate + volatility**2 / 2) * t) / (volatility * np.sqrt(t))
    d2 = d1 - volatility * np.sqrt(t)
    call = s * cumulative(d1) - x * np.exp(-rate * t) * cumulative(d2)
    put = x * np.exp(-rate * t) * cumulative(-d2) - s * cumulative(-d1)
    values = {"call": nothing(n), "put": nothing(n), "price": price, "strike": strike}
    values |= {"years": years, "rate": rate, "volatility": volatility, "n": n}
    return once(blocks(n // 2, 128), 128, values, {"call": call, "put": put}, rtol=1e-4)


# Bodies.


@SOURCE.runs(
    f"{DOMAINS}nbody/bodysystemcuda.cu",
    ("integrateBodies<float>", "f4"),
    ("integrateBodies<double>", "f8"),
)
@SOURCE.runs(
    "Samples/8_Platform_Specific/Tegra/nbody_opengles/bodysystemcuda.cu",
    ("integrateBodies<float>", "f4"),
)
def bodies(of: str) -> Run:
    n, step, damping, soft = 128, 0.01, 0.9, 0.1
    old, velocity = normal(n, 4).astype(of), normal(n, 4, seed=2).astype(of)
    old[:, 3] = np.abs(old[:, 3])
    apart = old[None, :, :3].astype("f8") - old[:, None, :3]
    distance = ((apart**2).sum(-1) + soft) ** 1.5
    pull = (apart * (old[:, 3] / distance)[..., None]).sum(1)
    after = velocity.astype("f8")
    after[:, :3] = (after[:, :3] + pull * step) * damping
    new = old.astype("f8")
    new[:, :3] += after[:, :3] * step
    name = "softeningSquared" + ("_fp64" if of == "f8" else "")
    values = {"new": nothing(n, 4, of=of), "old": old, "vel": velocity, "offset": 0, "n": n}
    values |= {"step": step, "damping": damping, "tiles": 2}
    constants = {name: np.array([soft], of)}
    expected = {"new": new, "vel": after}
    return once(2, 64, values, expected, shared=64 * 32, constants=constants, rtol=1e-4)


# Transforms.


def walsh(x: NDArray[Any], strides: list[int]) -> NDArray[Any]:
    """Return the butterflies of some strides of each row."""
    x = x.astype("f8")
    for stride in strides:
        pairs = x.reshape(x.shape[0], -1, 2, stride)
        sums = [pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]]
        x = np.stack(sums, 2).reshape(x.shape)
    return x


WALSH = f"{DOMAINS}fastWalshTransform/fastWalshTransform_kernel.cuh"


@SOURCE.runs(WALSH, ("fwtBatch1Kernel", 8), ("fwtBatch1Kernel", 9))
def walsh_rows(log: int) -> Run:
    n = 2**log
    x = normal(3, n)
    values = {"out": nothing(3, n), "in": x, "log": log}
    found = walsh(x, [2**e for e in reversed(range(log))])
    return once(3, n // 4, values, {"out": found}, shared=4 * n)


@SOURCE.runs(WALSH, "fwtBatch2Kernel")
def walsh_pass() -> Run:
    n = 1024
    x = normal(2, n)
    values = {"out": nothing(2, n), "in": x, "stride": n // 4}
    return once((4, 2), 64, values, {"out": walsh(x, [n // 2, n // 4])})


@SOURCE.runs(WALSH, "modulateKernel")
def modulated() -> Run:
    a, b = normal(200), normal(200, seed=2)
    return once(2, 64, {"a": a, "b": b, "n": 200}, {"a": a.astype("f8") * b / 200})


HAAR = f"{DOMAINS}dwtHaar1D/dwtHaar1D_kernel.cuh"


@SOURCE.runs(HAAR, "initValue")
def filled() -> Run:
    return once(2, 64, {"x": nothing(128), "value": 0.5}, {"x": np.full(128, 0.5)})


@SOURCE.runs(
    HAAR,
    "dwtHaar1D",
    defines=["INV_SQRT_2=0.70710678118654752440f", "LOG_NUM_BANKS=4", "NUM_BANKS=16"],
)
def wavelets() -> Run:
    n, levels = 256, 7
    x = normal(2, n // 2)
    found = np.full(n, np.nan)
    left = x.astype("f8")
    for level in range(levels):
        half = n >> (level + 1)
        found[half : 2 * half] = ((left[:, ::2] - left[:, 1::2]) / np.sqrt(2)).ravel()
        left = (left[:, ::2] + left[:, 1::2]) / np.sqrt(2)
    values = {"id": x, "od": nothing(n), "approx": nothing(2), "levels": levels}
    values |= {"half": n // 2, "bdim": n // 4}
    expected = {"od": found, "approx": left[:, 0]}
    return once(2, n // 4, values, expected, shared=4 * (n // 2 + n // 16))


FFT = f"{DOMAINS}convolutionFFT2D/convolutionFFT2D.cuh"
LOADED = {"#define USE_TEXTURE  1": "#define USE_TEXTURE 0"}


@SOURCE.runs(FFT, "padKernel_kernel", replaced=LOADED)
def padded_kernel() -> Run:
    kernel, found = normal(5, 7), np.zeros((32, 32))
    found[:5, :7] = kernel
    found = np.roll(found, (-3, -2), (0, 1))
    values = {"dst": np.zeros((32, 32), "f4"), "src": kernel, "fftH": 32, "fftW": 32}
    values |= {"kernelH": 5, "kernelW": 7, "kernelY": 3, "kernelX": 2}
    return once((1, 1), (16, 16), values, {"dst": found})


@SOURCE.runs(FFT, "padDataClampToBorder_kernel", replaced=LOADED)
def padded_data() -> Run:
    x = normal(20, 22)
    rows = np.concatenate([np.arange(20), [19] * 3, [0] * 9])
    columns = np.concatenate([np.arange(22), [21] * 2, [0] * 8])
    values = {"dst": nothing(32, 32), "src": x, "fftH": 32, "fftW": 32, "dataH": 20, "dataW": 22}
    values |= {"kernelH": 5, "kernelW": 7, "kernelY": 3, "kernelX": 2}
    return once((2, 2), (16, 16), values, {"dst": x[np.ix_(rows, columns)]})


@SOURCE.runs(FFT, "modulateAndNormalize_kernel", replaced=LOADED)
def normalised() -> Run:
    a, b = ((x := normal(100, 2, seed=seed))[:, 0] + 1j * x[:, 1] for seed in (1, 2))
    a, b = a.astype("c8"), b.astype("c8")
    values = {"dst": a.view("f4"), "src": b.view("f4"), "size": 100, "c": 0.25}
    return once(2, 64, values, {"dst": (a * b / 4).view("f4")})


# Waves.


def waves(side: int, time: float) -> tuple[Any, Any, Any]:
    v, u = 2 * np.mgrid[:side, :side] / side - 1
    return u, np.sin(4 * u + time) * np.cos(4 * v + time) / 2, v


@SOURCE.runs(f"{DOMAINS}simpleGL/simpleGL.cu", "simple_vbo_kernel")
@SOURCE.runs("Samples/8_Platform_Specific/Tegra/simpleGLES/simpleGLES.cu", "simple_vbo_kernel")
@SOURCE.runs(
    "Samples/8_Platform_Specific/Tegra/simpleGLES_EGLOutput/simpleGLES_EGLOutput.cu",
    "simple_vbo_kernel",
)
def vertices() -> Run:
    u, w, v = waves(32, 0.5)
    values = {"pos": nothing(32, 32, 4), "width": 32, "height": 32, "time": 0.5}
    return once((4, 4), (8, 8), values, {"pos": np.stack([u, w, v, np.ones_like(u)], -1)})


@SOURCE.runs(f"{DOMAINS}simpleVulkan/SineWaveSimulation.cu", "sinewave")
def heights() -> Run:
    values = {"map": nothing(32, 32), "width": 32, "height": 32, "time": 0.5}
    return once(3, 64, values, {"map": waves(32, 0.5)[1]})


OCEAN = f"{LIBRARIES}oceanFFT/oceanFFT_kernel.cu"


@SOURCE.runs(OCEAN, ("updateHeightmapKernel", 0), ("updateHeightmapKernel_y", 1))
def ocean(part: int) -> Run:
    x = normal(16, 16, 2)
    signs = 1 - 2 * (np.indices((16, 16)).sum(0) % 2)
    values = {"map": nothing(16, 16), "ht": x, "width": 16}
    return once((2, 2), (8, 8), values, {"map": x[..., part] * signs})


@SOURCE.runs(OCEAN, "calculateSlopeKernel")
def slopes() -> Run:
    h, found = normal(16, 16), np.zeros((16, 16, 2))
    found[1:-1, 1:-1, 0] = h[1:-1, 2:] - h[1:-1, :-2]
    found[1:-1, 1:-1, 1] = h[2:, 1:-1] - h[:-2, 1:-1]
    values = {"h": h, "slope": nothing(16, 16, 2), "width": 16, "height": 16}
    return once((2, 2), (8, 8), values, {"slope": found})


@SOURCE.runs(OCEAN, "generateSpectrumKernel")
def spectrum() -> Run:
    n, time, patch = 16, 0.5, 100.0
    h0 = normal(n + 1, n + 4, 2)
    waves = h0[..., 0] + 1j * h0[..., 1].astype("f8")
    y, x = np.mgrid[:n, :n]
    length = np.hypot(x - n / 2, y - n / 2) * 2 * np.pi / patch
    turn = np.exp(1j * np.sqrt(9.81 * length) * time)
    found = waves[y, x] * turn + waves[n - y, n - x].conj() / turn
    values = {"h0": h0, "ht": nothing(n, n, 2), "in_width": n + 4, "w": n, "h": n, "t": time}
    expected = np.stack([found.real, found.imag], -1)
    return once((2, 2), (8, 8), {**values, "patch": patch}, {"ht": expected}, rtol=1e-4)


@SOURCE.runs(f"{DOMAINS}FDTD3d/inc/FDTD3dGPUKernel.cuh", "FiniteDifferencesKernel")
def differences() -> Run:
    r, nz, ny, nx = 4, 6, 16, 32
    x = normal(nz + 2 * r, ny + 2 * r, nx + 2 * r)
    weights = np.float32([0.5, 0.2, 0.1, 0.05, 0.02])
    found = np.full(x.shape, np.nan)
    inner = tuple(slice(r, -r) for _ in range(3))
    found[inner] = weights[0] * x[inner]
    for i in range(1, r + 1):
        for axis in range(3):
            for step in (i, -i):
                found[inner] += weights[i] * np.roll(x, step, axis)[inner]
    values = {"out": nothing(*x.shape), "in": x, "x": nx, "y": ny, "z": nz}
    return once((1, 1), (32, 16), values, {"out": found}, constants={"stencil": weights})


# Random numbers.

PI = f"{CONCEPTS}MC_EstimatePiInlineP/src/piestimator.cu"


@SOURCE.runs(PI, "initRNG", "computeValue<float>")
def quarter_circle() -> Run:
    threads, draws = 128, 5
    values = {"states": np.zeros(48 * threads, "u1"), "results": nothing(2, of="u4")}
    launches = [
        Launch(2, 64, "initRNG", ["states", 9]),
        Launch(2, 64, "computeValue<float>", ["results", "states", threads * draws], 256),
    ]
    found = np.full(2, np.nan)
    run = Run(launches, values, {"results": found})
    run.expected = {"results": inside(9, threads, draws).reshape(2, -1).sum(1)}
    return run


def inside(seed: int, threads: int, draws: int) -> NDArray[Any]:
    """Return how many points of each subsequence of XORWOW are in the quarter circle."""
    import simulator

    code = """#include <curand_kernel.h>
    extern "C" __global__ void draw(unsigned *out, int seed, int n) {
      curandState s;
      curand_init(seed, threadIdx.x, 0, &s);
      for (int i = 0; i < n; i++) out[threadIdx.x * n + i] = curand(&s);
    }"""
    out = simulator.zeros((threads, 2 * draws), "uint32")
    simulator.RawKernel(code, "draw")((1,), (threads,), (out, np.int32(seed), np.int32(2 * draws)))
    return hits(out.get())


@SOURCE.runs(
    f"{CONCEPTS}MC_EstimatePiP/src/piestimator.cu",
    ("computeValue<float>", "f4"),
    ("computeValue<double>", "f8"),
)
@SOURCE.runs(f"{CONCEPTS}MC_EstimatePiQ/src/piestimator.cu", ("computeValue<float>", "f4"))
def given_points(of: str) -> Run:
    n = 500
    points = uniform(2, n).astype(of)
    found = np.append((points**2).sum(0) < 1, np.zeros(12)).reshape(-1, 2, 64).sum((0, 2))
    values = {"results": nothing(2, of="u4"), "points": points, "n": n}
    return once(2, 64, values, {"results": found}, shared=256)


QUASI = f"{DOMAINS}quasirandomGenerator"


@SOURCE.runs(f"{QUASI}/quasirandomGenerator_kernel.cu", "quasirandomGeneratorKernel")
@SOURCE.runs(f"{QUASI}_nvrtc/quasirandomGenerator_kernel.cu", "quasirandomGeneratorKernel")
def quasirandom() -> Run:
    n, seed = 100, 5
    table = integers(2**31, 3, 31, of="uint32")
    bits = (np.arange(seed, seed + n)[:, None] >> np.arange(31)) & 1
    found = np.bitwise_xor.reduce(table[:, None] * bits.astype("u4"), 2)
    scale = np.float32(1 / 0x80000001)
    values = {"out": nothing(3, n), "seed": seed, "n": n}
    expected = {"out": (found + 1).astype("f8") * scale}
    return once(2, (32, 3), values, expected, constants={"c_Table": table})


@SOURCE.runs(f"{DOMAINS}SobolQRNG/sobol_gpu.cu", "sobolGPU_kernel")
def sobol() -> Run:
    n, dimensions = 200, 3
    directions = integers(2**32, dimensions, 32, of="uint32")
    i = np.arange(n)
    bits = ((i ^ (i >> 1))[:, None] >> np.arange(32)) & 1
    found = np.bitwise_xor.reduce(directions[:, None] * bits.astype("u4"), 2)
    values = {"n": n, "dimensions": dimensions, "directions": directions}
    values["out"] = nothing(dimensions, n)
    return once((1, dimensions), 64, values, {"out": found * 2.0**-32})


@SOURCE.runs(f"{DOMAINS}recursiveGaussian/recursiveGaussian_kernel.cuh", "d_transpose")
def transposed() -> Run:
    x = integers(2**32, 40, 50, of="uint32")
    values = {"out": nothing(50, 40, of="u4"), "in": x, "width": 50, "height": 40}
    return once((4, 3), (16, 16), values, {"out": x.T})
