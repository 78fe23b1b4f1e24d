"""What counters, sanitizers, traces and schedules make of textures and surfaces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simulator
from gpubfs.machines import nvrtc
from simulator.instrument import InstrumentedModule, instrumented
from simulator.observe.trace import Cursor, accesses
from tests.simulator.textures.objects import CLAMP, STORABLE, Objects

OBJECTS = Objects()
PARAMETERS = "cudaTextureObject_t t, cudaSurfaceObject_t s, float *v"
SCHEDULES = ["lockstep", "warp", "shuffled:1", "round-robin:2", "random:3"]


class Scene:
    """A CUDA array of 64 floats as a texture and as a surface, and as many floats in memory."""

    def __init__(self, filters: int = 0) -> None:
        self.array = OBJECTS.array(np.arange(64, dtype=np.float32), flags=STORABLE)
        how = {"addressModes": [CLAMP], "filterMode": filters}
        self.texture = OBJECTS.texture_of(self.array, **how)
        self.surface = OBJECTS.surface_of(self.array)
        self.memory = simulator.zeros(64, "float32")

    def run(self, body: str, grid: int = 1, block: int = 64) -> simulator.Launch:
        body = f"int i = threadIdx.x; {body}"
        text = f'extern "C" __global__ void k({PARAMETERS}) {{\n{body}\n}}'
        with simulator.counting() as record:
            simulator.RawKernel(text, "k")(
                (grid,), (block,), (self.texture, self.surface, self.memory)
            )
        return record.launches[0]


# Counters.


@pytest.mark.parametrize(
    ("body", "requests", "sectors"),
    [
        ("v[i] = tex1D<float>(t, i);", 2, 8),
        ("v[i] = tex1D<float>(t, i % 2);", 2, 2),
        ("v[i] = tex1D<float>(t, 8 * i);", 2, 8 + 1),  # 32 to 63 are 256 and more: the last texel
        ("if (i < 8) v[i] = tex1D<float>(t, i);", 1, 1),
        ("v[i] = tex1D<float>(t, 3) + tex1D<float>(t, 3);", 4, 4),
    ],
)
def test_fetches_are_counted_by_the_texels_that_they_read(
    body: str, requests: int, sectors: int
) -> None:
    found = Scene().run(body).counters
    assert (found.texture_requests, found.texture_sectors) == (requests, sectors)
    assert (found.load_requests, found.load_sectors, found.surface_requests) == (0, 0, 0)


def test_a_linear_filter_reads_both_neighbours() -> None:
    found = Scene(filters=1).run("if (i < 32) v[i] = tex1D<float>(t, 8 + i);").counters
    assert (found.texture_requests, found.texture_sectors) == (1, 5)


def test_what_is_outside_of_a_surface_is_no_sector() -> None:
    body = "surf1Dwrite(1.0f, s, 8 * i, cudaBoundaryModeZero); v[i] = surf1Dread<float>(s, 4 * i);"
    found = Scene().run(body).counters
    assert (found.surface_requests, found.surface_sectors) == (4, 8 + 8)
    assert (found.load_requests, found.store_requests) == (0, 2)


def test_the_work_of_threads_is_what_they_do_by_pointers() -> None:
    found = Scene(filters=1).run("v[i] = tex1D<float>(t, i) + surf1Dread<float>(s, 4 * i);")
    assert found.counters.work.maximum == 1


def test_sites_name_the_object() -> None:
    launch = Scene().run("surf1Dwrite(tex1D<float>(t, i), s, 4 * i);")
    assert {(site.kind, site.array) for site in launch.sites} == {
        ("texture_load", "t"),
        ("surface_store", "s"),
    }


# Sanitizers.

FLAG = """
if (blockIdx.x == 0) {{ {write} __threadfence(); atomicExch((int *)v, 1); }}
else {{ while (atomicAdd((int *)v, 0) == 0); {read} }}
"""


@pytest.mark.parametrize(
    "body",
    [
        "surf1Dwrite(2.0f * surf1Dread<float>(s, 4 * i), s, 4 * i);",
        "float x = tex1D<float>(t, i); surf1Dwrite(2 * x, s, 4 * i);",
        "float x = tex1D<float>(t, 63 - i); __syncthreads(); surf1Dwrite(x, s, 4 * i);",
        "surf1Dwrite(1.0f, s, 4 * i); v[i] = 3;",
        "v[i] = tex1D<float>(t, i); v[i] += tex1D<float>(t, 63 - i);",
    ],
)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_what_is_ordered_is_no_race(body: str, schedule: str) -> None:
    with simulator.Device(schedule=schedule), simulator.sanitize("all") as report:
        Scene().run(body)
    assert not report.findings


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("surf1Dwrite((float)i, s, 4 * (i / 2));", "writes by a surface, and nothing orders"),
        ("surf1Dwrite(tex1D<float>(t, i ^ 32), s, 4 * i);", "by a texture"),
        ("surf1Dwrite(surf1Dread<float>(s, 4 * (i ^ 32)), s, 4 * i);", "reads by a surface"),
        (
            "surf1Dwrite(1.0f, s, 4 * i); __syncthreads(); v[i] = tex1D<float>(t, 63 - i);",
            "reads by a texture what .* writes by a surface, and its cache need not see that",
        ),
        (
            "surf1Dwrite(1.0f, s, 4 * i); v[i] = surf1Dread<float>(s, 4 * i);",
            "reads by a surface what .* writes by a surface, and its cache need not see that",
        ),
        (
            "for (int n = 0; n < 2; n++) surf1Dwrite(2 * tex1D<float>(t, i), s, 4 * i);",
            "reads by a texture, and its cache need not see that",
        ),
    ],
)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_what_is_not_is_a_race(body: str, message: str, schedule: str) -> None:
    with (
        simulator.Device(schedule=schedule),
        simulator.sanitize("race"),
        pytest.raises(simulator.Fault, match=message),
    ):
        Scene().run(body)


def test_fences_do_not_reach_the_caches_of_textures() -> None:
    write, read = "surf1Dwrite(1.0f, s, 4 * i);", "v[i] = tex1D<float>(t, i);"
    with (
        simulator.sanitize("race"),
        pytest.raises(simulator.Fault, match="its cache need not see that"),
    ):
        Scene().run(FLAG.format(write=write, read="float x = tex1D<float>(t, 0);"), 2, 1)
    with simulator.sanitize("race") as report:
        body = FLAG.format(write=read.replace("v[i] =", "float x ="), read=write)
        Scene().run(body, 2, 1)
    assert not report.findings


def test_linear_memory_is_written_by_pointers() -> None:
    memory = simulator.zeros(64, "float32")
    texture = OBJECTS.textured(OBJECTS.linear(memory))
    text = """extern "C" __global__ void k(cudaTextureObject_t t, float *v) {
  int i = threadIdx.x;
  float x = tex1Dfetch<float>(t, i + SHIFT);
  v[i] = x + 1;
}"""
    plain = simulator.RawKernel(text, "k", ("-DSHIFT=0",))
    shifted = simulator.RawKernel(text, "k", ("-DSHIFT=1",))
    with simulator.sanitize("race"):
        plain((1,), (64,), (texture, memory))
        with pytest.raises(simulator.Fault, match=r"race on v\[\d+\].* by a texture"):
            shifted((1,), (64,), (texture, memory))


def test_texels_that_nothing_wrote_are_found() -> None:
    scene = Scene()
    made = simulator.cuda.texture.CUDAarray(OBJECTS.channels("f4"), 64, flags=STORABLE)
    scene.texture = OBJECTS.texture_of(made, addressModes=[CLAMP])
    scene.surface = OBJECTS.surface_of(made)
    with simulator.sanitize("init"):
        message = "reads byte 128 of a CUDA array, which nothing has written"
        scene.run("if (i < 32) surf1Dwrite(1.0f, s, 4 * i);")
        scene.run("if (i < 32) v[i] = tex1D<float>(t, i);")
        with pytest.raises(simulator.Fault, match=message):
            scene.run("v[i] = tex1D<float>(t, i);")
    scene.run("surf1Dwrite(1.0f, s, 4 * i);")  # unwatched
    with simulator.sanitize("init"):
        scene.run("v[i] = tex1D<float>(t, i);")


# Traces, and the order of warps.


def test_traces_have_what_texels_are_touched() -> None:
    scene = Scene()
    with simulator.tracing() as trace:
        body = "v[i] = tex1D<float>(t, i / 2);\nsurf1Dwrite(v[i] + 1, s, 4 * i);"
        scene.run(body, block=8)
    launch = trace.launches[0]
    found = [
        (step.span.line, one.site.kind, one.sectors, one.addresses.size)
        for step in launch.steps
        for one in accesses(launch, step, warp=0)
    ]
    kinds = [(2, "load"), (2, "store"), (3, "load"), (3, "store")]
    assert found == [(*kind, 1, 8) for kind in kinds]
    values, _ = Cursor(launch).at(len(launch.steps) - 1).values("v")
    assert values[:8].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_results_are_the_same_in_any_order_of_warps(schedule: str) -> None:
    with simulator.Device(schedule=schedule):
        scene = Scene(filters=1)
        scene.run("v[i] = tex1D<float>(t, i + 0.75f);")
        scene.run("surf1Dwrite((float)(2 * i), s, 4 * i);")
        assert (scene.memory.get() == np.minimum(np.arange(64) + 0.25, 63)).all()
        out = np.zeros(64, np.float32)
        scene.array.copy_to(out)
        assert out.tolist() == [*range(0, 128, 2)]


# Counting on a GPU.

INSTRUMENTED = """
extern "C" __global__ void k(cudaTextureObject_t t, cudaSurfaceObject_t s, float2 *v, float *w) {
  int i = threadIdx.x;
  float2 x;
  tex1D(&x, t, i);
  tex1D<float2>(v + i, t, i);
  surf1Dread(v + 64 + i, s, 8 * i);
  w[i] = tex1D<float2>(t, v[i].x).y;
  surf1Dwrite(make_float2(w[i], x.x), s, 8 * i);
  if (w[i] > 3) w[i] = tex1D<float>(t, 2);
}"""


def test_a_rewritten_kernel_counts_all_but_textures() -> None:
    def arguments() -> tuple[Any, ...]:
        array = OBJECTS.array(np.arange(128, dtype=np.float32), 2, STORABLE)
        made = OBJECTS.texture_of(array, addressModes=[CLAMP]), OBJECTS.surface_of(array)
        return (*made, simulator.zeros(256, "float32"), simulator.zeros(64, "float32"))

    made = instrumented(INSTRUMENTED)
    assert nvrtc.load()[0] is None or not nvrtc.compile_text(made.text, "k.cu", Path("."))
    module = InstrumentedModule(simulator, simulator.RawModule(code=made.text), made)
    first, second = arguments(), arguments()
    module.get_function("k")((1,), (64,), first)
    with simulator.counting() as record:
        simulator.RawKernel(INSTRUMENTED, "k")((1,), (64,), second)
    assert all((a.get() == b.get()).all() for a, b in zip(first[2:], second[2:], strict=True))
    found, wanted = module.launches[0].counters.as_dict(), record.launches[0].counters.as_dict()
    other = {name for name in found if found[name] != wanted[name]}
    units = {"texture_requests", "texture_sectors", "surface_requests", "surface_sectors"}
    assert other == units | {"warp_steps", "thread_steps", "simt_efficiency"}
