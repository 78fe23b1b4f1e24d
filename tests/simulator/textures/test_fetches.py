"""Fetches give what CUDA's guide says: held against a reference that goes thread by thread."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from simulator.execute.textures import Surface, Texture
from simulator.ir.textures import Shape
from tests.simulator.textures.objects import (
    BORDER,
    CLAMP,
    CUBEMAP,
    GATHER,
    LAYERED,
    MIRROR,
    WRAP,
    Objects,
    fetched,
)
from tests.simulator.textures.reference import sampled

OBJECTS = Objects()
#: What `tex…` is called with for textures of 1, 2 and 3 dimensions.
COORDINATES = {1: "x", 2: "x, y", 3: "x, y, z"}


def random_texels(shape: tuple[int, ...], dtype: Any = np.float32) -> Any:
    random = np.random.default_rng(len(shape))
    if np.dtype(dtype).kind == "f":
        return random.random(shape).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def test_a_kernel_reads_a_texture_of_two_dimensions() -> None:
    texels = random_texels((20, 50))
    texture = OBJECTS.texture_of(OBJECTS.array(texels), addressModes=[CLAMP, CLAMP])
    kernel = simulator.RawKernel(
        """
extern "C" __global__ void copy(float *out, cudaTextureObject_t t, int width, int height) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float u = x, v = y;
  if (x < width && y < height) out[y * width + x] = tex2D<float>(t, u, v);
}""",
        "copy",
    )
    out = simulator.zeros((20, 50), "float32")
    with simulator.sanitize("all"):
        kernel((13, 5), (4, 4), (out, texture, 50, 20))
    assert (out.get() == texels).all()


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("filters", [False, True])
@given(data=st.data())
def test_fetches_are_those_of_the_reference(axes: int, filters: bool, data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 7), min_size=axes, max_size=axes)))
    modes = tuple(data.draw(st.tuples(*[st.sampled_from((WRAP, CLAMP, MIRROR, BORDER))] * axes)))
    normalised = data.draw(st.booleans())
    # Halves of 256ths are rounded to even or away, and edges of texels are not computed exactly.
    steps = st.integers(-600, 2400).map(lambda n: (4 * n + 1) / 1024)
    points = data.draw(st.lists(st.tuples(*[steps] * axes), min_size=1, max_size=20))
    texels = random_texels(shape)
    where = np.array(points, np.float32)
    if normalised:
        where = where / np.float32(shape[::-1])
    texture = OBJECTS.texture_of(
        OBJECTS.array(texels),
        addressModes=modes,
        filterMode=int(filters),
        normalizedCoords=int(normalised),
    )
    call = f"tex{axes}D<float>(t, {COORDINATES[axes]})"
    found = fetched(OBJECTS, texture, call, "float", np.float32, *where.T)
    exact = [tuple(map(float, one)) for one in where]
    wanted = [sampled(texels, one, modes, filters, normalised) for one in exact]
    if filters:
        np.testing.assert_allclose(found, wanted, atol=1e-2 if normalised else 1e-6)
    else:
        assert found.tolist() == [float(one) for one in wanted]


NAMES = {"i1": "char", "u1": "uchar", "i2": "short", "u2": "ushort", "i4": "int", "u4": "uint"}


@pytest.mark.parametrize("channels", [1, 2, 4])
@pytest.mark.parametrize("code", [*NAMES, "f2", "f4"])
def test_texels_are_read_as_they_are(code: str, channels: int) -> None:
    texels = random_texels((6, 10 * channels), code)
    texture = OBJECTS.texture_of(OBJECTS.array(texels, channels), addressModes=[CLAMP, CLAMP])
    element = "float" if code[0] == "f" else NAMES[code]
    ctype = f"{element}{channels}"  # char1 is a structure, too
    y, x = np.mgrid[:6, :10].reshape(2, -1)
    read = np.dtype("f4" if code[0] == "f" else code)
    found = fetched(OBJECTS, texture, f"tex2D<{ctype}>(t, x, y)", ctype, (read, channels), x, y)
    assert (found.reshape(6, 10 * channels) == texels.astype(read)).all()


@pytest.mark.parametrize("code", ["i1", "u1", "i2", "u2"])
def test_integers_are_read_as_fractions_of_the_largest(code: str) -> None:
    limits = np.iinfo(code)
    texels = np.array([0, 1, limits.max // 2, limits.max, limits.min, limits.min + 1], code)
    texture = OBJECTS.texture_of(OBJECTS.array(texels), addressModes=[CLAMP], readMode=1)
    found = fetched(OBJECTS, texture, "tex1D<float>(t, x)", "float", "f4", np.arange(6))
    wanted = np.maximum(texels.astype(np.float32) / np.float32(limits.max), np.float32(-1))
    assert (found == wanted).all()


@pytest.mark.parametrize("call", ["tex2D<float>(t, x, y)", "tex2DLod<float>(t, x, y, 3.0f)"])
def test_integers_read_as_fractions_can_be_filtered(call: str) -> None:
    texels = np.array([[0, 255], [51, 255]], np.uint8)
    how = {"addressModes": [CLAMP, CLAMP], "readMode": 1, "filterMode": 1}
    texture = OBJECTS.texture_of(OBJECTS.array(texels), **how)
    found = fetched(OBJECTS, texture, call, "float", "f4", [0.5, 1.0, 1.0, 0.5], [0.5, 0.5, 1, 1])
    np.testing.assert_allclose(found, [0, 0.5, (0 + 1 + 0.2 + 1) / 4, 0.1], atol=1e-6)


def test_a_level_and_a_gradient_change_nothing_without_mipmaps() -> None:
    texels = random_texels((4, 5))
    texture = OBJECTS.texture_of(OBJECTS.array(texels), addressModes=[CLAMP, CLAMP], filterMode=1)
    x, y = random_texels((2, 30)) * 5
    plain = fetched(OBJECTS, texture, "tex2D<float>(t, x, y)", "float", "f4", x, y)
    for call in (
        "tex2DLod<float>(t, x, y, 2.0f)",
        "tex2DGrad<float>(t, x, y, make_float2(1, 2), make_float2(3, 4))",
    ):
        assert (fetched(OBJECTS, texture, call, "float", "f4", x, y) == plain).all()


def test_a_value_may_be_stored_by_a_pointer() -> None:
    texels = random_texels((3, 4 * 2))
    texture = OBJECTS.texture_of(OBJECTS.array(texels, 2), addressModes=[CLAMP, CLAMP])
    kernel = simulator.RawKernel(
        """
extern "C" __global__ void k(unsigned long long t, float2 *out) {
  float2 value;
  tex2D(&value, t, threadIdx.x, threadIdx.y);
  tex2D<float2>(out + threadIdx.y * 4 + threadIdx.x, t, threadIdx.x, threadIdx.y);
  out[12 + threadIdx.y * 4 + threadIdx.x] = value;
}""",
        "k",
    )
    out = simulator.zeros((2, 3, 8), "float32")
    kernel((1,), (4, 3), (texture.ptr, out))
    assert (out.get() == texels).all()


@pytest.mark.parametrize("filters", [0, 1])
def test_layers_are_textures_of_their_own(filters: int) -> None:
    texels = random_texels((3, 4, 5))
    array = OBJECTS.array(texels, flags=LAYERED)
    texture = OBJECTS.texture_of(array, addressModes=[CLAMP, CLAMP], filterMode=filters)
    x, y, z = np.float32([[0.6, 3.3, 4.9, 2], [0.1, 2.7, 3.9, 1], [0, 1, 2, 7]])
    found = fetched(OBJECTS, texture, "tex2DLayered<float>(t, x, y, z)", "float", "f4", x, y, z)
    layers = [int(layer) for layer in np.clip(z, 0, 2)]
    points = zip(x.tolist(), y.tolist(), layers, strict=True)
    modes = (CLAMP, CLAMP)
    wanted = [sampled(texels[layer], (u, v), modes, bool(filters)) for u, v, layer in points]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


#: The direction to the middle of each face of a cube.
AXES = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]


def test_directions_lead_to_faces_of_a_cube() -> None:
    texels = np.arange(6, dtype=np.float32)[:, None, None] + np.zeros((6, 3, 3), np.float32)
    how = {"addressModes": [CLAMP, CLAMP], "normalizedCoords": 1}
    texture = OBJECTS.texture_of(OBJECTS.array(texels, flags=CUBEMAP), **how)
    call = "texCubemap<float>(t, x, y, z)"
    directions = 3 * np.float32(AXES).T
    assert fetched(OBJECTS, texture, call, "float", "f4", *directions).tolist() == [*range(6)]


def test_faces_of_a_cube_are_turned_as_the_guide_says() -> None:
    """Each texel is found again from the direction that its face, s and t stand for."""
    texels = random_texels((2 * 6, 4, 4))
    array = OBJECTS.array(texels, flags=CUBEMAP | LAYERED)
    how = {"addressModes": [CLAMP, CLAMP], "normalizedCoords": 1}
    texture = OBJECTS.texture_of(array, **how)
    t, s = np.mgrid[:4, :4].reshape(2, -1) / 2 - 0.75
    one = np.ones_like(s)
    directions = [
        (one, -t, -s),
        (-one, -t, s),
        (s, one, t),
        (s, -one, -t),
        (s, -t, one),
        (-s, -t, -one),
    ]
    x, y, z = (np.concatenate(part) for part in zip(*directions, strict=True))
    for layer in (0, 1):
        call = f"texCubemapLayered<float>(t, x, y, z, {layer})"
        found = fetched(OBJECTS, texture, call, "float", "f4", 2 * x, 2 * y, 2 * z)
        assert (found == texels[6 * layer :][:6].ravel()).all()


def test_linear_memory_is_read_by_index_and_zero_outside() -> None:
    values = simulator.asarray(np.arange(1, 9, dtype=np.int16))
    texture = OBJECTS.textured(OBJECTS.linear(values, 2), addressModes=[CLAMP])
    x = [-1, 0, 3, 4, 1 << 20]
    found = fetched(OBJECTS, texture, "tex1Dfetch<short2>(t, (int)x)", "short2", ("i2", 2), x)
    assert found.tolist() == [[0, 0], [1, 2], [7, 8], [0, 0], [0, 0]]
    values[0] = 42  # the texture is of the memory, and no copy of it
    found = fetched(OBJECTS, texture, "tex1Dfetch<short2>(t, (int)x)", "short2", ("i2", 2), [0])
    assert found.tolist() == [[42, 2]]


def test_rows_of_memory_are_a_texture_of_two_dimensions() -> None:
    texels = random_texels((5, 16))
    texture = OBJECTS.textured(
        OBJECTS.rows(simulator.asarray(texels), 13), addressModes=[CLAMP] * 2
    )
    y, x = np.mgrid[:5, :16].reshape(2, -1)
    found = fetched(OBJECTS, texture, "tex2D<float>(t, x, y)", "float", "f4", x, y)
    assert (found.reshape(5, 16)[:, :13] == texels[:, :13]).all()
    assert (found.reshape(5, 16)[:, 13:] == texels[:, 12:13]).all()


def test_a_gather_takes_four_texels_counter_clockwise_from_the_lower_left() -> None:
    texels = np.arange(40, dtype=np.float32).reshape(4, 10)
    array = OBJECTS.array(texels, 2, GATHER)
    texture = OBJECTS.texture_of(array, addressModes=[CLAMP, CLAMP])
    call = "tex2Dgather<float4>(t, x, y, 1)"
    found = fetched(OBJECTS, texture, call, "float4", ("f4", 4), [2.0, 0.0], [1.0, 0.0])
    second = texels[:, 1::2]
    assert found[0].tolist() == [second[1, 1], second[1, 2], second[0, 2], second[0, 1]]
    assert found[1].tolist() == [second[0, 0]] * 4


def test_a_border_has_a_colour() -> None:
    texels = random_texels((2, 3 * 2))
    how = {"addressModes": [BORDER, CLAMP], "borderColors": [7, 8]}
    texture = OBJECTS.texture_of(OBJECTS.array(texels, 2), **how)
    call = "tex2D<float2>(t, x, y)"
    found = fetched(OBJECTS, texture, call, "float2", ("f4", 2), [-0.1, 1, 3, 1], [0, 0, 0, 2])
    assert found.tolist() == [[7, 8], texels[0, 2:4].tolist(), [7, 8], texels[1, 2:4].tolist()]


def test_strange_coordinates_are_somewhere() -> None:
    texels = random_texels((3,))
    for mode, normalised in ((CLAMP, 0), (WRAP, 1), (MIRROR, 1), (CLAMP, 1)):
        how = {"addressModes": [mode], "normalizedCoords": normalised, "filterMode": 1}
        texture = OBJECTS.texture_of(OBJECTS.array(texels), **how)
        x = np.float32([np.nan, np.inf, -np.inf, 1e30, -1e30])
        found = fetched(OBJECTS, texture, "tex1D<float>(t, x)", "float", "f4", x)
        assert ((found >= 0) & (found <= 1)).all()


def test_lanes_may_have_textures_of_their_own() -> None:
    texels = [random_texels((5,)), random_texels((5,)) + 1]
    made = [OBJECTS.texture_of(OBJECTS.array(one), addressModes=[CLAMP]) for one in texels]
    handles = simulator.asarray(np.array([one.ptr for one in made], np.uint64))
    kernel = simulator.RawKernel(
        """
extern "C" __global__ void k(const cudaTextureObject_t *t, float *out) {
  int i = threadIdx.x;
  if (i < 10) out[i] = tex1D<float>(t[i % 2], i / 2);
}""",
        "k",
    )
    out = simulator.zeros(10, "float32")
    with simulator.counting() as record:
        kernel((1,), (32,), (handles, out))
    assert (texels == out.get().reshape(5, 2).T).all()
    assert record.launches[0].counters.texture_requests == 1
    assert record.launches[0].counters.texture_sectors == 2


def test_what_counts_nothing_may_be_infinite() -> None:
    texels = np.float32([1, np.inf, 2])
    texture = OBJECTS.texture_of(OBJECTS.array(texels), addressModes=[CLAMP], filterMode=1)
    found = fetched(OBJECTS, texture, "tex1D<float>(t, x)", "float", "f4", [0.5, 1.0, 2.5])
    assert found.tolist() == [1, np.inf, 2]


def test_layers_of_one_dimension_which_cupy_does_not_make() -> None:
    array = OBJECTS.array(random_texels((4, 6)))
    shape = Shape(1, layered=True)
    image = replace(array._image, shape=shape, extent=(6, 1, 4))
    device = simulator.current()
    texture = device.bindings.add(Texture(image, (CLAMP, CLAMP, CLAMP)))
    surface = device.bindings.add(Surface(image))
    text = """
extern "C" __global__ void k(cudaTextureObject_t t, cudaSurfaceObject_t s, float *out) {
  int x = threadIdx.x, layer = threadIdx.y, i = layer * 6 + x;
  out[i] = tex1DLayered<float>(t, x, layer) + surf1DLayeredread<float>(s, 4 * x, layer);
}"""
    out = simulator.zeros((4, 6), "float32")
    simulator.RawKernel(text, "k")((1,), (6, 4), (texture, surface, out))
    assert (out.get() == 2 * random_texels((4, 6))).all()


@pytest.mark.parametrize("parameter", ["T", "float"])
def test_types_may_be_those_of_templates(parameter: str) -> None:
    texels = random_texels((8,))
    texture = OBJECTS.texture_of(OBJECTS.array(texels), addressModes=[CLAMP])
    text = f"""
template <typename T> __device__ T read(cudaTextureObject_t t, int x) {{
  T value;
  tex1D(&value, t, x);
  return value + tex1D<{parameter}>(t, x);
}}
template <typename T> __global__ void k(cudaTextureObject_t t, T *out) {{
  out[threadIdx.x] = read<T>(t, threadIdx.x);
}}"""
    module = simulator.RawModule(code=text, name_expressions=["k<float>"])
    out = simulator.zeros(8, "float32")
    module.get_function("k<float>")((1,), (8,), (texture, out))
    assert (out.get() == 2 * texels).all()


def test_normalised_coordinates_have_the_steps_that_were_measured_on_a_gpu() -> None:
    """`i / width` reads the texel before `i` where the quotient is not of 21 bits."""
    measured = {3: [0, 0, 1], 7: [0, 0, 1, 2, 3, 4, 5], 8: list(range(8))}
    for width, texels in measured.items():
        values = np.arange(width, dtype=np.float32)
        how = {"addressModes": [0], "normalizedCoords": 1}
        texture = OBJECTS.texture_of(OBJECTS.array(values), **how)
        x = np.arange(width, dtype=np.float32) / np.float32(width)
        found = fetched(OBJECTS, texture, "tex1D<float>(t, x)", "float", np.float32, x)
        assert found.tolist() == texels
