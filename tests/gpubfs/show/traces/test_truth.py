"""Frames tell the truth: whose element it is, who is at work, and what helps when all is too much.

Kernels of all kinds are drawn here, without a search around them.
"""

from __future__ import annotations

import copy
import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gpubfs
import simulator
from gpubfs.errors import UsageError
from gpubfs.search.catalogue import find
from gpubfs.show.traces import Pair, Trace
from simulator.observe.trace import recorder as face
from tests.gpubfs.techniques.variants import VARIANTS, label
from tests.sampling import sampled
from tests.simulator.observe.trace.test_truth import KERNELS

GRAPH = SimpleNamespace(
    label="none", vertices=4, offsets=np.arange(5), neighbours=np.array([1, 2, 3, 0])
)
SIZES = [(80, 24), (20, 5), (1, 1), (1, 40), (7, 60), (40, 10), (59, 24), (150, 30), (300, 100)]


def drawn(launches: list[Any]) -> Trace:
    """A trace of launches that search nothing."""
    run: Any = SimpleNamespace(technique="kernel", graph=GRAPH, source=0, facts={})
    done = tuple(launch for launch in launches if launch.steps)
    return Trace(run, done, tuple(0 for _ in done))


def traced(code: str, grid: Any, block: Any, *arrays: Any, **device: Any) -> Trace:
    shared = device.pop("shared_mem", 0)
    with simulator.Device(**device), simulator.tracing() as trace:
        kernel = simulator.RawKernel(code, "k", enable_cooperative_groups="this_grid" in code)
        given = [a() if callable(a) else simulator.asarray(np.array(a)) for a in arrays]
        kernel(grid, block, tuple(given), shared_mem=shared)
    return drawn(trace.launches)


def lines(trace: Trace, text: str, width: int = 100, height: int = 40) -> list[str]:
    """The frame of the first step at a statement."""
    at = next(n for n in range(len(trace)) if trace.step(n).span.text == text)
    return [line.plain.rstrip() for line in trace.frame(at, width, height)]


def int32(count: int) -> Any:
    return np.zeros(count, np.int32)


@pytest.mark.parametrize("turns", sampled([3, 1], 2))
@pytest.mark.parametrize("name", [name for name in KERNELS if name != "nothing to do"])
def test_every_frame_has_room(name: str, turns: int) -> None:
    """With three turns a third of the sizes for each frame, and all of them for some."""
    code, grid, block, arrays = KERNELS[name]
    profile = "h200" if "flag" in name else "toy4"
    trace = traced(code, grid, block, *arrays, profile=profile, shared_mem=40)
    for _ in range(3):
        for at in range(0, len(trace), 3):
            for width, height in SIZES[at // 3 % turns :: turns]:
                frame = trace.frame(at, width, height)
                assert len(frame) <= height
                assert max(line.cell_len for line in frame) <= width
        trace.next_warp()


#: Options with which every technique fits the smallest GPU.
FITTING = {"block": 8, "blocks": 2, "width": 2}


#: Techniques with kernels of 1,024 threads, which are 512 warps here: long traces.
LONG = ("double-scan", "enterprise", "no-queue", "strided-scan")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *sampled((case for case in VARIANTS if case[0] not in LONG), 9),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in VARIANTS if case[0] in LONG),
    ],
    ids=label,
)
def test_wherever_one_comes_from_a_frame_is_the_same(name: str, options: dict[str, Any]) -> None:
    own = find(name).options
    values = {o.name: o.default for o in own} | options
    known = {*options, *(o.name for o in own if o.name != "width" and o.changes(values))}
    small = {key: value for key, value in FITTING.items() if key in known}
    trace = gpubfs.trace(name, "toy", source=0, device="toy2", **{**options, **small})
    assert all(a <= b for a, b in itertools.pairwise(trace.levels))
    places = np.random.default_rng(2).permutation(len(trace))[:12].tolist()
    there = [[line.plain for line in trace.frame(at)] for at in places]
    again = copy.copy(trace)
    again._cursors = {}  # it has been nowhere yet
    for at, frame in sorted(zip(places, there, strict=True)):
        assert [line.plain for line in again.frame(at)] == frame


def test_two_pointers_into_one_array_have_their_own_elements() -> None:
    whole: dict[str, Any] = {}

    def first() -> Any:
        whole["a"] = simulator.zeros(16, "int32")
        return whole["a"]

    trace = traced(
        """extern "C" __global__ void k(int *a, int *b) {
          a[threadIdx.x + 3] = 1;
          b[threadIdx.x] += 100;
        }""",
        (1,),
        (2,),
        first,
        lambda: whole["a"][3:],
        profile="toy2",
    )
    assert "lane→element  0→[3]=1  1→[4]=1" in lines(trace, "a[threadIdx.x + 3] = 1;")
    frame = lines(trace, "b[threadIdx.x] += 100;")
    assert "lane→element  0→[0]=101  1→[1]=101" in frame
    assert "    0 ▕   11···▏" in frame  # the sector begins three elements before b


def test_a_pointer_to_this_or_that_array_names_both() -> None:
    trace = traced(
        """extern "C" __global__ void k(int *a, int *b) {
          int *p = threadIdx.x % 2 ? a : b;
          p[threadIdx.x] = 7;
          atomicAdd(p, 1);
        }""",
        (1,),
        (4,),
        int32(8),
        int32(8),
        profile="toy4",
    )
    frame = lines(trace, "p[threadIdx.x] = 7;")
    assert any(line.startswith("── store a, b ") for line in frame)
    assert "lane→element  1→a[1]=7  3→a[3]=7  0→b[0]=7  2→b[2]=7" in frame
    assert "  a 0 ▕·1·1····▏  b 0 ▕1·1·····▏" in frame
    assert "b[0] ← lane 0 finds 7, then lane 2 finds 8" in lines(trace, "atomicAdd(p, 1);")


def test_wide_and_narrow_accesses_are_counted_in_elements_of_the_array() -> None:
    trace = traced(
        """extern "C" __global__ void k(int *a) {
          ((int4 *)a)[threadIdx.x + 1] = make_int4(1, 2, 3, 4);
          ((char *)a)[threadIdx.x] = 1;
        }""",
        (1,),
        (2,),
        int32(16),
        profile="toy2",
    )
    frame = lines(trace, "((int4 *)a)[threadIdx.x + 1] = make_int4(1, 2, 3, 4);")
    assert any("0→[4]=(1, 2, 3, 4)  1→[8]=(1, 2, 3, 4)" in line for line in frame)
    assert any(line.startswith("a           0 0 0 0*1*2*3*4*1*2*3*4 0 0 0 0") for line in frame)
    frame = lines(trace, "((char *)a)[threadIdx.x] = 1;")
    assert "lane→element  0→[0]=1  1→[0+1]=1" in frame


def test_shared_arrays_begin_with_their_first_element() -> None:
    trace = traced(
        """extern "C" __global__ void k(int *a) {
          __shared__ int size;
          __shared__ int queue[8];
          size = 1;
          queue[threadIdx.x] = 5;
          a[0] = size;
        }""",
        (1,),
        (2,),
        int32(1),
        profile="toy2",
    )
    assert "    0 ▕11······▏" in lines(trace, "queue[threadIdx.x] = 5;")


def test_the_value_of_a_store_is_the_one_that_stays() -> None:
    code = """extern "C" __global__ void k(int *a) { a[0] = threadIdx.x; }"""
    stayed = set()
    for seed in range(8):
        trace = traced(code, (1,), (4,), int32(1), profile="toy4", schedule=f"shuffled:{seed}")
        frame = lines(trace, "a[0] = threadIdx.x;")
        held = int(trace.scene(0).cursor.values("a")[0][0])
        assert f"lane→element  0-3→[0]={held}" in frame
        stayed.add(held)
    assert len(stayed) > 1


def test_a_warp_that_is_not_at_work_is_not_called_masked() -> None:
    code = """extern "C" __global__ void k(int *a) {
      int i = threadIdx.x;
      if (i < 2) {
        a[i] = 1;
      }
      a[i] += 1;
    }"""
    trace = traced(code, (1,), (4,), int32(4), profile="toy2")
    trace.next_warp()
    trace.next_warp()  # warp 1
    frame = lines(trace, "a[i] = 1;")
    assert "□ 0-1 not at work since line 3 (i < 2 is false), go on at line 6" in frame


def test_a_status_array_without_any_visited_vertex_is_drawn() -> None:
    code = """extern "C" __global__ void k(int *level) { level[threadIdx.x] = -1; }"""
    trace = traced(code, (1,), (4,), np.full(4, -1, np.int32))
    frame = lines(trace, "level[threadIdx.x] = -1;")
    assert any("0 of 4 vertices visited" in line for line in frame)


def test_a_line_is_found_where_frames_mark_it() -> None:
    code = """extern "C" __global__ void k(int *a) {
      if (a[0] == 0 &&
          a[1]++ == 0)
        a[2] = 1;
    }"""
    trace = traced(code, (1,), (2,), int32(4), profile="toy2")
    for at in range(len(trace)):
        (marked,) = [line.plain for line in trace.frame(at, 80, 40) if "▶" in line.plain]
        line = int(marked.split()[1])
        to = trace.at_line(len(trace) - 1, line)
        assert to is not None
        assert trace.lines[to] == line == trace.lines[at]


REMEDY = "take a smaller graph"


@pytest.mark.parametrize(
    ("name", "most", "hint"),
    [
        ("scan-free", "MOST_STEPS", f"{REMEDY}, or some of its levels with --level"),
        ("dfq-global", "MOST_STEPS", REMEDY),
        (
            "dfq-global",
            "MOST_VALUES",
            f"{REMEDY}, or fewer threads with --option blocks= and --option block=",
        ),
    ],
)
def test_a_remedy_for_a_long_trace_is_one(
    name: str, most: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(face, most, 150 if most == "MOST_STEPS" else 100_000)
    with pytest.raises(UsageError) as problem:
        gpubfs.trace(name, "path:24", source=0, device="toy4")
    assert problem.value.hint == hint
    if "--level" in hint:
        assert len(gpubfs.trace(name, "path:24", source=0, device="toy4", levels=range(3, 4)))
    if "blocks" in hint:
        assert len(gpubfs.trace(name, "path:24", source=0, device="toy4", blocks=1, block=4))


@pytest.mark.slow
@pytest.mark.parametrize("every", sampled([31, 11], 2))
@pytest.mark.parametrize("width", sampled([1, 2, 3, 4, 10, 80, 300], 3))
def test_a_pair_has_room_and_both_levels(width: int, every: int) -> None:
    left = gpubfs.trace("scan-free", "toy", source=0, device="toy4", block=4)
    right = gpubfs.trace("double-scan", "toy", source=0, device="toy4", levels=range(1, 3))
    pair = Pair(left, right)
    assert all(a <= b for a, b in itertools.pairwise(pair.levels))
    for at in range(0, len(pair), every):
        frame = pair.frame(at, width, 12)
        assert len(frame) <= 12
        assert max(line.cell_len for line in frame) <= width
