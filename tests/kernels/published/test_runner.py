"""The runner on a folder of our own: kernels that are right, wrong, endless and refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.kernels.published.campaign import outcomes, summary
from tests.kernels.published.case import Case, Launch, Run, Texture, once
from tests.kernels.published.running import difference, outcome_of
from tests.kernels.published.sources import all_cases

FILE = """#include <vector>
#include "../common/by.h"
#include <stdio.h>
std::vector<int> rows;
__constant__ int more[2];
__global__ void right(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = BY * a[threadIdx.x]; }
__global__ void lucky(int *a, int n) {
  __shared__ int last;
  last = threadIdx.x;
  if (threadIdx.x < n) a[threadIdx.x] *= BY;
}
__global__ void wrong(float *a) { a[threadIdx.x] += threadIdx.x == 5; }
__global__ void racing(int *a) {
  __shared__ int all[64];
  all[threadIdx.x] = a[threadIdx.x];
  a[threadIdx.x] = all[63 - threadIdx.x];
}
__global__ void endless(volatile int *a) { while (a[0] == 0) { } }
__global__ void fails(int *a) { a[threadIdx.x + 1000] = 0; }
__global__ void refused(int *a) { a[0] = undeclared; }
template <typename T> __device__ T twice(T x) { return 2 * x; }
template <typename T, T (*f)(T)> __global__ void each(T *a) {
  a[threadIdx.x] = f(a[threadIdx.x]) + more[1];
}
__global__ void first(int *a) { a[threadIdx.x] += 1; }
__global__ void second(int *a, int by) { a[threadIdx.x] *= by; }
__global__ void read(cudaTextureObject_t from, cudaSurfaceObject_t to) {
  int x = threadIdx.x, y = threadIdx.y;
  surf2Dwrite(tex2D<float>(from, y, x) + 1, to, 4 * x, y);
}
__global__ void pushes(int *a, int *top) { a[atomicAdd(top, 1)] = threadIdx.x; }
int main() { right<<<1, 1>>>(nullptr, 1); }
"""
PYTHON = """
one = r'''extern "C" __global__ void same(int *a) { a[0] = 1; }'''
two = r'''extern "C" __global__ void same(int *a) { a[0] = %(value)s; }'''
"""


def doubled() -> Run:
    x = np.arange(20, dtype="i4")
    return once(1, 32, {"a": x, "n": 20}, {"a": 2 * x})


def raised() -> Run:
    x = np.arange(32, dtype="f4")
    return once(1, 32, {"a": x}, {"a": x})


def reversed_() -> Run:
    x = np.arange(64, dtype="i4")
    return once(1, 64, {"a": x}, {"a": x[::-1]})


def zeros() -> Run:
    x = np.zeros(32, "i4")
    return once(1, 32, {"a": x}, {"a": x})


def doubled_and_more() -> Run:
    x = np.arange(32, dtype="i4")
    return once(1, 32, {"a": x}, {"a": 2 * x + 7}, constants={"more": np.array([1, 7], "i4")})


def both() -> Run:
    x = np.arange(32, dtype="i4")
    launches = [Launch(1, 32, "first", ["a"]), Launch(1, 32, "second", ["a", 3])]
    return Run(launches, {"a": x}, {"a": 3 * (x + 1)})


def turned() -> Run:
    x = np.arange(12, dtype="f4").reshape(4, 3)
    surface = Texture(np.zeros((3, 4), "f4"), surface=True)
    return once(1, (4, 3), {"from": Texture(x), "to": surface}, {"to": x.T + 1})


def pushed() -> Run:
    values = {"a": np.zeros(64, "i4"), "top": np.zeros(1, "i4")}
    expected = {"a": np.arange(64), "top": np.array([64])}
    return once(1, 64, values, expected, unordered=("a",))


def five() -> Run:
    return once(1, 1, {"a": np.zeros(1, "i4")}, {"a": np.array([5])})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own/sub").mkdir(parents=True)
    (tmp_path / "own/common").mkdir()
    (tmp_path / "own/sub/kernels.cu").write_text(FILE)
    (tmp_path / "own/common/by.h").write_text("#define BY 2\n")
    (tmp_path / "own/strings.py").write_text(PYTHON)
    return tmp_path


def case(kernel: str, make: object, file: str = "sub/kernels.cu", **more: object) -> Case:
    return Case("own", file, kernel, make, **more)  # type: ignore[arg-type]


RIGHT = [
    case("right", doubled),
    case("each<int, twice<int>>", doubled_and_more),
    case("second", both),
    case("read", turned),
    case("pushes", pushed),
    case("same@1", five, "strings.py", replaced={"%(value)s": "5"}),
]


@pytest.mark.parametrize("one", RIGHT, ids=lambda one: one.kernel)
def test_right_kernels_are_equal(one: Case, folder: Path) -> None:
    assert outcome_of(one, folder).word == "equal"


@pytest.mark.parametrize(
    ("one", "word", "text"),
    [
        (case("wrong", raised), "differs", "lockstep: a[5] is 6.0, not 5.0; 1 of 32 differ"),
        (case("racing", reversed_), "differs", "a["),
        (case("fails", zeros), "fault", "a has 32 elements"),
        (case("refused", zeros), "refused", "`undeclared` is not declared"),
        (case("absent", zeros), "skipped", "there is no kernel absent in own/sub/kernels.cu"),
        (case("right", zeros, "none.cu"), "skipped", "there is no own/none.cu"),
    ],
    ids=lambda given: given.kernel if isinstance(given, Case) else "",
)
def test_others_are_told_with_the_place(one: Case, word: str, text: str, folder: Path) -> None:
    found = outcome_of(one, folder)
    assert found.word == word
    assert text in found.text


@pytest.mark.slow
def test_an_endless_kernel_and_mistakes_of_sources_lose_one_case(folder: Path) -> None:
    cases = [
        case("endless", zeros),
        case("right", doubled),
        case("wrong", raised, wrong="it adds one"),
        case("right", doubled, wrong="it is not"),
        case("lucky", doubled, wrong="all threads write to one place"),
    ]
    found = list(outcomes(cases, folder, gpu=False, limit=60.0))
    words = [outcome.word for _, outcome, _ in found]
    assert words == ["fault", "equal", "wrong", "fault", "wrong"]
    assert found[2][1].text == "as said: it adds one"
    told = summary([(one, outcome) for one, outcome, _ in found], folder)
    assert told.splitlines()[0] == "5 cases: 2 fault, 2 wrong, 1 equal"
    assert told.splitlines()[1] == "1 kernels of the 14 there give NumPy's results"


@pytest.mark.slow
def test_a_case_ends_at_its_limit(folder: Path) -> None:
    (_, found, _) = next(outcomes([case("endless", zeros)], folder, gpu=False, limit=0.001))
    assert found.word == "fault"
    assert "takes more than 0.001 seconds" in found.text


def test_numbers_that_are_not_looked_at_and_infinities() -> None:
    expected = np.array([1.0, np.nan, np.inf])
    assert difference(np.float32([1, 9, np.inf]), expected, 1e-6) == ""
    assert "[2] is 3.0, not inf" in difference(np.float32([1, 9, 3]), expected, 1e-6)
    assert "[0] is nan" in difference(np.float32([np.nan, 9, np.inf]), expected, 1e-6)


def test_every_case_has_a_name_of_its_own_and_makes_its_run() -> None:
    cases = all_cases()
    assert len({(one.name, one.defines, one.make) for one in cases}) == len(cases)
    for one in cases[::20]:
        run = one.make(*one.given)
        assert set(run.expected) <= set(run.values)
