"""Small launches that read textures and use surfaces, which an H200's Nsight Compute has counted.

`python -m tests.simulator.hardware.record --textures FILE` runs them on a GPU under Nsight Compute,
and `test_textures` holds the simulator to what it wrote. Each kernel is launched with one warp, as
`NAME(unsigned long long o, float *b)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

#: The metrics by which a GPU counts the same, by our counters' names.
METRICS = {
    "texture_requests": ("smsp__inst_executed_op_texture.sum",),
    "texture_sectors": ("l1tex__t_sectors_pipe_tex_mem_texture.sum",),
    "surface_requests": (
        "smsp__inst_executed_op_surface_ld.sum",
        "smsp__inst_executed_op_surface_st.sum",
    ),
}
#: Texels of an array along each axis.
SIDE = 64


@dataclass(frozen=True)
class Fetch:
    """A kernel, called by its name, and the object that it is given."""

    name: str
    text: str
    object: str

    @property
    def code(self) -> str:
        """The program."""
        head = f'extern "C" __global__ void {self.name}(unsigned long long o, float *b)'
        return f"{head} {{ int t = threadIdx.x; {self.text} }}"


FETCHES = (
    Fetch("fetch_row", "b[t] = tex1Dfetch<float>(o, t);", "linear"),
    Fetch("fetch_apart", "b[t] = tex1Dfetch<float>(o, 8 * t);", "linear"),
    Fetch("fetch_fours", "float4 v = tex1Dfetch<float4>(o, t); b[t] = v.x + v.w;", "fours"),
    Fetch("fetch_one", "b[t] = tex1Dfetch<float>(o, 5);", "linear"),
    Fetch("point_row", "b[t] = tex2D<float>(o, t + .5f, 3.5f);", "point"),
    Fetch("point_column", "b[t] = tex2D<float>(o, 3.5f, t + .5f);", "point"),
    Fetch("point_patch", "b[t] = tex2D<float>(o, t % 8 + .5f, t / 8 + .5f);", "point"),
    Fetch("point_one", "b[t] = tex2D<float>(o, 5.5f, 3.5f);", "point"),
    Fetch("between_four", "b[t] = tex2D<float>(o, t + 1.25f, 3.75f);", "filtered"),
    Fetch("rows_of_memory", "b[t] = tex2D<float>(o, t + .5f, 3.5f);", "pitched"),
    Fetch("surface_read", "b[t] = surf2Dread<float>(o, 4 * t, 3);", "surface"),
    Fetch("surface_row", "surf2Dwrite((float)t, o, 4 * t, 3);", "surface"),
    Fetch("surface_column", "surf2Dwrite((float)t, o, 12, t);", "surface"),
)


def objects(module: Any) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """Make the textures and the surface, by CuPy or what stands in its place.

    Returns
    -------
    dict
        The objects by the names that kernels ask for.
    tuple
        What they show, which must outlive them.
    """
    texture, runtime = module.cuda.texture, module.cuda.runtime
    real = runtime.cudaChannelFormatKindFloat
    one = texture.ChannelFormatDescriptor(32, 0, 0, 0, real)
    four = texture.ChannelFormatDescriptor(32, 32, 32, 32, real)
    data, rows = module.zeros(SIDE * SIDE, np.float32), module.zeros((SIDE, SIDE), np.float32)
    array = texture.CUDAarray(one, SIDE, SIDE)
    array.copy_from(np.zeros((SIDE, SIDE), np.float32))
    kept = texture.CUDAarray(one, SIDE, SIDE, 0, runtime.cudaArraySurfaceLoadStore)
    kept.copy_from(np.zeros((SIDE, SIDE), np.float32))

    def resource(what: int, **given: Any) -> Any:
        return texture.ResourceDescriptor(what, **given)

    def read(source: Any, mode: int = runtime.cudaFilterModePoint) -> Any:
        edges = (runtime.cudaAddressModeClamp,) * 2
        how = texture.TextureDescriptor(edges, mode, runtime.cudaReadModeElementType)
        return texture.TextureObject(source, how)

    linear, of_array = runtime.cudaResourceTypeLinear, runtime.cudaResourceTypeArray
    pitched = {"width": SIDE, "height": SIDE, "pitchInBytes": 4 * SIDE}
    size = {"arr": data, "sizeInBytes": data.nbytes}
    made = {
        "linear": read(resource(linear, chDesc=one, **size)),
        "fours": read(resource(linear, chDesc=four, **size)),
        "point": read(resource(of_array, cuArr=array)),
        "filtered": read(resource(of_array, cuArr=array), runtime.cudaFilterModeLinear),
        "pitched": read(resource(runtime.cudaResourceTypePitch2D, arr=rows, chDesc=one, **pitched)),
        "surface": texture.SurfaceObject(resource(of_array, cuArr=kept)),
    }
    return made, (data, rows, array, kept)


def launch(module: Any, fetch: Fetch, made: dict[str, Any]) -> None:
    """Launch one kernel by CuPy or what stands in its place."""
    out = module.zeros(SIDE, np.float32)
    module.RawKernel(fetch.code, fetch.name)((1,), (32,), (made[fetch.object], out))
