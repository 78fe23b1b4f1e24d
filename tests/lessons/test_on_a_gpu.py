"""What the course calls right is right on a GPU, too, and counted there within the same limits."""

from __future__ import annotations

import runpy
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gpubfs.errors import UsageError
from gpubfs.grading.exercise import Case, Exercise
from gpubfs.grading.kinds.drive import cost_of_driver
from gpubfs.grading.kinds.kernel import SearchRun, launch, on_device
from gpubfs.grading.kinds.predict import ASKED, KERNEL
from gpubfs.grading.limits.costs import DERIVED, Cost, exceeded_limit
from gpubfs.grading.problems.problem import Problem, compare, load_make
from gpubfs.grading.processes.worker import seed_of
from gpubfs.host import SearchResult
from gpubfs.kernels import KERNELS
from gpubfs.machines import open_machine
from gpubfs.machines.gpu import cuda_module
from gpubfs.machines.nvrtc import launch_options
from gpubfs.search import runs
from gpubfs.search.catalogue import find
from gpubfs.search.counters import described, plain, total, value
from gpubfs.search.result import Run
from simulator.execute.device import PROFILES
from tests.lessons.submitted import EXERCISES, of

#: Lanes of a real warp.
WARP_SIZE = 32
SECRET = "a secret of the tests"
#: A case's schedules if what it asks for holds only where warps run one after another.
IN_TURN = ("warp",)
#: Exercises whose threads wait for others, on a GPU for as long as these take.
WAITING = ("10-memory-manager/lock", "10-memory-manager/edges")

pytestmark = pytest.mark.gpu


@dataclass(frozen=True)
class Right:
    """A file that must get full marks."""

    exercise: Exercise
    file: Path

    def __str__(self) -> str:
        return f"{self.exercise.name}/{self.file.stem}"


def files(*kinds: str) -> list[Right]:
    """The solutions and the right submissions of exercises of these kinds."""
    return [
        Right(exercise, file)
        for exercise in EXERCISES
        if exercise.kind in kinds
        for file in (exercise.solution, *(one.file for one in of(exercise) if one.right))
    ]


@pytest.fixture(autouse=True, scope="module")
def gpu() -> None:
    try:
        cuda_module()
    except UsageError as error:
        pytest.skip(error.message)


def seeing(exercise: Exercise, case: Case, counters: bool) -> dict[str, float]:
    """The limits on what a GPU's build counts; others are made of places and statements."""
    missing = {name for name, row in described().items() if not row.on_gpu} | {*DERIVED}
    if not counters:
        missing |= {*described()} - {"launches"}
    if exercise.name in WAITING:
        missing.add("work")
    return {name: most for name, most in case.limits.items() if name.split(".")[0] not in missing}


def in_any_order(exercise: Exercise) -> list[Case]:
    """The cases that a GPU's warps of 32 lanes, in whatever order, must pass as well."""
    cases = [case for case in exercise.cases if lanes(exercise, case) == WARP_SIZE]
    return [case for case in cases if case.schedules != IN_TURN]


def lanes(exercise: Exercise, case: Case) -> int:
    """The lanes of a warp in a case."""
    return PROFILES[exercise.device_of(case)].warp_size


def ran(problem: Problem, file: Path, counters: bool) -> dict[str, Any]:
    """What a problem's launches cost on the GPU, once their results are right."""
    import cupy

    with open_machine("gpu", counters=counters) as machine:
        module = machine.module(file, (f"-I{KERNELS}",), problem.cooperative)
        arrays = on_device(problem, cupy)
        for one in problem.launches:
            launch(module, one, arrays)
        assert compare(problem, {name: array.get() for name, array in arrays.items()})[0] == ""
        counted = total(each.counters for each in machine.counted())
    return {"launches": len(problem.launches)} | ({} if counted is None else plain(counted))


def builds(text: str) -> tuple[bool, ...]:
    """With counters or without: the build that counts refuses kernels that launch kernels."""
    return (False,) if launch_options(text) else (False, True)


def seed(exercise: Exercise, case: Case) -> int:
    return seed_of(SECRET, exercise.name, case)


@pytest.mark.parametrize("right", files("write", "mend", "limit"), ids=str)
def test_kernels_are_right_within_their_limits(right: Right) -> None:
    cases = in_any_order(right.exercise)
    if not cases:
        pytest.skip("its cases are made for smaller warps")
    for case in cases:
        for counters in builds(right.file.read_text("utf-8")):
            if right.exercise.search:
                found = searched(right, case, counters)
            else:
                rng = np.random.default_rng(seed(right.exercise, case))
                problem = load_make(right.exercise.folder)(rng, **case.given)
                found = ran(problem, right.file, counters)
            limits = seeing(right.exercise, case, counters)
            assert exceeded_limit(limits, Cost(found)) is None, case.name


def searched(right: Right, case: Case, counters: bool) -> Mapping[str, Any]:
    """The counters of a search with a file in the place of a technique's."""
    asked = SearchRun(right.exercise, right.file, case, seed(right.exercise, case))
    technique = replace(asked.technique, headers=KERNELS)
    given = {**asked.options, "graph": asked.graph, "source": asked.source}
    run = on_gpu(technique, given, right, case, counters)
    if asked.frontiers:
        for depth, entries in {each.depth: each.frontier for each in run.per_launch}.items():
            assert entries is None or entries == np.count_nonzero(run.levels == depth)
    return run.counters


def on_gpu(technique: Any, given: dict[str, Any], right: Right, case: Case, counters: bool) -> Run:
    """A verified search on the GPU."""
    graph = given.pop("graph").replace("{seed}", str(seed(right.exercise, case) % 1_000_000))
    return runs.run(technique, graph, machine="gpu", counters=counters, **given)


@pytest.mark.parametrize("right", files("drive"), ids=str)
def test_drivers_are_right_within_their_limits(right: Right, tmp_path: Path) -> None:
    found = runpy.run_path(str(right.file))
    options = {name: one for name, one in right.exercise.search.items() if name != "frontiers"}
    technique = find(options.pop("technique"))
    own = right.exercise.fields.get("own_kernel", False)
    if own:
        kernel = tmp_path / "own.cu"
        kernel.write_text(found["KERNEL"], "utf-8")
        technique = replace(technique, kernel=str(kernel), headers=tmp_path)
    for case in right.exercise.cases:
        given = {**options, **case.given}

        def drive(*where: Any, given: dict[str, Any] = given, **chosen: Any) -> SearchResult:
            if own:
                chosen = {name: value for name, value in chosen.items() if name in given}
            levels = found["search"](*where, **chosen)
            return levels if isinstance(levels, SearchResult) else SearchResult(levels)

        run = on_gpu(replace(technique, drive=drive), dict(given), right, case, True)
        limits = seeing(right.exercise, case, True)
        assert exceeded_limit(limits, cost_of_driver(run, case.name)) is None, case.name


@pytest.mark.parametrize("right", files("predict"), ids=str)
def test_answers_are_what_a_gpu_counts(right: Right) -> None:
    exercise, answers = right.exercise, tomllib.loads(right.file.read_text("utf-8"))
    for case in in_any_order(exercise):
        given = {**exercise.search, **case.given}
        counter, within = given["counter"], given.get("within", 0)
        if not described()[counter.split(".")[0]].on_gpu:
            continue
        left = {name: part for name, part in given.items() if name not in ASKED}
        if "technique" in left and True not in builds(find(left["technique"]).source):
            continue
        if "technique" in left:
            counters = on_gpu(left.pop("technique"), left, right, case, True).counters
        else:
            problem = load_make(exercise.folder)(
                np.random.default_rng(seed(exercise, case)), **left
            )
            counters = ran(problem, exercise.folder / KERNEL, True)
        assert answers[case.name] == pytest.approx(value(counters, counter), rel=within), case.name
