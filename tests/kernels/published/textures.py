"""Textures and surfaces of a case, with CuPy's names on either machine."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.kernels.published.case import Texture

_ADDRESSES = {"wrap": "Wrap", "clamp": "Clamp", "mirror": "Mirror", "border": "Border"}
_KINDS = {"i": "Signed", "u": "Unsigned", "f": "Float"}
_SURFACE = 2


_ARRAYS: dict[int, tuple[Any, Any]] = {}


def bound(texture: Texture, machine: Any) -> Any:
    """Return the object that is passed for a texture or surface."""
    runtime, made = machine.cuda.runtime, machine.cuda.texture
    form = _form(texture, machine)
    if texture.memory:
        flat = machine.asarray(texture.texels.reshape(-1))
        kind = runtime.cudaResourceTypeLinear
        resource = made.ResourceDescriptor(kind, arr=flat, chDesc=form, sizeInBytes=flat.nbytes)
        array = flat
    else:
        array = _array(texture, machine, form)
        resource = made.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array)
    if texture.surface:
        found = made.SurfaceObject(resource)
    else:
        found = made.TextureObject(resource, _reading(texture, machine))
    _ARRAYS[id(found)] = found, array
    return found


def texels_of(found: Any, texture: Texture) -> NDArray[Any]:
    """Return what a surface holds."""
    array = _ARRAYS[id(found)][1]
    rows = np.zeros(_rows(texture).shape, texture.texels.dtype)
    array.copy_to(rows)
    return rows.reshape(texture.texels.shape)


def _form(texture: Texture, machine: Any) -> Any:
    runtime, dtype = machine.cuda.runtime, texture.texels.dtype
    kind = getattr(runtime, f"cudaChannelFormatKind{_KINDS[dtype.kind]}")
    bits = [8 * dtype.itemsize] * texture.channels + [0] * (4 - texture.channels)
    return machine.cuda.texture.ChannelFormatDescriptor(*bits, kind)


def _rows(texture: Texture) -> NDArray[Any]:
    """Return the texels as CuPy takes them: the channels in the rows."""
    texels = texture.texels
    if texture.channels > 1:
        texels = texels.reshape(*texels.shape[:-2], -1)
    return np.ascontiguousarray(texels)


def _array(texture: Texture, machine: Any, form: Any) -> Any:
    rows = _rows(texture)
    depth, height, width = (0,) * (3 - rows.ndim) + rows.shape
    flags = texture.flags | (_SURFACE if texture.surface else 0)
    width //= texture.channels
    array = machine.cuda.texture.CUDAarray(form, width, height, depth, flags)
    array.copy_from(rows)
    return array


def _reading(texture: Texture, machine: Any) -> Any:
    runtime = machine.cuda.runtime
    mode = getattr(runtime, f"cudaAddressMode{_ADDRESSES[texture.address]}")
    mixed = runtime.cudaFilterModeLinear if texture.linear else runtime.cudaFilterModePoint
    fractions = runtime.cudaReadModeNormalizedFloat
    read = fractions if texture.as_float else runtime.cudaReadModeElementType
    return machine.cuda.texture.TextureDescriptor(
        [mode] * 3, mixed, read, normalizedCoords=int(texture.normalized)
    )
