"""Teaching cases over arrays and grids: vectors, matrices, stencils, bodies."""

from __future__ import annotations

import numpy as np

from tests.teaching.case import Arrays, Case, Launch, blocks, floats


def _vector_add(kernel: str, grid: int, n: int = 1000) -> Case:
    return Case(
        kernel,
        "vector_add.cu",
        (Launch(kernel, grid, 128, ("a", "b", "c", n)),),
        lambda rng: {"a": floats(rng, n), "b": floats(rng, n), "c": np.zeros(n, np.float32)},
        lambda a: {"c": a["a"] + a["b"]},
    )


def _matmul(kernel: str, rows: int, inner: int, columns: int, tile: int = 8) -> Case:
    grid = (blocks(columns, tile), blocks(rows, tile))
    return Case(
        f"{kernel} {rows}x{inner}x{columns} by {tile}",
        "matmul.cu",
        (Launch(kernel, grid, (tile, tile), ("a", "b", "c", rows, inner, columns)),),
        lambda rng: {
            "a": floats(rng, rows, inner),
            "b": floats(rng, inner, columns),
            "c": np.zeros((rows, columns), np.float32),
        },
        lambda a: {"c": a["a"].astype(float) @ a["b"].astype(float)},
        tolerance=1e-5,
        options=(f"-DTILE={tile}",),
    )


def _transpose(kernel: str, rows: int, columns: int) -> Case:
    grid = (blocks(columns, 32), blocks(rows, 32))
    return Case(
        f"{kernel} {rows}x{columns}",
        "transpose.cu",
        (Launch(kernel, grid, (32, 8), ("in", "out", rows, columns)),),
        lambda rng: {
            "in": floats(rng, rows, columns),
            "out": np.zeros((columns, rows), np.float32),
        },
        lambda a: {"out": a["in"].T},
    )


def _stencil_1d(n: int = 300, block: int = 64, radius: int = 3) -> Case:
    launch = Launch("stencil_1d", blocks(n, block), block, ("in", "out", n), 4 * (block + 6))
    window = np.ones(2 * radius + 1)
    return Case(
        "stencil_1d",
        "stencil.cu",
        (launch,),
        lambda rng: {"in": floats(rng, n), "out": np.zeros(n, np.float32)},
        lambda a: {"out": np.convolve(a["in"], window, "same") / window.size},
        tolerance=1e-6,
    )


def _heat(a: Arrays) -> Arrays:
    plate = np.pad(a["in"].astype(float), 1)
    around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
    return {"out": a["in"] + 0.1 * (around - 4 * a["in"])}


def _stencil_2d(height: int = 37, width: int = 29) -> Case:
    grid = (blocks(width, 16), blocks(height, 16))
    return Case(
        "stencil_2d",
        "stencil.cu",
        (Launch("stencil_2d", grid, (16, 16), ("in", "out", height, width, 0.1)),),
        lambda rng: {"in": floats(rng, height, width), "out": np.zeros((height, width), "f")},
        _heat,
        tolerance=1e-6,
    )


def _blurred(a: Arrays) -> Arrays:
    """Past the ends of rows stand zeros, past those of columns the first and last rows."""
    weights, radius = a["weights"].astype(float), a["weights"].size // 2
    gain = float(a["gain"][0]) if "gain" in a else 1.0
    rows = np.pad(a["in"].astype(float), ((0, 0), (radius, radius)))
    half = gain * np.apply_along_axis(np.convolve, 1, rows, weights[::-1], "valid")
    columns = np.pad(half, ((radius, radius), (0, 0)), "edge")
    out = gain * np.apply_along_axis(np.convolve, 0, columns, weights[::-1], "valid")
    return {"half": half, "out": out}


def _convolution(name: str, gains: Arrays, height: int = 20, width: int = 33) -> Case:
    grid = (blocks(width, 16), blocks(height, 8))
    passes = (("convolve_rows", "in", "half"), ("convolve_columns", "half", "out"))
    return Case(
        name,
        "convolution.cu",
        tuple(Launch(k, grid, (16, 8), (a, b, height, width)) for k, a, b in passes),
        lambda rng: {
            "in": floats(rng, height, width),
            "half": np.zeros((height, width), np.float32),
            "out": np.zeros((height, width), np.float32),
            "weights": floats(rng, 9),
            **gains,
        },
        _blurred,
        tolerance=1e-5,
        constants=("weights", *gains),
    )


def _attracted(a: Arrays) -> Arrays:
    place, mass = a["bodies"][:, :3].astype(float), a["bodies"][:, 3]
    way = place[None, :] - place[:, None]
    square = (way**2).sum(2) + 0.01
    return {"out": (way * (mass / square**1.5)[:, :, None]).sum(1)}


def _nbody(n: int = 70) -> Case:
    return Case(
        "nbody",
        "nbody.cu",
        (Launch("accelerations", blocks(n, 32), 32, ("bodies", "out", n)),),
        lambda rng: {"bodies": abs(floats(rng, n, 4)), "out": np.zeros((n, 3), np.float32)},
        _attracted,
        tolerance=1e-3,
    )


CASES = [
    _vector_add("vector_add", 8),
    _vector_add("vector_add_strided", 3),
    _matmul("matmul_naive", 19, 21, 13),
    _matmul("matmul_tiled", 24, 16, 32),
    _matmul("matmul_tiled", 19, 21, 13),
    _matmul("matmul_tiled", 19, 21, 13, tile=16),
    *(
        _transpose(f"transpose_{version}", *size)
        for version in ("naive", "tiled", "padded")
        for size in ((64, 32), (45, 70))
    ),
    _stencil_1d(),
    _stencil_2d(),
    _convolution("convolution", {}),
    _convolution("convolution with gain", {"gain": np.array([0.5], np.float32)}),
    _nbody(),
]
