"""CuPy's `cuda.texture`: CUDA arrays, textures and surfaces over them, and their descriptions.

Numbers that say which kind of something is meant are those of `cuda.runtime`. A texture or a
surface keeps what it reads alive, and is destroyed with its object.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from simulator.execute.device import Device, current
from simulator.execute.memory import shadow
from simulator.execute.textures import FACES, Image, Surface, Texture
from simulator.host import runtime
from simulator.host.array import ndarray
from simulator.host.pointer import allocated
from simulator.ir.textures import Shape
from simulator.lanes import sampling
from simulator.source import SimulatorError

#: What the starts of linear memory and of its rows are multiples of, as on all NVIDIA's GPUs.
_ALIGNMENT, _PITCH_ALIGNMENT = 512, 32
_KINDS = {
    runtime.cudaChannelFormatKindSigned: ("i", (8, 16, 32)),
    runtime.cudaChannelFormatKindUnsigned: ("u", (8, 16, 32)),
    runtime.cudaChannelFormatKindFloat: ("f", (16, 32)),
}
#: CUDA's flags of arrays that CuPy has no names for.
_LAYERED, _CUBEMAP, _GATHER = 1, 4, 8
_FLAGS = _LAYERED | runtime.cudaArraySurfaceLoadStore | _CUBEMAP | _GATHER


class ChannelFormatDescriptor:
    """What a texel is made of: `cudaChannelFormatDesc`.

    Parameters
    ----------
    x, y, z, w : int
        Bits of each channel, 0 for those that there are not.
    f : int
        What their bits are: cudaChannelFormatKindSigned, …Unsigned or …Float.

    Examples
    --------
    >>> from simulator import cuda
    >>> floats = cuda.runtime.cudaChannelFormatKindFloat
    >>> cuda.texture.ChannelFormatDescriptor(32, 32, 0, 0, floats).get_channel_format()
    {'x': 32, 'y': 32, 'z': 0, 'w': 0, 'f': 2}
    """

    def __init__(self, x: int, y: int, z: int, w: int, f: int) -> None:
        self._bits, self._kind = (int(x), int(y), int(z), int(w)), int(f)
        self._channels = sum(bits > 0 for bits in self._bits)
        letter, sizes = _KINDS.get(self._kind, ("", ()))
        same = self._bits == (self._bits[0],) * self._channels + (0,) * (4 - self._channels)
        if self._bits[0] not in sizes or not same or self._channels not in (1, 2, 4):
            raise SimulatorError(
                f"there are no texels of {self._bits} bits of kind {self._kind}",
                hint="1, 2 or 4 channels of 8, 16 or 32 bits, floats of 16 or 32; the others are 0",
            )
        self._dtype = np.dtype(f"{letter}{self._bits[0] // 8}")

    def get_channel_format(self) -> dict[str, int]:
        """Return what it was made of.

        Returns
        -------
        dict
            The bits of x, y, z and w, and the kind f.
        """
        return dict(zip("xyzwf", (*self._bits, self._kind), strict=True))


class _OnDevice:
    """Something that is on one device, and is not copied."""

    def __reduce__(self) -> NoReturn:
        what = f"a {type(self).__name__} is not copied or pickled"
        raise TypeError(f"{what}: make another one of the same texels")


class CUDAarray(_OnDevice):
    """An array for textures and surfaces, of one, two or three dimensions.

    Parameters
    ----------
    desc : ChannelFormatDescriptor
        Its texels.
    width, height, depth : int
        How many there are along each axis; 0 where there is no such axis.
    flags : int
        cudaArrayDefault, cudaArraySurfaceLoadStore, or the sum of what it is for; of those that
        CuPy has no names for, cudaArrayLayered is 1, cudaArrayCubemap 4, cudaArrayTextureGather 8.
        Of layers and faces `depth` is the number.

    Raises
    ------
    ValueError
        As CuPy does, if there is no width, or a depth without a height.
    SimulatorError
        For flags and sizes that do not go together.
    """

    def __init__(
        self,
        desc: ChannelFormatDescriptor,
        width: int,
        height: int = 0,
        depth: int = 0,
        flags: int = 0,
    ) -> None:
        if width == 0:
            raise ValueError("To create a CUDA array, width must be nonzero.")
        if height == 0 and depth > 0:
            raise ValueError("To create a 2D CUDA array, height must be nonzero.")
        self.desc = desc
        self.width, self.height, self.depth, self.flags = width, height, depth, flags
        self.ndim = 3 if depth > 0 else 2 if height > 0 else 1
        _check_flags(self)
        extent = (width, max(1, height), max(1, depth))
        pitch = -(-width * desc._dtype.itemsize * desc._channels // _PITCH_ALIGNMENT)
        pitch *= _PITCH_ALIGNMENT
        self._device = current()
        self._memory = allocated(self._device, pitch * extent[1] * extent[2], "a CUDA array")
        self._memory.allocation.written = shadow(self._memory.allocation.nbytes)
        #: Its address here; a GPU's is a handle.
        self.ptr = self._memory.ptr
        layered, cubemap = bool(flags & _LAYERED), bool(flags & _CUBEMAP)
        axes = 2 if cubemap else self.ndim - layered
        shape = Shape(axes, layered, cubemap)
        gathers = bool(flags & _GATHER)
        self._image = Image(self.ptr, desc._dtype, desc._channels, extent, pitch, shape, gathers)

    def copy_from(self, in_arr: ndarray | NDArray[Any], stream: object = None) -> None:
        """Copy an array of the device or the host into it.

        Parameters
        ----------
        in_arr : ndarray or numpy.ndarray
            Of shape (depth, height, channels * width), without what there is not.
        stream : Stream, optional
            Changes nothing: the copy is done on return.
        """
        host = in_arr._host if isinstance(in_arr, ndarray) else in_arr
        self._texels(host)[...] = host
        self._memory.allocation.written = None

    def copy_to(self, out_arr: ndarray | NDArray[Any], stream: object = None) -> None:
        """Copy it to an array of the device or the host.

        Parameters
        ----------
        out_arr : ndarray or numpy.ndarray
            In C's order, of shape (depth, height, channels * width), without what there is not.
        stream : Stream, optional
            Changes nothing: the copy is done on return.
        """
        if isinstance(out_arr, ndarray):
            out_arr.set(self._texels(out_arr._host))
            return
        if not out_arr.flags.c_contiguous:
            raise ValueError("The output array must be C-contiguous")
        out_arr[...] = self._texels(out_arr)

    def _texels(self, other: NDArray[Any]) -> NDArray[Any]:
        """View its channels in the shape of another array, which must be its own."""
        row = self.desc._channels * self.width
        shape = (self.depth, self.height, row)[3 - self.ndim :]
        if other.shape != shape:
            raise ValueError(f"shape mismatch: the CUDA array is {shape}, not {other.shape}")
        if other.dtype != self.desc._dtype:
            what = f"the CUDA array has {self.desc._dtype}, not {other.dtype}"
            raise ValueError(f"dtype mismatch: {what}")
        allocation = self._memory.allocation
        raw = self._device.memory.view(allocation.start, allocation.nbytes, other.dtype)
        return raw.reshape(-1, self._image.pitch // other.dtype.itemsize)[:, :row].reshape(shape)


def _check_flags(array: CUDAarray) -> None:
    """Refuse flags and sizes of which CUDA makes no array."""
    flags, faces = array.flags, array.flags & _CUBEMAP
    if flags & ~_FLAGS:
        _refuse(f"a CUDA array with the flags {flags}", "of cuda.runtime there are cudaArray…")
    if flags & _LAYERED and array.depth == 0:
        _refuse("a layered CUDA array without layers", "their number is the depth")
    if faces and (array.width != array.height or array.depth % FACES or not array.depth):
        hint = "width and height are the same, and the depth is 6, or 6 for each layer"
        _refuse(f"a cubemap of {array.width} by {array.height} by {array.depth}", hint)
    if faces and not flags & _LAYERED and array.depth != FACES:
        _refuse(f"a cubemap of {array.depth} faces", "add cudaArrayLayered for several of 6")
    if flags & _GATHER and array.ndim != 2:
        _refuse("a CUDA array for tex2Dgather that is not 2D", "leave cudaArrayTextureGather out")


def _refuse(what: str, hint: str) -> NoReturn:
    raise SimulatorError(f"{what} cannot be", hint=hint)


class ResourceDescriptor:
    """What a texture or a surface is of: `cudaResourceDesc`.

    Parameters
    ----------
    restype : int
        cudaResourceTypeArray, cudaResourceTypeLinear or cudaResourceTypePitch2D.
    cuArr : CUDAarray, optional
        The CUDA array.
    arr : ndarray, optional
        The linear memory, or its rows.
    chDesc : ChannelFormatDescriptor, optional
        The texels in `arr`.
    sizeInBytes : int
        Bytes of linear memory.
    width, height, pitchInBytes : int
        Of rows: how many texels each has, how many there are, bytes from one to the next.

    Raises
    ------
    NotImplementedError
        For mipmaps, as CuPy does.
    SimulatorError
        If something is missing, or would be refused by CUDA.
    """

    def __init__(
        self,
        restype: int,
        cuArr: CUDAarray | None = None,
        arr: ndarray | None = None,
        chDesc: ChannelFormatDescriptor | None = None,
        sizeInBytes: int = 0,
        width: int = 0,
        height: int = 0,
        pitchInBytes: int = 0,
    ) -> None:
        self.cuArr, self.arr, self.chDesc = cuArr, arr, chDesc
        self._restype = restype
        self._sizes = sizeInBytes, width, height, pitchInBytes
        if restype == runtime.cudaResourceTypeMipmappedArray:
            raise NotImplementedError("cudaResourceTypeMipmappedArray is currently not supported.")
        if restype == runtime.cudaResourceTypeArray:
            if cuArr is None:
                _missing("cudaResourceTypeArray", "cuArr=CUDAarray(…)")
            self._image, self._device = cuArr._image, cuArr._device
        elif restype in (runtime.cudaResourceTypeLinear, runtime.cudaResourceTypePitch2D):
            name = "Linear" if restype == runtime.cudaResourceTypeLinear else "Pitch2D"
            if arr is None or chDesc is None:
                _missing(f"cudaResourceType{name}", "arr=… and chDesc=…")
            self._image = _linear(self, arr, chDesc)
            self._device = arr.data.device
        else:
            _refuse(f"a resource of type {restype}", "of cuda.runtime there are cudaResourceType…")

    def get_resource_desc(self) -> dict[str, Any]:
        """Return what it was made of.

        Returns
        -------
        dict
            As CuPy has it.
        """
        nbytes, width, height, pitch = self._sizes
        found: dict[str, Any] = {"resType": self._restype}
        if self.cuArr is not None and self._restype == runtime.cudaResourceTypeArray:
            return found | {"array": {"array": self.cuArr.ptr}}
        assert self.arr is not None
        assert self.chDesc is not None
        memory = {"devPtr": self.arr.data.ptr, "desc": self.chDesc.get_channel_format()}
        if self._restype == runtime.cudaResourceTypeLinear:
            return found | {"linear": memory | {"sizeInBytes": nbytes}}
        rows = {"width": width, "height": height, "pitchInBytes": pitch}
        return found | {"pitch2D": memory | rows}


def _missing(restype: str, what: str) -> NoReturn:
    raise SimulatorError(f"a resource of {restype} needs {what}", hint=f"pass {what}")


def _linear(given: ResourceDescriptor, arr: ndarray, desc: ChannelFormatDescriptor) -> Image:
    """Make the image of linear memory, or of rows in it."""
    nbytes, width, height, pitch = given._sizes
    texel = desc._dtype.itemsize * desc._channels
    start = arr.data.ptr
    shape = Shape(2)
    if given._restype == runtime.cudaResourceTypeLinear:
        shape = Shape(1, linear=True)
        width, height, pitch = nbytes // texel, 1, nbytes
    elif pitch % _PITCH_ALIGNMENT:
        hint = f"make it a multiple of {_PITCH_ALIGNMENT} bytes"
        _refuse(f"a texture of rows that are {pitch} bytes apart", hint)
    if not width or not height or pitch < width * texel:
        hint = "say width, height and pitchInBytes; of linear memory sizeInBytes"
        _refuse(f"a texture of {width} by {height} texels and rows of {pitch} bytes", hint)
    room = arr.data.allocation.end - start
    if pitch * (height - 1) + width * texel > room:
        _refuse(f"a texture of {pitch * height} bytes in an array of {room}", "make it smaller")
    if (start - arr.data.allocation.start) % _ALIGNMENT:
        hint = f"it begins at a multiple of {_ALIGNMENT} bytes: copy the slice"
        _refuse("a texture that begins inside of an array", hint)
    return Image(start, desc._dtype, desc._channels, (width, height, 1), pitch, shape)


class TextureDescriptor:
    """How a texture is read: `cudaTextureDesc`.

    Parameters
    ----------
    addressModes : sequence of int, optional
        What is outside, for up to three axes: cudaAddressModeWrap (the default), …Clamp, …Mirror or
        …Border. Without normalised coordinates Wrap and Mirror are Clamp, as CUDA has it.
    filterMode : int
        cudaFilterModePoint or cudaFilterModeLinear.
    readMode : int
        cudaReadModeElementType or cudaReadModeNormalizedFloat.
    sRGB, maxAnisotropy : int, optional
        Not supported.
    borderColors : sequence of float, optional
        What is outside by cudaAddressModeBorder, for up to four channels.
    normalizedCoords : int, optional
        Whether coordinates go from 0 to 1.

    Raises
    ------
    SimulatorError
        For what is not supported, and modes that there are not.
    """

    def __init__(
        self,
        addressModes: Sequence[int] | None = None,
        filterMode: int = 0,
        readMode: int = 0,
        sRGB: int | None = None,
        borderColors: Sequence[float] | None = None,
        normalizedCoords: int | None = None,
        maxAnisotropy: int | None = None,
    ) -> None:
        modes, colours = tuple(addressModes or ()), tuple(borderColors or ())
        assert len(modes) <= 3
        assert len(colours) <= 4
        if sRGB:
            _refuse("a texture in sRGB", "convert the texels on the host")
        if maxAnisotropy and maxAnisotropy > 1:
            _refuse("an anisotropic texture", "leave maxAnisotropy out: there are no mipmaps")
        for mode in modes:
            _check_mode("addressModes", mode, runtime.cudaAddressModeBorder)
        _check_mode("filterMode", filterMode, runtime.cudaFilterModeLinear)
        _check_mode("readMode", readMode, runtime.cudaReadModeNormalizedFloat)
        self._modes = (*modes, 0, 0, 0)[:3]
        red, green, blue, alpha = (*map(float, colours), 0.0, 0.0, 0.0, 0.0)[:4]
        self._colours = red, green, blue, alpha
        self._filter, self._read = filterMode, readMode
        self._normalised = int(normalizedCoords or 0)

    def get_texture_desc(self) -> dict[str, Any]:
        """Return what it was made of.

        Returns
        -------
        dict
            As CuPy has it.
        """
        return {
            "addressMode": self._modes,
            "filterMode": self._filter,
            "readMode": self._read,
            "sRGB": 0,
            "borderColor": self._colours,
            "normalizedCoords": self._normalised,
            "maxAnisotropy": 0,
        }


def _check_mode(name: str, mode: int, most: int) -> None:
    if not 0 <= mode <= most:
        _refuse(f"{name} {mode}", f"it is from 0 to {most}: cuda.runtime has their names")


class TextureObject(_OnDevice):
    """A texture, which kernels take as a `cudaTextureObject_t`.

    Parameters
    ----------
    ResDesc : ResourceDescriptor
        What it is of.
    TexDesc : TextureDescriptor
        How it is read.

    Raises
    ------
    SimulatorError
        If CUDA would make no texture of them.

    Examples
    --------
    >>> import simulator
    >>> from simulator.host.texture import *
    >>> runtime = simulator.cuda.runtime
    >>> texel = ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> array = CUDAarray(texel, 4)
    >>> array.copy_from(simulator.arange(4, dtype="float32"))
    >>> texture = TextureObject(
    ...     ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array),
    ...     TextureDescriptor([runtime.cudaAddressModeClamp], runtime.cudaFilterModeLinear),
    ... )
    >>> kernel = simulator.RawKernel('''
    ... extern "C" __global__ void read(cudaTextureObject_t texture, float *out) {
    ...   out[threadIdx.x] = tex1D<float>(texture, 0.5f * threadIdx.x);
    ... }''', "read")
    >>> out = simulator.empty(6, "float32")
    >>> kernel((1,), (6,), (texture, out))
    >>> out.get().tolist()
    [0.0, 0.0, 0.5, 1.0, 1.5, 2.0]
    """

    def __init__(self, ResDesc: ResourceDescriptor, TexDesc: TextureDescriptor) -> None:
        self.ResDesc, self.TexDesc = ResDesc, TexDesc
        self._device = ResDesc._device
        #: Its handle.
        self.ptr = _bound(self, self._device, _texture(ResDesc._image, TexDesc))


def _texture(image: Image, how: TextureDescriptor) -> Texture:
    as_floats = how._read == runtime.cudaReadModeNormalizedFloat and image.dtype.kind != "f"
    filters = how._filter == runtime.cudaFilterModeLinear
    if as_floats and image.dtype.itemsize == 4:
        _refuse(
            "a texture of 32-bit integers read as floats", "read them as they are, or as 16 bit"
        )
    if filters and image.dtype.kind != "f" and not as_floats:
        hint = "read them by cudaReadModeNormalizedFloat, or take cudaFilterModePoint"
        _refuse("a linear filter of integers that are read as they are", hint)
    if image.shape.linear and (filters or how._normalised):
        hint = "tex1Dfetch reads by index: take cudaFilterModePoint, normalizedCoords=0"
        _refuse("a filter, or normalised coordinates, of linear memory", hint)
    if image.shape.cubemap and not how._normalised:
        _refuse("a cubemap without normalised coordinates", "pass normalizedCoords=1")
    if any(how._colours) and image.dtype.kind != "f" and not as_floats:
        _refuse("a border with a colour of integers read as they are", "leave borderColors out")
    folds = (sampling.WRAP, sampling.MIRROR)
    modes = [
        sampling.CLAMP if mode in folds and not how._normalised else mode for mode in how._modes
    ]
    return Texture(
        image,
        (modes[0], modes[1], modes[2]),
        filters,
        bool(how._normalised),
        as_floats,
        how._colours,
    )


class SurfaceObject(_OnDevice):
    """A surface, which kernels take as a `cudaSurfaceObject_t`.

    Parameters
    ----------
    ResDesc : ResourceDescriptor
        Of a CUDA array that was made with cudaArraySurfaceLoadStore.

    Raises
    ------
    SimulatorError
        If CUDA would make no surface of it.
    """

    def __init__(self, ResDesc: ResourceDescriptor) -> None:
        self.ResDesc = ResDesc
        self._device = ResDesc._device
        array = ResDesc.cuArr
        if ResDesc._restype != runtime.cudaResourceTypeArray or array is None:
            _refuse("a surface of linear memory", "surfaces are of a CUDAarray")
        if not array.flags & runtime.cudaArraySurfaceLoadStore:
            hint = "make it with flags=cudaArraySurfaceLoadStore"
            _refuse("a surface of a CUDA array that was not made for it", hint)
        #: Its handle.
        self.ptr = _bound(self, self._device, Surface(ResDesc._image))


def _bound(owner: object, device: Device, item: Texture | Surface) -> int:
    """Give a handle to what lives as long as its owner."""
    handle = device.bindings.add(item)
    weakref.finalize(owner, device.bindings.remove, handle)
    return handle
