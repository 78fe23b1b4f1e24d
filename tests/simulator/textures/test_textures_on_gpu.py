"""The same kernels and objects with CuPy on a GPU and on the simulator give the same values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import simulator
from tests.simulator.textures.objects import (
    BORDER,
    CLAMP,
    CUBEMAP,
    GATHER,
    LAYERED,
    MIRROR,
    STORABLE,
    WRAP,
    Objects,
    fetched,
)


def _cupy() -> Any:
    """CuPy with a device; None without."""
    try:
        import cupy

        return cupy if cupy.cuda.runtime.getDeviceCount() else None
    except Exception:
        return None


CUPY = _cupy()
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(CUPY is None, reason="needs a GPU and CuPy, of which textures are compared"),
]
GPU, SIMULATED = Objects(CUPY), Objects(simulator)
MODES = {"wrap": WRAP, "clamp": CLAMP, "mirror": MIRROR, "border": BORDER}
COORDINATES = {1: "x", 2: "x, y", 3: "x, y, z"}
SHAPES = {1: (37,), 2: (19, 37), 3: (7, 19, 37)}
INTEGERS = {"i1": "char", "u1": "uchar", "i2": "short", "u2": "ushort", "i4": "int", "u4": "uint"}
#: What a weight of the linear filter may be off by on one axis, for texels from 0 to 1.
STEP = 1 / 256


def texels(shape: tuple[int, ...], dtype: Any = np.float32) -> Any:
    random = np.random.default_rng(sum(shape))
    if np.dtype(dtype).kind == "f":
        return random.random(shape).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def points(shape: tuple[int, ...], count: int, normalised: bool, middle: bool) -> Any:
    """Coordinates from outside of both ends, x first; in the middle of texels, or anywhere."""
    random = np.random.default_rng(count)
    sizes = np.array(shape[::-1])
    if middle:
        where = random.integers(-2 * sizes - 3, 3 * sizes + 3, (count, len(sizes))) + 0.5
    else:
        where = random.uniform(-2 * sizes - 3, 3 * sizes + 3, (count, len(sizes)))
    return np.float32(where / sizes if normalised else where).T


def both(call: str, ctype: str, dtype: Any, made: Any, *coordinates: Any) -> tuple[Any, Any]:
    """What the GPU gives, and the simulator; `made` makes a texture of the objects of either."""
    return tuple(  # type: ignore[return-value]
        fetched(objects, made(objects), call, ctype, dtype, *coordinates)
        for objects in (GPU, SIMULATED)
    )


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("normalised", [False, True])
def test_point_fetches_are_the_same_bits(axes: int, mode: str, normalised: bool) -> None:
    shape = SHAPES[axes]
    values = texels(shape)

    def made(objects: Objects) -> Any:
        how = {"addressModes": [MODES[mode]] * axes, "normalizedCoords": int(normalised)}
        return objects.texture_of(objects.array(values), **how)

    for middle in (True, False):
        where = points(shape, 4000, normalised, middle)
        call = f"tex{axes}D<float>(t, {COORDINATES[axes]})"
        theirs, ours = both(call, "float", "f4", made, *where)
        if middle:
            np.testing.assert_array_equal(ours, theirs)
        else:  # at the edges of texels the hardware rounds coordinates in its own way
            assert np.mean(ours != theirs) < 0.02


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("normalised", [False, True])
def test_linear_fetches_are_as_near_as_weights_are(axes: int, mode: str, normalised: bool) -> None:
    shape = SHAPES[axes]
    values = texels(shape)

    def made(objects: Objects) -> Any:
        how = {"addressModes": [MODES[mode]] * axes, "normalizedCoords": int(normalised)}
        return objects.texture_of(objects.array(values), filterMode=1, **how)

    where = points(shape, 4000, normalised, False)
    call = f"tex{axes}D<float>(t, {COORDINATES[axes]})"
    theirs, ours = both(call, "float", "f4", made, *where)
    np.testing.assert_allclose(ours, theirs, atol=axes * STEP)


def test_weights_have_eight_bits_of_fraction() -> None:
    """Between 0 and 1 the filter gives the weight itself: that of the nearest 256th."""
    values = np.float32([0, 1])

    def made(objects: Objects) -> Any:
        return objects.texture_of(objects.array(values), addressModes=[CLAMP], filterMode=1)

    x = np.float32(0.5 + (4 * np.arange(256) + np.array([[-1], [0], [1]])).ravel() / 1024)
    theirs, ours = both("tex1D<float>(t, x)", "float", "f4", made, x)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("normalised", [False, True])
def test_points_just_before_an_edge_are_before_it(normalised: bool) -> None:
    """Which 1024ths of a texel before its end already count as the next one, if any do."""
    values = np.arange(64, dtype=np.float32)

    def made(objects: Objects) -> Any:
        how = {"addressModes": [CLAMP], "normalizedCoords": int(normalised)}
        return objects.texture_of(objects.array(values), **how)

    x = np.float32(np.arange(1, 63).repeat(8) - np.tile(np.arange(1, 9), 62) / 1024)
    x = x / 64 if normalised else x
    theirs, ours = both("tex1D<float>(t, x)", "float", "f4", made, x)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("width", [3, 7, 49, 100, 333])
def test_quotients_of_indices_read_the_same_texels(width: int) -> None:
    values = np.arange(width, dtype=np.float32)

    def made(objects: Objects) -> Any:
        how = {"addressModes": [CLAMP], "normalizedCoords": 1}
        return objects.texture_of(objects.array(values), **how)

    x = np.arange(width, dtype=np.float32) / np.float32(width)
    theirs, ours = both("tex1D<float>(t, x)", "float", "f4", made, x)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("channels", [1, 2, 4])
@pytest.mark.parametrize("code", [*INTEGERS, "f2", "f4"])
def test_texels_of_all_types_are_the_same_bits(code: str, channels: int) -> None:
    values = texels((9, 11 * channels), code)

    def made(objects: Objects) -> Any:
        return objects.texture_of(objects.array(values, channels), addressModes=[CLAMP, CLAMP])

    y, x = np.mgrid[:9, :11].reshape(2, -1)
    ctype = f"{'float' if code[0] == 'f' else INTEGERS[code]}{channels}"
    dtype = ("f4" if code[0] == "f" else code, channels)
    theirs, ours = both(f"tex2D<{ctype}>(t, x, y)", ctype, dtype, made, x, y)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("code", ["i1", "u1", "i2", "u2"])
@pytest.mark.parametrize("filters", [0, 1])
def test_integers_read_as_floats(code: str, filters: int) -> None:
    values = texels((1000,), code)
    values[:4] = [0, np.iinfo(code).max, np.iinfo(code).min, np.iinfo(code).min + 1]

    def made(objects: Objects) -> Any:
        how = {"addressModes": [CLAMP], "readMode": 1, "filterMode": filters}
        return objects.texture_of(objects.array(values), **how)

    x = np.arange(1000) + 0.5
    theirs, ours = both("tex1D<float>(t, x)", "float", "f4", made, x)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=2**-23 if not filters else 2**-15)


def test_memory_that_is_no_array() -> None:
    values = texels((16, 64))

    def line(objects: Objects) -> Any:
        return objects.textured(objects.linear(objects.xp.asarray(values), 2))

    x = np.arange(-8, 520)
    call = "tex1Dfetch<float2>(t, (int)x)"
    theirs, ours = both(call, "float2", ("f4", 2), line, x)
    np.testing.assert_array_equal(ours, theirs)

    def rows(objects: Objects) -> Any:
        resource = objects.rows(objects.xp.asarray(values), 50)
        return objects.textured(resource, addressModes=[CLAMP, CLAMP])

    where = points((16, 50), 2000, False, True)
    theirs, ours = both("tex2D<float>(t, x, y)", "float", "f4", rows, *where)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("filters", [0, 1])
def test_layers(filters: int) -> None:
    values = texels((5, 8, 9))

    def made(objects: Objects) -> Any:
        array = objects.array(values, flags=LAYERED)
        return objects.texture_of(array, addressModes=[CLAMP, CLAMP], filterMode=filters)

    x, y = points((8, 9), 3000, False, not filters)
    layer = np.random.default_rng(1).integers(0, 8, 3000)
    theirs, ours = both("tex2DLayered<float>(t, x, y, (int)z)", "float", "f4", made, x, y, layer)
    np.testing.assert_allclose(ours, theirs, atol=filters * 2 * STEP)


@pytest.mark.parametrize("layers", [0, 3])
def test_cubes(layers: int) -> None:
    values = texels((6 * max(1, layers), 8, 8))

    def made(objects: Objects) -> Any:
        array = objects.array(values, flags=CUBEMAP | LAYERED * bool(layers))
        how = {"addressModes": [CLAMP, CLAMP], "normalizedCoords": 1}
        return objects.texture_of(array, **how)

    x, y, z = np.float32(np.random.default_rng(2).normal(size=(3, 5000)))
    call = "texCubemapLayered<float>(t, x, y, z, 1)" if layers else "texCubemap<float>(t, x, y, z)"
    theirs, ours = both(call, "float", "f4", made, x, y, z)
    assert np.mean(ours != theirs) < 0.02  # at the edges of texels


def test_gathers() -> None:
    values = texels((8, 9 * 2))

    def made(objects: Objects) -> Any:
        array = objects.array(values, 2, GATHER)
        return objects.texture_of(array, addressModes=[CLAMP, BORDER])

    where = points((8, 9), 3000, False, False)
    call = "tex2Dgather<float4>(t, x, y, 1)"
    theirs, ours = both(call, "float4", ("f4", 4), made, *where)
    assert np.mean((ours != theirs).any(axis=1)) < 0.02


def test_colours_of_a_border() -> None:
    values = texels((5, 6))

    def made(objects: Objects) -> Any:
        how = {"addressModes": [BORDER, BORDER], "borderColors": [0.25, 0, 0, 0]}
        return objects.texture_of(objects.array(values), **how)

    where = points((5, 6), 2000, False, True)
    theirs, ours = both("tex2D<float>(t, x, y)", "float", "f4", made, *where)
    np.testing.assert_array_equal(ours, theirs)


SURFACES = """
extern "C" __global__ void k(cudaSurfaceObject_t s, float2 *out, int width, int height) {
  int x = (int)threadIdx.x - 4, y = (int)blockIdx.x - 2, i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = surf2Dread<float2>(s, 8 * x, y, MODE);
}
extern "C" __global__ void w(cudaSurfaceObject_t s, int width, int height) {
  int x = (int)threadIdx.x - 4, y = (int)blockIdx.x - 2;
  bool inside = x >= 0 && x < width && y >= 0 && y < height;
  if (inside || ZEROS) surf2Dwrite(make_float2(x, y), s, 8 * x, y, MODE);
}"""


@pytest.mark.parametrize("mode", ["Zero", "Clamp"])
def test_surfaces(mode: str) -> None:
    values = texels((7, 11 * 2))
    found = []
    for objects in (GPU, SIMULATED):
        xp = objects.xp
        options = (f"-DMODE=cudaBoundaryMode{mode}", f"-DZEROS={mode == 'Zero':d}")
        module = xp.RawModule(code=SURFACES, options=options)
        array = objects.array(values, 2, STORABLE)
        surface = objects.surface_of(array)
        out = xp.zeros((11, 19, 2), "float32")
        sizes = np.int32(11), np.int32(7)
        module.get_function("k")((11,), (19,), (surface, out, *sizes))
        module.get_function("w")((11,), (19,), (surface, *sizes))
        written = np.zeros_like(values)
        array.copy_to(written)
        found.append((out.get(), written))
    for theirs, ours in zip(*found, strict=True):
        np.testing.assert_array_equal(ours, theirs)
