"""Counters for limits alone: equal loads of a loop are one, and a choice leaves few lanes idle."""

from __future__ import annotations

from pathlib import Path

import pytest

import simulator
from gpubfs.grading.kinds.kernel import SearchRun
from gpubfs.grading.limits.costs import Cost, exceeded_limit, merged_loads, value_of
from gpubfs.grading.loading import load
from gpubfs.kernels import KERNELS
from simulator.observe.counters import Site

LESSONS = Path(__file__).parents[4] / "lessons"

HEAD = 'extern "C" __global__ void k(const int *a, const int *b, int *out, int n) {\n'
#: Bodies, their load requests, and how many are left.
LOADS = {
    "one by one": ("int x = a[0]; out[0] = x + b[0];", 2, 2),
    "twice the same": ("out[0] = a[0] + a[0];", 2, 1),
    "twice in a turn": ("for (int e = 0; e < n; e++) out[e] = a[b[e]] * a[b[e]];", 16, 8),
    "two walks": (
        "int s = 0; for (int e = 0; e < n; e++) s += a[e];"
        " for (int e = 0; e < n; e++) s -= a[e]; out[0] = s;",
        8,
        8,
    ),
    "the end in each turn": ("for (int e = 0; e < a[0]; e++) out[e] = 1;", 5, 5),
    "an end that stays": ("int s = 0; for (int e = 0; e < a[0]; e++) s++; out[0] = s;", 5, 0),
    "what the loop changes": (
        "int s = 0; for (int e = 0; e < n; e++) s += a[e]; out[0] = s;",
        4,
        4,
    ),
    "where the loop begins": ("for (int e = a[1]; e < n; e++) out[e] = a[1];", 5, 5),
    "a barrier between": (
        "int s = 0; for (int e = 0; e < n; e++) { s += a[0]; __syncthreads(); } out[0] = s;",
        4,
        4,
    ),
}


def sites(body: str, folder: Path) -> tuple[Site, ...]:
    file = folder / "submission.cu"
    file.write_text(f"{HEAD}  {body}\n}}\n", encoding="utf-8")
    with simulator.Device("h200"), simulator.counting() as record:
        import numpy as np

        kernel = simulator.RawModule(path=str(file)).get_function("k")
        a, b = np.array([4, 0, 2, 3], np.int32), np.array([3, 2, 1, 0], np.int32)
        out = simulator.asarray(np.zeros(8, np.int32))
        kernel((1,), (1,), (simulator.asarray(a), simulator.asarray(b), out, np.int32(4)))
    return tuple(record.launches[0].sites or ())


@pytest.mark.parametrize("name", LOADS)
def test_equal_loads_of_a_loop_are_one(name: str, tmp_path: Path) -> None:
    body, requests, left = LOADS[name]
    found = sites(body, tmp_path)
    assert sum(site.requests for site in found if site.kind == "load") == requests
    assert merged_loads(found) == left


def test_limits_on_them_are_held() -> None:
    cost = Cost({"simt_efficiency": 0.5})
    assert value_of("idle_share", cost) == 0.5
    assert exceeded_limit({"idle_share": 0.6}, cost) is None
    lost = exceeded_limit({"idle_share": 0.33}, cost)
    assert lost is not None
    assert lost.message == "the result is right, but idle_share is 0.50, more than 0.33"


def test_what_was_not_counted_is_said() -> None:
    assert value_of("merged_load_requests", Cost({})) is None
    assert value_of("idle_share", Cost({})) is None


EXPAND = LESSONS / "01-levels" / "exercises" / "expand"
TEXT = "int w = neighbours[e];"


def cost_of(text: str, folder: Path) -> Cost:
    exercise = load(EXPAND)
    file = folder / "submission.cu"
    file.write_text(text, encoding="utf-8")
    for name in exercise.includes:
        (folder / name).write_text((KERNELS / name).read_text("utf-8"), "utf-8")
    failure, cost, _ = SearchRun(exercise, file, exercise.cases[0], 0)("lockstep", "", True)
    assert failure is None
    return cost


def test_atomics_that_read_the_graph_are_loads(tmp_path: Path) -> None:
    text = load(EXPAND).solution.read_text("utf-8")
    reading = text.replace(TEXT, "int w = atomicOr((int *)&neighbours[e], 0);")
    assert reading != text
    plain, disguised = cost_of(text, tmp_path), cost_of(reading, tmp_path)
    name = "load_requests"
    assert value_of(name, disguised) == value_of(name, plain)
    assert value_of("atomic_requests", disguised) > value_of("atomic_requests", plain)


def test_atomics_that_change_an_array_are_no_loads(tmp_path: Path) -> None:
    text = load(EXPAND).solution.read_text("utf-8")
    claiming = text.replace(
        "if (level[w] < 0) {", "if (atomicCAS(&level[w], -1, depth + 1) == -1) {"
    )
    plain, claimed = cost_of(text, tmp_path), cost_of(claiming, tmp_path)
    assert value_of("load_requests", claimed) < value_of("load_requests", plain)
