"""The host's part: CuPy's classes, what they refuse, and how handles come to kernels."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import simulator
from simulator.host import runtime
from simulator.host import texture as module
from tests.simulator.textures.objects import (
    CLAMP,
    CUBEMAP,
    GATHER,
    LAYERED,
    STORABLE,
    Objects,
    fetched,
)

OBJECTS = Objects()
FLOAT = module.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
BYTE = module.ChannelFormatDescriptor(8, 0, 0, 0, runtime.cudaChannelFormatKindUnsigned)
WORD = module.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindSigned)
CLASSES = [
    *("ChannelFormatDescriptor", "CUDAarray", "ResourceDescriptor", "TextureDescriptor"),
    *("TextureObject", "SurfaceObject"),
]


@pytest.mark.parametrize("name", CLASSES)
def test_parameters_are_those_of_cupy(name: str) -> None:
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    text = inspect.getdoc(getattr(cupy.cuda.texture, name)) or ""
    theirs = re.findall(r"^ {4}(\w+) \(", text, re.MULTILINE)
    parameters = inspect.signature(getattr(module, name)).parameters
    assert {*parameters} == {*theirs}  # not all in the order of the signature


def test_numbers_are_those_of_cupy() -> None:
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    names = [name for name in vars(runtime) if name.startswith("cuda")]
    assert len(names) > 10
    for name in names:
        theirs = getattr(cupy.cuda.runtime, name, None)
        assert theirs == getattr(runtime, name)


@pytest.mark.parametrize("shape", [(9,), (5, 9), (3, 5, 9)])
@pytest.mark.parametrize("channels", [1, 2, 4])
@pytest.mark.parametrize("on_device", [False, True])
def test_copies_there_and_back(shape: tuple[int, ...], channels: int, on_device: bool) -> None:
    whole = np.random.default_rng(1).random((*shape[:-1], 2 * shape[-1] * channels))
    values = whole.astype(np.float16)[..., ::2]  # not in C's order
    given = simulator.asarray(values) if on_device else values
    array = OBJECTS.array(values, channels)
    array.copy_from(given, simulator.cuda.Stream())
    back = (
        simulator.zeros(values.shape, "float16") if on_device else np.zeros_like(values, order="C")
    )
    array.copy_to(back)
    assert ((back.get() if on_device else back) == values).all()


def test_descriptors_say_what_they_were_made_of() -> None:
    array = module.CUDAarray(FLOAT, 4)
    assert (array.width, array.height, array.depth, array.ndim) == (4, 0, 0, 1)
    found = module.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array)
    assert found.get_resource_desc() == {"resType": 0, "array": {"array": array.ptr}}
    memory = simulator.zeros(64, "float32")
    found = OBJECTS.linear(memory)
    described = {"devPtr": memory.data.ptr, "desc": FLOAT.get_channel_format()}
    assert found.get_resource_desc()["linear"] == described | {"sizeInBytes": 256}
    found = OBJECTS.rows(memory.reshape(4, 16), 3)
    rows = {"width": 3, "height": 4, "pitchInBytes": 64}
    assert found.get_resource_desc()["pitch2D"] == described | rows
    how = module.TextureDescriptor((CLAMP,), borderColors=[1, 2], normalizedCoords=1)
    assert how.get_texture_desc() == {
        "addressMode": (1, 0, 0),
        "filterMode": 0,
        "readMode": 0,
        "sRGB": 0,
        "borderColor": (1.0, 2.0, 0.0, 0.0),
        "normalizedCoords": 1,
        "maxAnisotropy": 0,
    }


def array(desc: Any = FLOAT, *size: int, flags: int = 0) -> Any:
    return module.CUDAarray(desc, *(size or (8, 8)), flags=flags)


def of_array(desc: Any = FLOAT, *size: int, flags: int = 0) -> Any:
    made = array(desc, *size, flags=flags)
    return module.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=made)


def texture(resource: Any, **how: Any) -> Any:
    return OBJECTS.textured(resource, **how)


def memory(count: int = 64) -> Any:
    return simulator.zeros(count, "float32")


@pytest.mark.parametrize(
    ("make", "message", "hint"),
    [
        (lambda: module.ChannelFormatDescriptor(32, 16, 0, 0, 2), "no texels of (32, 16", "1, 2"),
        (lambda: module.ChannelFormatDescriptor(8, 8, 8, 0, 1), "no texels of (8, 8, 8", "1, 2"),
        (lambda: module.ChannelFormatDescriptor(8, 0, 0, 0, 2), "kind 2", "floats of 16 or 32"),
        (lambda: module.ChannelFormatDescriptor(32, 0, 0, 0, 3), "kind 3", "floats of 16 or 32"),
        (lambda: array(flags=64), "the flags 64", ""),
        (lambda: array(flags=LAYERED), "without layers", "depth"),
        (lambda: array(FLOAT, 4, 5, 6, flags=CUBEMAP), "a cubemap of 4 by 5 by 6", "the same"),
        (lambda: array(FLOAT, 4, 4, 12, flags=CUBEMAP), "12 faces", "cudaArrayLayered"),
        (lambda: array(FLOAT, 4, flags=GATHER), "not 2D", "leave"),
        (lambda: module.ResourceDescriptor(0), "needs cuArr", "pass cuArr=CUDAarray(…)"),
        (lambda: module.ResourceDescriptor(2, arr=memory()), "needs arr", "chDesc=…"),
        (lambda: module.ResourceDescriptor(9), "type 9", "cudaResourceType"),
        (lambda: OBJECTS.rows(memory(60).reshape(4, 15), 3), "60 bytes apart", "of 32 bytes"),
        (lambda: OBJECTS.rows(memory().reshape(4, 16), 17), "17 by 4 texels", "pitchInBytes"),
        (lambda: module.ResourceDescriptor(2, None, memory(), FLOAT, 260), "260 bytes", "smaller"),
        (lambda: OBJECTS.linear(memory()[1:]), "inside of an array", "copy the slice"),
        (lambda: module.TextureDescriptor([4]), "addressModes 4", "from 0 to 3"),
        (lambda: module.TextureDescriptor(filterMode=2), "filterMode 2", "from 0 to 1"),
        (lambda: module.TextureDescriptor(sRGB=1), "sRGB", "on the host"),
        (lambda: module.TextureDescriptor(maxAnisotropy=4), "anisotropic", "leave"),
        (lambda: texture(of_array(BYTE), filterMode=1), "linear filter of integers", "Point"),
        (lambda: texture(of_array(WORD), readMode=1), "32-bit integers read as floats", "16 bit"),
        (lambda: texture(OBJECTS.linear(memory()), filterMode=1), "linear memory", "by index"),
        (lambda: texture(of_array(FLOAT, 4, 4, 6, flags=CUBEMAP)), "cubemap without", "Coords=1"),
        (lambda: texture(of_array(BYTE), borderColors=[1]), "border with a colour", "leave"),
        (lambda: module.SurfaceObject(of_array()), "not made for it", "SurfaceLoadStore"),
        (lambda: module.SurfaceObject(OBJECTS.linear(memory())), "linear memory", "CUDAarray"),
    ],
)
def test_what_cannot_be_is_refused(make: Callable[[], Any], message: str, hint: str) -> None:
    with pytest.raises(simulator.SimulatorError) as caught:
        make()
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_what_cupy_refuses_is_refused_alike() -> None:
    with pytest.raises(ValueError, match="width must be nonzero"):
        module.CUDAarray(FLOAT, 0)
    with pytest.raises(ValueError, match="height must be nonzero"):
        module.CUDAarray(FLOAT, 4, 0, 3)
    with pytest.raises(NotImplementedError):
        module.ResourceDescriptor(runtime.cudaResourceTypeMipmappedArray)
    made = module.CUDAarray(FLOAT, 4, 3)
    with pytest.raises(ValueError, match="shape mismatch"):
        made.copy_from(np.zeros((4, 3), np.float32))
    with pytest.raises(ValueError, match="dtype mismatch"):
        made.copy_to(np.zeros((3, 4), np.int32))
    with pytest.raises(ValueError, match="C-contiguous"):
        made.copy_to(np.zeros((4, 3), np.float32).T)


# Handles.

READ = "out[threadIdx.x] = tex1D<float>(t, threadIdx.x);"


def kernel(parameters: str = "cudaTextureObject_t t, float *out", body: str = READ) -> Any:
    text = f'extern "C" __global__ void k({parameters}) {{ {body} }}'
    return simulator.RawKernel(text, "k")


def some_texture(flags: int = 0) -> Any:
    return OBJECTS.texture_of(OBJECTS.array(np.arange(8, dtype=np.float32), flags=flags))


def test_a_texture_keeps_its_array() -> None:
    made = some_texture()  # nobody else has the array
    found = fetched(OBJECTS, made, "tex1D<float>(t, x)", "float", "f4", np.arange(8))
    assert found.tolist() == [*range(8)]


def test_a_handle_may_come_in_a_structure() -> None:
    made, out = some_texture(), simulator.zeros(8, "float32")
    given = np.array([(made.ptr, 2)], np.dtype([("t", "u8"), ("scale", "f4")], align=True))
    body = "out[threadIdx.x] = g.scale * tex1D<float>(g.t, threadIdx.x);"
    text = f"""struct Given {{ cudaTextureObject_t t; float scale; }};
extern "C" __global__ void k(Given g, float *out) {{ {body} }}"""
    simulator.RawKernel(text, "k")((1,), (8,), (given, out))
    assert out.get().tolist() == [*range(0, 16, 2)]


def faulty(*arguments: Any, run: Any = None) -> simulator.SimulatorError:
    with pytest.raises(simulator.SimulatorError) as caught:
        (run or kernel())((1,), (8,), arguments)
    return caught.value


def test_objects_are_not_copied() -> None:
    made = some_texture()
    for one in (made, made.ResDesc, made.ResDesc.cuArr):
        with pytest.raises(TypeError, match="is not copied or pickled: make another one"):
            copy.deepcopy(one)


def test_a_texture_that_is_gone_is_named() -> None:
    made = some_texture()
    handle = made.ptr
    del made
    error = faulty(handle, memory())
    assert "`tex1D` with a texture object that has been destroyed" in error.message
    assert error.hint.endswith("Keep the object on the host as long as kernels use it.")


def test_numbers_that_are_no_texture_are_named() -> None:
    error = faulty(0, memory())
    assert "`tex1D` with 0x0, which is no texture object of this device" in error.message
    with simulator.Device():
        other = some_texture()
    assert "which is no texture object of this device" in faulty(other.ptr, memory()).message


def test_objects_of_other_devices_and_for_other_parameters_are_refused() -> None:
    with simulator.Device():
        other = some_texture()
    error = faulty(other, memory())
    assert "cannot take TextureObject" in error.message
    assert error.hint == "It lives on another simulated device."
    error = faulty(some_texture(), memory(), run=kernel("int t, float *out"))
    assert error.hint == "Declare the parameter as cudaTextureObject_t."
    error = faulty(some_texture(), memory(), run=kernel("float *t, float *out", ""))
    assert "cannot take TextureObject" in error.message


@pytest.mark.parametrize(
    ("fetch", "how", "message", "hint"),
    [
        ("tex2D<float>(t, 1, 1)", {}, "does not access a 1D texture", "Call `tex1D`."),
        ("tex1Dfetch<float>(t, 1)", {}, "does not access a 1D texture", "Call `tex1D`."),
        ("tex1D<int>(t, 1)", {}, "32-bit floats for integers", "Name float"),
        ("tex1D<float2>(t, 1).x", {}, "2 channels of a texture that has 1 channel", "shorter"),
        ("surf1Dread<float>(t, 4)", {}, "takes a surface, and this is a texture", "SurfaceObject"),
    ],
)
def test_textures_are_read_as_what_they_are(
    fetch: str, how: dict[str, Any], message: str, hint: str
) -> None:
    error = faulty(some_texture(), memory(), run=kernel(body=f"*out = {fetch};"))
    assert message in error.message
    assert hint in error.hint


def test_integers_that_are_read_as_they_are_are_no_floats() -> None:
    made = OBJECTS.texture_of(OBJECTS.array(np.arange(8, dtype=np.uint8)))
    error = faulty(made, memory())
    assert "8-bit unsigned integers for floats" in error.message
    assert "cudaReadModeNormalizedFloat" in error.hint


def test_a_gather_needs_its_array_and_its_channels() -> None:
    run = kernel(body="*out = tex2Dgather<float4>(t, 1, 1, 2).x;")
    values = np.zeros((4, 4), np.float32)
    error = faulty(OBJECTS.texture_of(OBJECTS.array(values)), memory(), run=run)
    assert "not made for it" in error.message
    error = faulty(OBJECTS.texture_of(OBJECTS.array(values, flags=GATHER)), memory(), run=run)
    assert "of channel 2 of a texture of 1" in error.message


def test_there_is_no_more_memory_than_the_device_has() -> None:
    with simulator.Device(memory=1000), pytest.raises(simulator.OutOfMemoryError):
        array(FLOAT, 16, 16, flags=STORABLE)
