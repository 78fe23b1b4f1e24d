"""The changes that are made of solutions, and the table of those that keep all points."""

from __future__ import annotations

import argparse

import pytest

from gpubfs.grading.exercise import Exercise
from tests.lessons.mutants import answers, compiled, cuda, drivers
from tests.lessons.mutants.__main__ import SECRET, examine, same_code
from tests.lessons.mutants.argued import table
from tests.lessons.mutants.grading import made
from tests.lessons.mutants.mutant import Edit, Place, mutants, student_lines
from tests.lessons.submitted import EXERCISES

KERNEL = """
__global__ void k(int *a, int n) {
  int i = threadIdx.x;
  // BEGIN SOLUTION
  if (i < n) a[i] = atomicAdd(&a[0], 1);
  __syncthreads();
  // END SOLUTION
  a[n] = 0;
}
"""
DRIVER = """
def search(host, depth):
    # BEGIN SOLUTION
    while depth < 3:
        host.write(found, 0)
        depth += 1
    # END SOLUTION
    return depth
"""
SHARE = 0.98

each = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)


def test_only_the_student_s_lines_are_changed() -> None:
    for mutant in mutants(KERNEL, cuda.edits(KERNEL)):
        assert mutant.line in student_lines(KERNEL)
        assert "  a[n] = 0;\n" in mutant.text


@pytest.mark.parametrize(
    "line",
    [
        "if (i <= n) a[i]",
        "if (!(i < n)) a[i]",
        "if (n < n) a[i]",
        "a[(i + 1)] = atomicAdd",
        "a[i] = atomicSub(&a[0], 1)",
        "a[i] = ((*(&a[0]) += (1)) - (1));",
        "a[i] = atomicAdd(1, &a[0]);",
        "atomicAdd(&a[1], 1)",
        "{ __syncthreads(); a[i]",
        "__syncwarp();\n",
        "  ;\n  __syncthreads();",
    ],
)
def test_kernels_are_changed_in_many_ways(line: str) -> None:
    assert [one for one in mutants(KERNEL, cuda.edits(KERNEL)) if line in one.text]


@pytest.mark.parametrize(
    "line", ["depth <= 3", "depth < 4", "not (depth < 3)", "(0, found)", "depth -= 1", "pass"]
)
def test_drivers_are_changed_in_many_ways(line: str) -> None:
    assert any(line in one.text for one in mutants(DRIVER, drivers.edits(DRIVER)))


def test_answers_are_changed_by_little_and_by_much() -> None:
    text = '# BEGIN SOLUTION\n"a b" = 40\n# END SOLUTION\n'
    found = [one.name for one in mutants(text, answers.edits(text))]
    assert '"a b" = 40 -> "a b" = 41' in found
    assert '"a b" = 40 -> "a b" = 20' in found


def test_no_file_comes_twice_and_names_tell_them_apart() -> None:
    twice = Edit("a", Place(5, 7, 5, 12), "i > n")
    assert [one.name for one in mutants(KERNEL, [twice, twice])] == [
        "if (i < n) a[i] = atomicAdd(&a[0], 1); -> if (i > n) a[i] = atomicAdd(&a[0], 1);"
    ]


@each
def test_mutants_have_names_of_their_own(exercise: Exercise) -> None:
    names = [one.name for one in made(exercise)]
    assert names
    assert len(set(names)) == len(names)


@pytest.mark.slow
def test_what_is_argued_is_made() -> None:
    known = {exercise.name: {one.name for one in made(exercise)} for exercise in EXERCISES}
    for name, arguments in table().items():
        assert set(arguments) <= known[name]
        assert all(argument.because for argument in arguments.values())


@pytest.mark.slow
def test_the_same_machine_code_is_told_from_another() -> None:
    if not compiled.available():
        pytest.skip("CuPy and NVRTC are not installed")
    text = 'extern "C" __global__ void k(int *a) { a[threadIdx.x] = 2 * 3 + warpSize; }'
    assert compiled.digest(text, 32) == compiled.digest(text.replace("2 * 3 + warpSize", "38"), 32)
    assert compiled.digest(text, 32) != compiled.digest(text.replace("2", "4"), 32)
    assert compiled.digest(text, 2) == compiled.digest(text.replace("2 * 3 + warpSize", "8"), 2)
    assert compiled.digest(text, 2) != compiled.digest(text.replace("warpSize", "32"), 2)
    assert compiled.digest("no kernel", 32) == ""
    child = f'{text} extern "C" __global__ void p(int *a) {{ k<<<1, 2 + 2>>>(a); }}'
    assert compiled.digest(child, 32) == compiled.digest(child.replace("2 + 2", "4"), 32) != ""
    assert compiled.digest(child, 32) != compiled.digest(child.replace("2 + 2", "5"), 32)


@pytest.mark.slow
def test_a_solution_without_machine_code_is_not_the_same_as_mutants_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not compiled.available():
        pytest.skip("CuPy and NVRTC are not installed")
    (exercise,) = [one for one in EXERCISES if one.name == "00-warp/reverse"]
    monkeypatch.setattr(compiled, "digest", lambda text, lanes: "")
    with pytest.raises(RuntimeError, match="NVRTC does not compile the solution of 00-warp/rev"):
        same_code(exercise, list(made(exercise)))


@pytest.mark.slow
@each
def test_mutants_lose_points_or_are_argued(exercise: Exercise) -> None:
    if exercise.score:
        pytest.skip("an open exercise: of its solution's many choices most others are right, too")
    found = examine(exercise, argparse.Namespace(only="", names=None, secret=SECRET, jobs=1))
    assert [one.name for one in found.survivors] == []
    assert [one.mutant.name for one in found.punished] == []
    assert found.share >= SHARE
