"""Signals: rapidsai/cusignal, and what cupyx.scipy.signal of cupy/cupy has of the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from tests.kernels.published.arrays import blocks, integers, normal, nothing
from tests.kernels.published.case import Run, Source, once

CUSIGNAL = Source("cusignal")
CUPY = Source("cupy")

REALS = ("int32", "int64", "float32", "float64")
COMPLEX = ("complex64", "complex128")
CONVOLUTION = "cpp/src/convolution/_convolution.cu"
FILTERS = "cpp/src/filtering/"


def made(of: str, *shape: int, seed: int = 1) -> NDArray[Any]:
    """Return numbers of a type."""
    if of.startswith(("int", "uint")):
        return integers(20, *shape, of=of, seed=seed) - 10 * (of[0] == "i")
    x = normal(*shape, seed=seed)
    if of in COMPLEX:
        return (x + 1j * normal(*shape, seed=seed + 10)).astype(of)
    return x.astype(of)


def typed(name: str, types: Iterable[str] = (*REALS, *COMPLEX), *given: Any) -> list[Any]:
    """Return an entry for each type."""
    return [(f"{name}_{of}", of, *given) for of in types]


# Convolutions.


@CUSIGNAL.runs(
    CONVOLUTION,
    *typed("_cupy_convolve", (*REALS, *COMPLEX), "valid"),
    *typed("_cupy_convolve", ("float32",), "same"),
    *typed("_cupy_convolve", ("float32", "complex64"), "full"),
)
def convolved(of: str, mode: str) -> Run:
    return filtered(of, mode, lambda x, kernel: np.convolve(x, kernel, mode))


@CUSIGNAL.runs(
    CONVOLUTION,
    *typed("_cupy_correlate", (*REALS, *COMPLEX), "valid"),
    *typed("_cupy_correlate", ("float32",), "same"),
    *typed("_cupy_correlate", ("float32", "complex64"), "full"),
)
def correlated(of: str, mode: str) -> Run:
    return filtered(of, mode, lambda x, kernel: np.convolve(x, kernel[::-1], mode))


def filtered(of: str, mode: str, by: Any) -> Run:
    x, kernel = made(of, 200), made(of, 9, seed=2)
    out = by(x, kernel)
    number = ["valid", "same", "full"].index(mode)
    values = {"inp": x, "inpW": x.size, "kernel": kernel, "kerW": kernel.size, "mode": number}
    values |= {"swapped": False, "out": np.zeros_like(out), "outW": out.size}
    return once(2, 64, values, {"out": out})


@CUSIGNAL.runs(
    CONVOLUTION,
    *typed("_cupy_convolve2D", (*REALS, *COMPLEX), -1, (5, 5)),
    *typed("_cupy_convolve2D", ("float32",), -1, (4, 4)),
    *typed("_cupy_convolve2D", ("float32",), -1, (3, 6)),
    *typed("_cupy_correlate2D", (*REALS, *COMPLEX), 1, (5, 5)),
    *typed("_cupy_correlate2D", ("float32",), 1, (4, 4)),
    *typed("_cupy_correlate2D", ("float32",), 1, (3, 6)),
)
def planes(of: str, direction: int, size: tuple[int, int]) -> Run:
    x, kernel = made(of, 20, 25), made(of, *size, seed=2)
    out = np.einsum("ijkl,kl->ij", sliding_window_view(x, size), kernel[::direction, ::direction])
    rows, columns = out.shape
    pick = 3 if size[0] != size[1] else 1 if size[0] % 2 else 2
    s0, s1 = size if pick == 3 else (size[0] // 2, size[1] // 2)
    values = {"inp": x, "inpW": 25, "inpH": 20, "kernel": kernel}
    values |= {"kerW": size[0], "kerH": size[1], "S0": s0, "S1": s1}
    values |= {"out": np.zeros_like(out), "outW": columns, "outH": rows, "pick": pick}
    return once((blocks(columns, 16), blocks(rows, 16)), (16, 16), values, {"out": out})


@CUSIGNAL.runs(CONVOLUTION, *typed("_cupy_convolve1D2O"))
def second_order(of: str) -> Run:
    x, kernel = made(of, 100), made(of, 5, 5, seed=2)
    windows = sliding_window_view(x, 5)[:, ::-1]
    out = np.einsum("ni,nj,ij->n", windows, windows, kernel)
    values = {"inp": x, "inpW": 100, "kernel": kernel, "kerW": 5, "kerH": 5, "mode": 0}
    values |= {"out": np.zeros_like(out), "outW": out.size}
    return once(2, 32, values, {"out": out})


@CUSIGNAL.runs(CONVOLUTION, *typed("_cupy_convolve1D3O"))
def third_order(of: str) -> Run:
    x, kernel = made(of, 60), made(of, 4, 4, 4, seed=2)
    windows = sliding_window_view(x, 4)[:, ::-1]
    out = np.einsum("ni,nj,nk,ijk->n", windows, windows, windows, kernel)
    values = {"inp": x, "inpW": 60, "kernel": kernel, "kerW": 4, "kerH": 4, "kerD": 4, "mode": 0}
    values |= {"out": np.zeros_like(out), "outW": out.size}
    return once(2, 32, values, {"out": out})


# Filters.


@CUSIGNAL.runs(
    f"{FILTERS}_channelizer.cu",
    *(
        (f"_cupy_channelizer_{n}x{n}_{a}_{b}", n, a)
        for n in (8, 16, 32)
        for a, b in [
            ("float32", "complex64"),
            ("complex64", "complex64"),
            ("float64", "complex128"),
            ("complex128", "complex128"),
        ]
    ),
)
def channels(side: int, of: str) -> Run:
    taps, points, chans = side - 1, side + 8, side + 3
    x, h = made(of, points, chans), made(of, taps, chans, seed=2)
    found = np.zeros((points, chans), "c16")
    for t in range(taps):
        found[t:] += (h[t] * x[: points - t, ::-1]).conj()
    out = np.zeros((points, chans), "c16" if of in ("float64", "complex128") else "c8")
    values = {"n_chans": chans, "n_taps": taps, "n_pts": points, "x": x, "h": h, "y": out}
    return once((blocks(chans, side), 3), (side, side), values, {"y": found})


@CUSIGNAL.runs(f"{FILTERS}_sosfilt.cu", *typed("_cupy_sosfilt", ("float32", "float64")))
def sections(of: str) -> Run:
    signals, samples, count = 3, 50, 4
    sos = made(of, count, 6) / 4
    sos[:, 3] = 1
    x = made(of, signals, samples, seed=2)
    out = x.astype("f8")
    for b0, b1, b2, _, a1, a2 in sos.astype("f8"):
        state = np.zeros((2, signals))
        for n in range(samples):
            old = out[:, n].copy()
            out[:, n] = b0 * old + state[0]
            state[0] = b1 * old - a1 * out[:, n] + state[1]
            state[1] = b2 * old - a2 * out[:, n]
    values = {"n_signals": signals, "n_samples": samples, "n_sections": count, "zi_width": 2}
    values |= {"sos": sos, "zi": np.zeros((signals, count, 2), of), "x": x}
    return once(signals, count, values, {"x": out}, shared=8 * 7 * count)


UP, DOWN = 3, 2
FLOATING = ("float32", "float64", *COMPLEX)


def resampled(x: NDArray[Any], h: NDArray[Any]) -> NDArray[Any]:
    """Return rows upsampled, filtered and downsampled."""
    wide = np.zeros((*x.shape[:-1], (x.shape[-1] - 1) * UP + 1), x.dtype)
    wide[..., ::UP] = x
    found = np.apply_along_axis(np.convolve, -1, wide, h)
    return np.ascontiguousarray(found[..., ::DOWN])


def phases(h: NDArray[Any]) -> NDArray[Any]:
    """Return the filter as the kernel takes it: backwards, by phases."""
    padded = np.append(h, np.zeros(-h.size % UP, h.dtype))
    return np.ascontiguousarray(padded.reshape(-1, UP).T[:, ::-1])


@CUSIGNAL.runs(f"{FILTERS}_upfirdn.cu", *typed("_cupy_upfirdn1D", FLOATING, False))
@CUPY.runs("cupyx/scipy/signal/_upfirdn.py", *typed("_cupy_upfirdn1D", FLOATING, True))
def upfirdn(of: str, strided: bool) -> Run:
    x, h = made(of, 50), made(of, 10, seed=2)
    out, flipped = resampled(x, h), phases(h)
    values = {"inp": x, **({"stride": np.int64(1)} if strided else {}), "h": flipped}
    values |= {"up": UP, "down": DOWN, "axis": 0, "x_shape": 50, "phase": flipped.shape[1]}
    values |= {"padded": 50 + flipped.shape[1] - 1, "out": np.zeros_like(out), "outW": out.size}
    return once(2, 32, values, {"out": out})


@CUSIGNAL.runs(
    f"{FILTERS}_upfirdn.cu",
    *typed("_cupy_upfirdn2D", FLOATING, 1, False),
    *typed("_cupy_upfirdn2D", ("float32",), 0, False),
)
@CUPY.runs(
    "cupyx/scipy/signal/_upfirdn.py",
    *typed("_cupy_upfirdn2D", FLOATING, 1, True),
    *typed("_cupy_upfirdn2D", ("float32",), 0, True),
)
def upfirdn_rows(of: str, axis: int, strided: bool) -> Run:
    x, h = made(of, 7, 30), made(of, 10, seed=2)
    out, flipped = resampled(x, h), phases(h)
    if axis == 0:
        x, out = np.ascontiguousarray(x.T), np.ascontiguousarray(out.T)
    width = x.shape[1]
    strides = {"strideW": np.int64(1), "strideH": np.int64(width)} if strided else {"inpH": width}
    values = {"inp": x, **strides, "h": flipped, "up": UP, "down": DOWN, "axis": axis}
    values |= {"x_shape": 30, "phase": flipped.shape[1], "padded": 30 + flipped.shape[1] - 1}
    values |= {"out": np.zeros_like(out), "outW": out.shape[0], "outH": out.shape[1]}
    return once((2, 2), (8, 8), values, {"out": out})


# Bytes of files.

PACKED = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64", *COMPLEX)


@CUSIGNAL.runs(
    "cpp/src/io/_reader.cu",
    *typed("_cupy_unpack", PACKED, True),
    *typed("_cupy_unpack", PACKED, False),
)
def unpacked(of: str, little: bool) -> Run:
    x = made(of, 100)
    raw = x if little else x.byteswap()
    values = {"N": np.uint64(100), "little": little, "input": raw.view("u1")}
    return once(1, 64, {**values, "out": np.zeros_like(x)}, {"out": x})


@CUSIGNAL.runs("cpp/src/io/_writer.cu", *typed("_cupy_pack", PACKED))
def packed(of: str) -> Run:
    x = made(of, 40)
    raw = x.view("u1")
    values = {"N": np.uint64(raw.size), "input": x, "output": np.zeros_like(raw)}
    return once(2, 64, values, {"output": raw})


# Peaks.

COMPARE = (np.less, np.greater, np.less_equal, np.greater_equal, np.equal, np.not_equal)


def extrema(x: NDArray[Any], axis: int, comp: int, clip: bool) -> NDArray[Any]:
    """Return what is an extremum against two neighbours on each side."""
    n, found = x.shape[axis], np.ones(x.shape, bool)
    for step in (1, 2, -1, -2):
        at = np.arange(n) + step
        at = np.clip(at, 0, n - 1) if clip else at % n
        found &= COMPARE[comp](x, np.take(x, at, axis))
    return found


@CUSIGNAL.runs(
    "cpp/src/peak_finding/_peak_finding.cu", *typed("_cupy_boolrelextrema_1D", REALS, 1, True)
)
@CUPY.runs(
    "cupyx/scipy/signal/_peak_finding.py",
    *(("boolrelextrema_1D<float>", "float32", comp, comp % 2 == 0) for comp in range(6)),
    ("boolrelextrema_1D<double>", "float64", 1, True),
    ("boolrelextrema_1D<long long>", "int64", 3, True),
)
def extrema_of_line(of: str, comp: int, clip: bool) -> Run:
    x = integers(9, 100).astype(of)
    values = {"n": 100, "order": 2, "clip": clip, "comp": comp, "inp": x}
    values["results"] = np.zeros(100, bool)
    return once(2, 32, values, {"results": extrema(x, 0, comp, clip)})


@CUSIGNAL.runs(
    "cpp/src/peak_finding/_peak_finding.cu", *typed("_cupy_boolrelextrema_2D", REALS, 1, 0)
)
@CUPY.runs(
    "cupyx/scipy/signal/_peak_finding.py",
    ("boolrelextrema_2D<float>", "float32", 1, 0),
    ("boolrelextrema_2D<int>", "int32", 2, 1),
)
def extrema_of_plane(of: str, comp: int, axis: int) -> Run:
    x = integers(9, 17, 21).astype(of)
    values = {"in_x": 21, "in_y": 17, "order": 2, "clip": True, "comp": comp, "axis": axis}
    values |= {"inp": x, "results": np.zeros(x.shape, bool)}
    return once((2, 2), (16, 16), values, {"results": extrema(x, axis, comp, True)})


# Spectra and radar.


@CUSIGNAL.runs(
    "cpp/src/spectral_analysis/_spectral.cu", *typed("_cupy_lombscargle", ("float32", "float64"))
)
@CUPY.runs(
    "cupyx/scipy/signal/_spectral_impl.py", *typed("_cupy_lombscargle", ("float32", "float64"))
)
def periodogram(of: str) -> Run:
    x = np.sort(made(of, 40))
    y, freqs = np.sin(3 * x) + made(of, 40, seed=2) / 4, np.linspace(0.5, 6, 50).astype(of)
    angle = freqs.astype("f8")[:, None] * x
    tau = np.arctan2(np.sin(2 * angle).sum(1), np.cos(2 * angle).sum(1))[:, None] / 2
    c, s = np.cos(angle - tau), np.sin(angle - tau)
    found = ((y * c).sum(1) ** 2 / (c**2).sum(1) + (y * s).sum(1) ** 2 / (s**2).sum(1)) / 2
    values = {"x_shape": 40, "freqs_shape": 50, "x": x, "y": y, "freqs": freqs}
    values |= {"pgram": np.zeros(50, of), "y_dot": np.zeros(1, of)}
    return once(2, 32, values, {"pgram": found}, rtol=1e-4 if of == "float32" else 1e-9)


@CUSIGNAL.runs("python/cusignal/radartools/radartools.py", "_ca_cfar_1d_kernel")
@CUPY.runs("cupyx/signal/_radartools/_radartools.py", "_ca_cfar_1d_kernel")
def false_alarms() -> Run:
    width, guard, reference, alpha = 80, 2, 5, 1.5
    x = np.abs(normal(width))
    near, n = guard + reference, 2 * reference
    found = np.full(width, np.nan)
    for i in range(near, width - near):
        around = x[i - near : i + near + 1].sum(dtype="f8")
        found[i] = alpha / n * (around - x[i - guard : i + guard + 1].sum(dtype="f8"))
    values = {"array": x, "intermediate": np.cumsum(x, dtype="f4"), "mask": nothing(width)}
    values |= {"width": width, "N": n, "alpha": alpha, "guard": guard, "reference": reference}
    return once(2, 32, values, {"mask": found}, rtol=1e-4)


@CUSIGNAL.runs("python/cusignal/radartools/radartools.py", "_ca_cfar_2d_kernel")
@CUPY.runs("cupyx/signal/_radartools/_radartools.py", "_ca_cfar_2d_kernel")
def false_alarms_of_plane() -> Run:
    rows, columns, guard, reference, alpha = 24, 20, (1, 2), (3, 2), 1.5
    x = np.abs(normal(rows, columns))
    near, n = (guard[0] + reference[0], guard[1] + reference[1]), 50
    found = np.full((rows, columns), np.nan)
    for i in range(near[0], rows - near[0]):
        for j in range(near[1], columns - near[1]):
            sums = [
                x[i - a : i + a + 1, j - b : j + b + 1].sum(dtype="f8") for a, b in (near, guard)
            ]
            found[i, j] = alpha / n * (sums[0] - sums[1])
    values = {"array": x, "intermediate": x.cumsum(0, "f8").cumsum(1).astype("f4")}
    values |= {"mask": nothing(rows, columns), "width": rows, "height": columns, "N": n}
    values |= {"alpha": alpha, "gx": guard[0], "gy": guard[1], "rx": reference[0]}
    return once((2, 2), (8, 8), {**values, "ry": reference[1]}, {"mask": found}, rtol=1e-4)
