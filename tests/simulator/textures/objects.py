"""CUDA arrays, textures and surfaces of NumPy arrays, on the simulator or with CuPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import simulator

WRAP, CLAMP, MIRROR, BORDER = 0, 1, 2, 3
LAYERED, STORABLE, CUBEMAP, GATHER = 1, 2, 4, 8
_KINDS = {"i": 0, "u": 1, "f": 2}


@dataclass(frozen=True)
class Objects:
    """The classes of `xp.cuda.texture`, where `xp` is the simulator or CuPy."""

    xp: Any = simulator

    @property
    def texture(self) -> Any:
        return self.xp.cuda.texture

    @property
    def runtime(self) -> Any:
        return self.xp.cuda.runtime

    def channels(self, dtype: Any, count: int = 1) -> Any:
        kind = np.dtype(dtype)
        bits = [kind.itemsize * 8] * count + [0] * (4 - count)
        return self.texture.ChannelFormatDescriptor(*bits, _KINDS[kind.kind])

    def array(self, values: NDArray[Any], channels: int = 1, flags: int = 0) -> Any:
        """A CUDA array with the texels of `values`, whose last axis has all channels of x."""
        depth, height, width = (0, 0, 0, *values.shape)[-3:]
        desc = self.channels(values.dtype, channels)
        made = self.texture.CUDAarray(desc, width // channels, height, depth, flags)
        made.copy_from(values)
        return made

    def texture_of(self, array: Any, **how: Any) -> Any:
        """A texture of a CUDA array; `how` are the arguments of its descriptor."""
        resource = self.texture.ResourceDescriptor(self.runtime.cudaResourceTypeArray, cuArr=array)
        return self.textured(resource, **how)

    def textured(self, resource: Any, **how: Any) -> Any:
        return self.texture.TextureObject(resource, self.texture.TextureDescriptor(**how))

    def surface_of(self, array: Any) -> Any:
        resource = self.texture.ResourceDescriptor(self.runtime.cudaResourceTypeArray, cuArr=array)
        return self.texture.SurfaceObject(resource)

    def linear(self, values: Any, channels: int = 1) -> Any:
        return self.texture.ResourceDescriptor(
            self.runtime.cudaResourceTypeLinear,
            arr=values,
            chDesc=self.channels(values.dtype, channels),
            sizeInBytes=values.nbytes,
        )

    def rows(self, values: Any, width: int, channels: int = 1) -> Any:
        """Rows of a device array of two dimensions, of which `width` texels count."""
        return self.texture.ResourceDescriptor(
            self.runtime.cudaResourceTypePitch2D,
            arr=values,
            chDesc=self.channels(values.dtype, channels),
            width=width,
            height=values.shape[0],
            pitchInBytes=values.shape[1] * values.dtype.itemsize,
        )


def fetching(call: str, ctype: str, parameters: int) -> str:
    """A kernel that stores what `call` gives for coordinates x, y and z of each thread."""
    letters = "xyz"[:parameters]
    given = "".join(f", const float *{letter}s" for letter in letters)
    read = " ".join(f"float {letter} = {letter}s[i];" for letter in letters)
    return f"""
extern "C" __global__ void k(cudaTextureObject_t t, {ctype} *out{given}, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  {read}
  out[i] = {call};
}}"""


def fetched(
    objects: Objects, texture: Any, call: str, ctype: str, dtype: Any, *coordinates: Any
) -> NDArray[Any]:
    """What `call` gives at each of some coordinates; `dtype` is that of the whole `ctype`."""
    xp, kind = objects.xp, np.dtype(dtype)
    kernel = xp.RawKernel(fetching(call, ctype, len(coordinates)), "k")
    arrays = [xp.asarray(np.asarray(one, np.float32)) for one in coordinates]
    count = len(coordinates[0])
    scalar = kind.base
    numbers = kind.shape[0] if kind.shape else 1
    out = xp.zeros(max(1, count) * numbers, scalar)
    kernel((-(-count // 64) or 1,), (64,), (texture, out, *arrays, np.int32(count)))
    found: NDArray[Any] = out.get()[: count * numbers].reshape(count, *kind.shape)
    return found
