"""NVIDIA/cuda-samples: images, filters and textures."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.kernels.published.arrays import blocks, bytes_of, normal, nothing, uniform
from tests.kernels.published.case import Run, Source, Texture, once
from tests.kernels.published.sources.samples_basics import CONCEPTS, INTRO
from tests.kernels.published.sources.samples_domains import DOMAINS

SOURCE = Source("cuda-samples", folders=("Common",))


def convolved(x: NDArray[Any], kernel: NDArray[Any], axis: int, mode: str) -> NDArray[Any]:
    """Return an image convolved along an axis, with zeros or the last pixels beyond its border."""
    radius = kernel.size // 2
    widths = [(radius, radius) if one == axis else (0, 0) for one in range(2)]
    padded = np.pad(x.astype("f8"), widths, mode=mode)  # type: ignore[call-overload]
    return np.apply_along_axis(np.convolve, axis, padded, kernel, "valid")


SEPARABLE = f"{CONCEPTS}convolutionSeparable/convolutionSeparable.cu"


@SOURCE.runs(
    SEPARABLE,
    ("convolutionRowsKernel", 1, (2, 16), (16, 4)),
    ("convolutionColumnsKernel", 0, (16, 1), (16, 8)),
)
def separable(axis: int, grid: tuple[int, int], block: tuple[int, int]) -> Run:
    x, kernel = normal(64, 256), normal(17, seed=2)
    values = {"dst": nothing(64, 256), "src": x, "w": 256, "h": 64, "pitch": 256}
    expected = {"dst": convolved(x, kernel, axis, "constant")}
    return once(grid, block, values, expected, constants={"c_Kernel": kernel})


@SOURCE.runs(
    f"{CONCEPTS}convolutionTexture/convolutionTexture.cu",
    ("convolutionRowsKernel", 1),
    ("convolutionColumnsKernel", 0),
)
def by_texture(axis: int) -> Run:
    x, kernel = normal(30, 40), normal(17, seed=2)
    values = {"dst": nothing(30, 40), "w": 40, "h": 30, "tex": Texture(x)}
    expected = {"dst": convolved(x, kernel, axis, "edge")}
    return once((3, 3), (16, 12), values, expected, constants={"c_Kernel": kernel})


BOX = f"{CONCEPTS}boxFilter/boxFilter_kernel.cu"


@SOURCE.runs(
    BOX,
    ("d_boxfilter_x_global", 1, False),
    ("d_boxfilter_y_global", 0, False),
    ("d_boxfilter_x_tex", 1, True),
    ("d_boxfilter_y_tex", 0, True),
)
def boxes(axis: int, texture: bool) -> Run:
    x, r = uniform(32, 32), 4
    values: dict[str, Any] = {} if texture else {"id": x}
    values |= {"od": nothing(32, 32), "w": 32, "h": 32, "r": r}
    values |= {"tex": Texture(x)} if texture else {}
    found = convolved(x, np.full(2 * r + 1, 1 / (2 * r + 1)), axis, "edge")
    return once(2, 16, values, {"od": found}, rtol=1e-4)


# Textures.


@SOURCE.runs(
    f"{INTRO}simplePitchLinearTexture/simplePitchLinearTexture.cu", "shiftPitchLinear", "shiftArray"
)
def shifted() -> Run:
    x = normal(32, 32)
    texture = Texture(x, address="wrap", normalized=True)
    values = {"out": nothing(32, 32), "pitch": 32, "w": 32, "h": 32, "dx": 5, "dy": 7}
    found = np.roll(x, (-7, -5), (0, 1))
    return once((2, 2), (16, 16), {**values, "tex": texture}, {"out": found})


@SOURCE.runs(f"{INTRO}simpleSurfaceWrite/simpleSurfaceWrite.cu", "surfaceWriteKernel")
def surface() -> Run:
    x = normal(32, 32)
    target = Texture(np.zeros_like(x), surface=True)
    values = {"in": x, "w": 32, "h": 32, "surface": target}
    return once((4, 4), (8, 8), values, {"surface": x})


def sampled(x: NDArray[Any], u: NDArray[Any], v: NDArray[Any]) -> NDArray[Any]:
    """Return an image between its texels, with weights of eight bits and edges that repeat."""
    rows, columns = x.shape
    u, v = u - 0.5, v - 0.5
    i, j = np.floor(u).astype(int), np.floor(v).astype(int)
    a, b = (np.floor((z - np.floor(z)) * 256 + 0.5) / 256 for z in (u, v))

    def at(dx: int, dy: int) -> NDArray[Any]:
        return x[(j + dy) % rows, (i + dx) % columns]

    upper = (1 - a) * at(0, 0) + a * at(1, 0)
    lower = (1 - a) * at(0, 1) + a * at(1, 1)
    return (1 - b) * upper + b * lower


@SOURCE.runs(f"{INTRO}simpleTexture/simpleTexture.cu", "transformKernel")
@SOURCE.runs(f"{INTRO}simpleTextureDrv/simpleTexture_kernel.cu", "transformKernel")
@SOURCE.runs(f"{INTRO}simpleSurfaceWrite/simpleSurfaceWrite.cu", "transformKernel")
def turned() -> Run:
    n, theta = 32, 0.5
    x = uniform(n, n)
    v, u = np.mgrid[:n, :n] / n - 0.5
    c, s = np.cos(theta), np.sin(theta)
    found = sampled(x, (u * c - v * s + 0.5) * n, (v * c + u * s + 0.5) * n)
    texture = Texture(x, address="wrap", linear=True, normalized=True)
    values = {"out": nothing(n, n), "w": n, "h": n, "theta": theta, "tex": texture}
    return once((4, 4), (8, 8), values, {"out": found}, rtol=1 / 128)


@SOURCE.runs(f"{INTRO}simpleLayeredTexture/simpleLayeredTexture.cu", "transformKernel")
def layers() -> Run:
    x = uniform(3, 16, 16)
    found = np.full(x.shape, np.nan)
    found[2] = 2 - x[2]
    texture = Texture(x, address="wrap", linear=True, normalized=True, flags=1)
    values = {"out": nothing(3, 16, 16), "w": 16, "h": 16, "layer": 2, "tex": texture}
    return once((2, 2), (8, 8), values, {"out": found}, rtol=1e-3)


@SOURCE.runs(f"{INTRO}simpleTexture3D/simpleTexture3D_kernel.cu", "d_render")
def slices() -> Run:
    x = bytes_of(8, 16, 16)
    texture = Texture(x, address="wrap", normalized=True, as_float=True)
    values = {"out": nothing(16, 16, of="u4"), "w": 16, "h": 16, "z": 0.55, "tex": texture}
    found = (x[4].astype("f4") / np.float32(255) * np.float32(255)).astype("u4")
    return once((2, 2), (8, 8), values, {"out": found})


# Optical flow.

FLOW = f"{DOMAINS}HSOpticalFlow/"


@SOURCE.runs(f"{FLOW}addKernel.cuh", "AddKernel")
def added() -> Run:
    a, b = normal(100), normal(100, seed=2)
    return once(2, 64, {"a": a, "b": b, "n": 100, "sum": nothing(100)}, {"sum": a + b})


@SOURCE.runs(f"{FLOW}derivativesKernel.cuh", "ComputeDerivativesKernel")
def derivatives() -> Run:
    a, b = uniform(16, 32), uniform(16, 32, seed=2)
    weights = np.array([-1, 8, 0, -8, 1]) / 12
    slopes = [sum(convolved(x, weights, axis, "symmetric") for x in (a, b)) / 2 for axis in (1, 0)]
    textures = {
        name: Texture(x, address="mirror", linear=True, normalized=True)
        for name, x in (("source", a), ("target", b))
    }
    values: dict[str, Any] = {"w": 32, "h": 16, "s": 32}
    values |= {name: nothing(16, 32) for name in ("Ix", "Iy", "Iz")} | textures
    expected = {"Ix": slopes[0], "Iy": slopes[1], "Iz": b.astype("f8") - a}
    return once((1, 2), (32, 8), values, expected, rtol=0.01)


@SOURCE.runs(f"{FLOW}solverKernel.cuh", "JacobiIteration<32, 6>")
def flow() -> Run:
    h, w, alpha = 20, 50, 0.3
    u, v, ix, iy, iz = (normal(h, w, seed=seed) for seed in range(5))

    def mean(x: NDArray[Any]) -> NDArray[Any]:
        x = np.pad(x.astype("f8"), 1, mode="edge")
        return (x[1:-1, :-2] + x[1:-1, 2:] + x[:-2, 1:-1] + x[2:, 1:-1]) / 4

    part = (ix * mean(u) + iy * mean(v) + iz) / (ix**2 + iy**2 + alpha)
    expected = {"du1": mean(u) - ix * part, "dv1": mean(v) - iy * part}
    values = {"du0": u, "dv0": v, "Ix": ix, "Iy": iy, "Iz": iz, "w": w, "h": h, "s": w}
    values |= {"alpha": alpha, "du1": nothing(h, w), "dv1": nothing(h, w)}
    return once((blocks(w, 32), blocks(h, 6)), (32, 6), values, expected)


# Edges.


def sobel(x: NDArray[Any], scale: float) -> NDArray[Any]:
    x = np.pad(x.astype("i4"), 1, mode="edge")
    right = x[:-2, 2:] + 2 * x[1:-1, 2:] + x[2:, 2:]
    left = x[:-2, :-2] + 2 * x[1:-1, :-2] + x[2:, :-2]
    upper = x[:-2, :-2] + 2 * x[:-2, 1:-1] + x[:-2, 2:]
    lower = x[2:, :-2] + 2 * x[2:, 1:-1] + x[2:, 2:]
    sums = np.float32(scale) * (np.abs(right - left) + np.abs(upper - lower))
    return np.clip(sums.astype("i4"), 0, 255)


SOBEL = f"{DOMAINS}SobelFilter/SobelFilter_kernels.cu"


@SOURCE.runs(SOBEL, ("SobelCopyImage", False), ("SobelTex", True))
def edges(filtered: bool) -> Run:
    x = bytes_of(20, 48)
    values = {"out": np.zeros_like(x), "pitch": 48, "w": 48, "h": 20, "scale": 0.25}
    found = sobel(x, 0.25) if filtered else (x * 0.25).astype("u1")
    return once(20, 32, {**values, "tex": Texture(x)}, {"out": found})


@SOURCE.runs(SOBEL, "SobelShared")
def edges_by_shared_memory() -> Run:
    x = bytes_of(16, 64)
    values = {"out": np.zeros_like(x), "pitch": np.uint16(64), "block": np.int16(16)}
    values |= {"shared": np.int16(4 * 18), "w": np.int16(64), "h": np.int16(16), "scale": 0.25}
    expected = {"out": sobel(x, 0.25)}
    values = {**values, "tex": Texture(x)}
    return once((1, 4), (16, 4), values, expected, shared=4 * 18 * 6 + 64)
