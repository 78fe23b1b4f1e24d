"""Fetches give what CUDA's guide says: held against a reference that goes thread by thread."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from tests.simulator.textures.objects import BORDER, CLAMP, MIRROR, WRAP, Objects, fetched
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
