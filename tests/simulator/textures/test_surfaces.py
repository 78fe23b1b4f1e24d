"""Surfaces are read and written by bytes of rows, with what CUDA's guide says of their edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from tests.simulator.textures.objects import (
    CLAMP,
    CUBEMAP,
    LAYERED,
    STORABLE,
    Objects,
)

OBJECTS = Objects()
ZEROS, CLAMPED, TRAPPED = "cudaBoundaryModeZero", "cudaBoundaryModeClamp", "cudaBoundaryModeTrap"


def ran(body: str, *arguments: Any, block: tuple[int, ...] = (1,), parameters: str = "") -> None:
    text = f'extern "C" __global__ void k(cudaSurfaceObject_t s{parameters}) {{ {body} }}'
    simulator.RawKernel(text, "k")((1,), block, arguments)


def content(array: Any) -> Any:
    shape = (array.depth, array.height, array.width * array.desc._channels)[-array.ndim :]
    values = np.zeros(shape, array.desc._dtype)
    array.copy_to(values)
    return values


@pytest.mark.parametrize(
    ("shape", "flags", "access", "place"),
    [
        ((7,), 0, "1D", "x"),
        ((3, 7), 0, "2D", "x, y"),
        ((2, 3, 7), 0, "3D", "x, y, z"),
        ((2, 3, 7), LAYERED, "2DLayered", "x, y, z"),
        ((6, 4, 4), CUBEMAP, "Cubemap", "x, y, z"),
        ((12, 4, 4), CUBEMAP | LAYERED, "CubemapLayered", "x, y, z"),
    ],
)
def test_what_is_written_is_read_and_copied_back(
    shape: tuple[int, ...], flags: int, access: str, place: str
) -> None:
    array = OBJECTS.array(np.zeros(shape, np.float32), flags=flags | STORABLE)
    surface = OBJECTS.surface_of(array)
    body = f"""
int x = 4 * threadIdx.x, y = threadIdx.y, z = threadIdx.z;
int i = (z * blockDim.y + y) * blockDim.x + threadIdx.x;
surf{access}write(1.5f * i, s, {place});
"""
    with simulator.sanitize("all"):
        ran(body, surface, block=shape[::-1])
    wanted = 1.5 * np.arange(np.prod(shape)).reshape(shape)
    assert (content(array) == wanted).all()
    out = simulator.zeros(shape, "float32")
    body = body.replace(f"surf{access}write(1.5f * i, s", f"out[i] = surf{access}read<float>(s")
    with simulator.sanitize("all"):
        ran(body, surface, out, block=shape[::-1], parameters=", float *out")
    assert (out.get() == wanted).all()


@pytest.mark.parametrize(
    ("ctype", "dtype", "channels"),
    [("uchar4", "u1", 4), ("short2", "i2", 2), ("float4", "f4", 4), ("uint", "u4", 1)],
)
def test_vectors_are_written_whole(ctype: str, dtype: str, channels: int) -> None:
    array = OBJECTS.array(np.zeros((2, 5 * channels), dtype), channels, STORABLE)
    surface = OBJECTS.surface_of(array)
    values = np.arange(10 * channels, dtype=dtype)
    body = f"""
int x = threadIdx.x, y = threadIdx.y;
surf2Dwrite(v[y * 5 + x], s, x * sizeof({ctype}), y);
"""
    ran(body, surface, simulator.asarray(values), block=(5, 2), parameters=f", {ctype} *v")
    assert (content(array).ravel() == values).all()
    out = simulator.zeros(10 * channels, dtype)
    body = f"""
int x = threadIdx.x, y = threadIdx.y;
surf2Dread(v + y * 5 + x, s, x * sizeof({ctype}), y);
"""
    ran(body, surface, out, block=(5, 2), parameters=f", {ctype} *v")
    assert (out.get() == values).all()


@given(x=st.integers(-3, 8), y=st.integers(-2, 5))
@pytest.mark.parametrize("mode", [ZEROS, CLAMPED])
def test_modes_say_what_is_outside(mode: str, x: int, y: int) -> None:
    texels = np.arange(1, 16, dtype=np.int32).reshape(3, 5)
    array = OBJECTS.array(texels, flags=STORABLE)
    surface = OBJECTS.surface_of(array)
    out = simulator.zeros(1, "int32")
    place = f"s, {4 * x}, {y}, {mode}"
    ran(f"*out = surf2Dread<int>({place});", surface, out, parameters=", int *out")
    inside = 0 <= x < 5 and 0 <= y < 3
    nearest = min(max(y, 0), 2), min(max(x, 0), 4)
    assert int(out[0]) == (texels[nearest] if inside or mode == CLAMPED else 0)
    ran(f"surf2Dwrite(99, {place});", surface)
    if inside or mode == CLAMPED:
        texels[nearest] = 99
    assert (content(array) == texels).all()


@pytest.mark.parametrize(
    ("body", "message", "hint"),
    [
        (
            "surf2Dwrite(1, s, 20, 0);",
            "`surf2Dwrite` outside of its surface: (20, 0, 0) of 20",
            "x",
        ),
        ("surf2Dwrite(1, s, 0, -1);", "outside of its surface: (0, -1, 0)", "Zero"),
        ("surf2Dread<int>(s, 0, 3);", "`surf2Dread` outside of its surface: (0, 3, 0)", "Clamp"),
        ("surf2Dwrite(1, s, 2, 0);", "at byte 2 of a row: its values have 4 bytes", "by 4."),
        ("surf2Dwrite(1, s, 4, 0, (cudaSurfaceBoundaryMode)3);", "the boundary mode 3", "Trap"),
        ("surf3Dwrite(1, s, 4, 0, 0);", "does not access a 2D surface", "Call `surf2Dwrite`."),
        ("tex2D<int>(s, 1, 1);", "takes a texture, and this is a surface", "TextureObject"),
        ("surf2Dwrite(1, 0, 4, 0);", "with 0x0, which is no surface object of this", "Surface"),
    ],
)
def test_wrong_accesses_are_faults(body: str, message: str, hint: str) -> None:
    array = OBJECTS.array(np.zeros((3, 5), np.int32), flags=STORABLE)
    surface = OBJECTS.surface_of(array)
    with pytest.raises(simulator.Fault) as caught:
        ran(f"if (threadIdx.x == 3) {body}", surface, block=(8,))
    assert message in caught.value.message
    assert "thread (3, 0, 0)" in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.span is not None
    assert caught.value.span.line == 1


def test_a_surface_and_a_texture_may_be_of_one_array() -> None:
    array = OBJECTS.array(np.zeros(8, np.float32), flags=STORABLE)
    texture = OBJECTS.texture_of(array, addressModes=[CLAMP])
    body = "surf1Dwrite((float)threadIdx.x, s, threadIdx.x * 4);"
    ran(body, OBJECTS.surface_of(array), block=(8,))
    out = simulator.zeros(8, "float32")
    body = "out[threadIdx.x] = tex1D<float>(s, threadIdx.x);"
    ran(body, texture, out, block=(8,), parameters=", float *out")
    assert out.get().tolist() == [*range(8)]


def test_of_lanes_that_write_one_texel_any_wins_whole() -> None:
    winners = set()
    for seed in range(8):
        with simulator.Device(schedule=f"shuffled:{seed}"):
            array = OBJECTS.array(np.zeros(2, np.int32), 2, STORABLE)
            body = "int i = threadIdx.x; surf1Dwrite(make_int2(i, i), s, 0);"
            ran(body, OBJECTS.surface_of(array), block=(32,))
            one, other = content(array).tolist()
            assert one == other
            winners.add(one)
    assert len(winners) > 1
