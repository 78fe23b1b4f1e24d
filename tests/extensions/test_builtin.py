"""Built-in functions from outside of the package: one file adds one, and a kernel calls it."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simulator
import tests.extensions.builtin  # adds `__vimax3_u32`, as a plugin is imported
from gpubfs.machines import nvrtc
from simulator import CompileError, Fault, builtins
from simulator.builtins import registry
from simulator.builtins.lowerings import Atomic, Elementwise, WarpFunction
from simulator.builtins.overloads import Math, ReadModifyWrite, Shuffle
from simulator.ir.types import INT
from simulator.lanes.warp import shuffle
from tests.simulator.instrument.test_instrument import check as check_counted
from tests.simulator.launching import run, source

GREATEST = source("unsigned *a", "a[threadIdx.x] = __vimax3_u32(a[threadIdx.x], 40, threadIdx.x);")


@pytest.fixture(autouse=True)
def _own() -> Iterator[None]:
    """What a test adds goes when it ends."""
    rows, lowerings = dict(registry.ROWS), dict(registry.LOWERINGS)
    yield
    for now, before in ((registry.ROWS, rows), (registry.LOWERINGS, lowerings)):
        now.clear()
        now.update(before)


def test_the_example_finds_the_greatest() -> None:
    given = np.random.default_rng(1).integers(0, 80, 64, dtype=np.uint32)
    found = run(GREATEST, given, block=64).arrays[0]
    assert found.tolist() == [max(int(x), 40, i) for i, x in enumerate(given)]


@pytest.mark.skipif(nvrtc.load()[0] is None, reason="NVRTC is not installed")
def test_nvrtc_compiles_the_example() -> None:
    assert nvrtc.compile_text(GREATEST, "kernel.cu", Path(".")) == ""


def test_the_guide_shows_the_example() -> None:
    root = Path(__file__).parents[2]
    text = Path(tests.extensions.builtin.__file__).read_text()
    assert f"```python\n{text}```" in (root / "CONTRIBUTING.md").read_text()


# Functions of values.


def added(x: Any, y: Any) -> Any:
    return x + y


def kernel(call: str, of: str = "int") -> str:
    return source(f"{of} *a", f"a[threadIdx.x] = {call};")


def test_a_program_that_was_refused_is_accepted_once_its_function_is_there() -> None:
    text = kernel("half_of(a[threadIdx.x])")
    with pytest.raises(CompileError, match="`half_of` is not declared"):
        simulator.RawKernel(text, "k").compiled()
    builtins.function("int half_of(int x)")(lambda x: x // 2)
    assert run(text, np.arange(8, dtype="i4"), block=8).arrays[0].tolist() == [
        0,
        0,
        1,
        1,
        2,
        2,
        3,
        3,
    ]


def test_a_replaced_function_is_seen_by_a_text_that_was_compiled_before() -> None:
    text = kernel("grown(a[threadIdx.x])")
    for step in (1, 5):
        builtins.function("int grown(int x)", replace=True)(lambda x, step=step: x + step)
        assert run(text, np.zeros(2, "i4"), block=2).arrays[0].tolist() == [step, step]


def test_arguments_and_results_are_converted_as_c_does() -> None:
    builtins.function("short third(unsigned char x, double y, int z = 7)")(lambda x, y, z: x + z)
    text = source("int *a, float *f", "a[threadIdx.x] = third(a[threadIdx.x], f[0]) + 1;")
    found = run(text, np.array([1, 257], "i4"), np.ones(1, "f4"), block=2).arrays[0]
    assert found.tolist() == [9, 9]
    builtins.function("unsigned char low(int x)")(lambda x: x.astype(np.int64) * 3)
    assert run(kernel("low(a[threadIdx.x])"), np.array([100], "i4"), block=1).arrays[0] == [44]


def test_values_that_all_lanes_share_are_arrays_of_one_element() -> None:
    shapes = []

    def noted(x: Any) -> Any:
        shapes.append(np.shape(x))
        return x

    builtins.function("int noted(int x)")(noted)
    run(source("int *a, int n", "a[threadIdx.x] = noted(n) + noted(a[threadIdx.x]);"),
        np.zeros(4, "i4"), 3, block=4)  # fmt: skip
    assert shapes == [(1,), (4,)]


def test_arguments_are_arrays_of_one_length_whatever_lanes_share() -> None:
    @builtins.function("unsigned mixed(unsigned x, unsigned y, unsigned z = 5)")
    def mixed(x: Any, y: Any, z: Any) -> Any:
        assert {one.dtype for one in (x, y, z)} == {np.dtype(np.uint32)}
        return np.array([int(a) ^ 2 * int(b) ^ int(c) for a, b, c in zip(x, y, z, strict=True)])

    body = "unsigned i = threadIdx.x; a[i] = mixed(i, n) + mixed(n, i, i) + mixed(n, n);"
    found = run(source("unsigned *a, unsigned n", body), np.zeros(4, "u4"), 9, block=4).arrays[0]
    wanted = [(i ^ 18 ^ 5) + (9 ^ 2 * i ^ i) + (9 ^ 18 ^ 5) for i in range(4)]
    assert found.tolist() == wanted


def test_one_value_may_stand_for_all_lanes() -> None:
    builtins.function("int always(int x)")(lambda x: 7)
    assert (
        run(kernel("always(a[threadIdx.x])"), np.zeros(3, "i4"), block=3).arrays[0].tolist()
        == [7] * 3
    )


def test_functions_of_one_python_name_do_not_meet() -> None:
    builtins.function("int plus_one(int x)")(lambda x: x + 1)
    builtins.function("int plus_two(int x)")(lambda x: x + 2)

    @builtins.function("int divided(int x)")
    def divide(x: Any) -> Any:  # generated code has a function of this name, too
        return x + 4

    text = kernel("plus_one(plus_two(divided(a[threadIdx.x] / 2)))")
    assert run(text, np.array([8], "i4"), block=1).arrays[0] == [11]


def test_a_function_with_overloads() -> None:
    builtins.add(Math("double cosc(double x)", Elementwise("np.cos({0}) - {0}")))
    text = source("float *a", "a[0] = cosc(a[0]); a[1] = sizeof(cosc(1.0f)) + sizeof(cosc(1.0));")
    found = run(text, np.zeros(2, "f4"), block=1).arrays[0]
    assert found.tolist() == [1, 12]


def test_functions_of_programs_come_before_those_from_outside() -> None:
    builtins.function("int chosen(int x)")(lambda x: x * 0)
    text = "__device__ int chosen(int x) { return 5; }\n" + kernel("chosen(a[threadIdx.x])")
    assert run(text, np.zeros(1, "i4"), block=1).arrays[0] == [5]


def test_misspelt_names_find_the_function() -> None:
    builtins.function("int quadrupled(int x)")(lambda x: 4 * x)
    with pytest.raises(CompileError) as caught:
        simulator.RawKernel(kernel("quadrupeld(1)"), "k").compiled()
    assert "did you mean `quadrupled`?" in str(caught.value)


def test_wrong_arguments_show_the_signature() -> None:
    builtins.function("int paired(int x, int y)")(added)
    for call, what in [("paired(1)", "takes 2 arguments, not 1"), ("paired(1, a)", "takes `int`")]:
        with pytest.raises(CompileError) as caught:
            simulator.RawKernel(kernel(call), "k").compiled()
        assert what in str(caught.value)
        assert "it is `int paired(int x, int y)`" in str(caught.value)


def test_what_the_simulator_refuses_by_name_can_be_added() -> None:
    text = kernel("tanpif(a[threadIdx.x])", "float")
    with pytest.raises(CompileError, match="CUDA's `tanpif` is not supported"):
        simulator.RawKernel(text, "k").compiled()
    builtins.function("float tanpif(float x)")(lambda x: x * 0 + np.float32(0.5))
    assert run(text, np.zeros(1, "f4"), block=1).arrays[0] == [0.5]


# Functions of a warp, and atomics.


def rotated(lanes: Any, size: int, mask: Any, value: Any) -> Any:
    return shuffle(lanes, size, mask, value, lanes + 1, np.int32(size))


def test_a_function_of_a_warp() -> None:
    builtins.add(
        Shuffle("T rotate_sync(unsigned mask, T value)", WarpFunction(rotated, shuffles=True))
    )
    text = kernel("rotate_sync(0xffffffff, a[threadIdx.x])", "float")
    found = run(text, np.arange(64, dtype="f4"), block=64).arrays[0]
    assert found.tolist() == [*range(1, 32), 0, *range(33, 64), 32]
    body = "if (threadIdx.x < 3) a[threadIdx.x] = rotate_sync(0xffffffff, 1.0f);"
    with simulator.Device(), simulator.sanitize("all"):
        masked = simulator.RawKernel(source("float *a", body), "k")
        with pytest.raises(Fault, match="mask 0xffffffff names lanes"):
            masked((1,), (32,), (simulator.zeros(32, "float32"),))


def test_arguments_of_a_function_of_a_warp_are_arrays() -> None:
    def weighed(lanes: Any, size: int, mask: Any, value: Any, weight: Any) -> Any:
        assert mask.shape == value.shape == weight.shape == lanes.shape
        return value * weight

    builtins.add(
        builtins.Row("int weigh(unsigned mask, int value, int weight)", WarpFunction(weighed))
    )
    text = kernel("weigh(0xffffffff, 2, a[0]) + weigh(0xffffffff, threadIdx.x, 3)")
    found = run(text, np.full(32, 7, "i4"), block=32).arrays[0]
    assert found.tolist() == [14 + 3 * lane for lane in range(32)]


def nand(view: Any, index: Any, value: Any, count: int) -> Any:
    """One lane after another."""
    found = np.empty(count, view.dtype)
    for lane in range(count):
        found[lane] = view[index[lane]]
        view[index[lane]] = ~(found[lane] & value[lane])
    return found


NAND = ReadModifyWrite("T atomicNand(T *address, T value)", Atomic(nand), (INT,))


@pytest.mark.parametrize("schedule", ["lockstep", "warp", "shuffled:3", "random:2"])
def test_an_atomic(schedule: str) -> None:
    builtins.add(NAND)
    text = source("int *a, int *found", "found[threadIdx.x] = atomicNand(a + threadIdx.x % 2, 6);")
    with simulator.Device(schedule=schedule):
        a, found = simulator.zeros(2, "int32"), simulator.zeros(6, "int32")
        with simulator.counting() as record, simulator.sanitize("all"), simulator.tracing():
            simulator.RawKernel(text, "k")((1,), (6,), (a, found))
    after_one, after_two = ~(0 & 6), ~(~(0 & 6) & 6)
    assert a.get().tolist() == [~(after_two & 6)] * 2
    assert sorted(found.get().tolist()) == sorted([0, after_one, after_two] * 2)
    assert record.launches[0].counters.atomic_lanes == 6


def test_the_counting_build_counts_an_atomic() -> None:
    builtins.add(NAND)
    check_counted(source("int *a", "atomicNand(&a[threadIdx.x / 3], 1);"), np.zeros(64, "i4"))


def test_the_counting_build_leaves_other_functions_as_they_are() -> None:
    check_counted(GREATEST, np.arange(96, dtype="u4"))


# What is wrong is said where it is added, or where the kernel calls it.


@pytest.mark.parametrize(
    ("signature", "function", "message"),
    [
        (
            "int __popc(int x)",
            abs,
            "a built-in function `__popc` already: `int __popc(unsigned x)`",
        ),
        ("int f", abs, "`int f` is no signature"),
        ("int f(x)", abs, "write `x` as `TYPE NAME`"),
        ("int f(unsinged x)", abs, "no type `unsinged`; did you mean `unsigned`?"),
        ("int f(int x = y)", abs, "the default `y` is no integer"),
        ("T f(T x)", abs, "a `Row` has no generic types"),
        ("void f(int x)", abs, "such a function has a result"),
        ("int f(int x, int y, int z)", added, "`added` does not take 3 arguments"),
    ],
)
def test_wrong_rows_are_refused(signature: str, function: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        builtins.function(signature)(function)
    assert "f" not in registry.ROWS


def test_a_file_may_be_read_twice_and_another_one_must_not_have_its_names(tmp_path: Path) -> None:
    path = Path(tests.extensions.builtin.__file__)
    runpy.run_path(str(path))
    assert run(GREATEST, np.zeros(1, "u4"), block=1).arrays[0] == [40]
    copy = tmp_path / "copy.py"
    copy.write_text(path.read_text())
    with pytest.raises(ValueError, match="a built-in function `__vimax3_u32` already"):
        runpy.run_path(str(copy))


def test_code_with_other_arguments_is_refused() -> None:
    with pytest.raises(ValueError, match="has 1 parameters"):
        builtins.add(builtins.Row("int f(int x)", Elementwise("{0} + {1}")))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x[:1].repeat(2), "gives an array of shape (2,) for 4 lanes"),
        (lambda x: x / 2, "gives float64 where its signature says int32"),
        (lambda x: None, "gives object where its signature says int32"),
        (lambda x: x[99], "fails: IndexError: index 99 is out of bounds"),
    ],
)
def test_mistakes_of_the_function_are_faults_where_it_is_called(
    function: Any, message: str
) -> None:
    builtins.function("int wrong(int x)")(function)
    with pytest.raises(Fault) as caught:
        run(kernel("wrong(a[threadIdx.x])"), np.zeros(4, "i4"), block=4)
    assert f"the NumPy code of `wrong` {message}" in str(caught.value)
    assert "wrong(a[threadIdx.x])" in str(caught.value)


WRONG = """import numpy as np
from simulator import builtins

@builtins.function("int wrong(int x)")
def wrong(x):
    RETURN
"""


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("return x[99]", 6),
        ("raise SystemExit(0)", 6),
        ("exit(0)", 6),
        ("return int('a')", 6),
        ("return None", 4),
        ("return list(x) * 2", 4),
        ("return x / 2", 4),
    ],
)
def test_a_fault_of_the_function_names_its_file_and_line(
    tmp_path: Path, what: str, line: int
) -> None:
    (tmp_path / "mine.py").write_text(WRONG.replace("RETURN", what))
    runpy.run_path(str(tmp_path / "mine.py"))
    with pytest.raises(Fault) as caught:
        run(kernel("wrong(a[threadIdx.x])"), np.zeros(4, "i4"), block=4)
    assert caught.value.hint.endswith(f"Mend {tmp_path / 'mine.py'}:{line}.")


def test_a_fault_of_a_function_of_numpy_says_which() -> None:
    builtins.function("int halved(int x, int y)")(np.divide)
    with pytest.raises(Fault) as caught:
        run(kernel("halved(a[threadIdx.x], 2)"), np.zeros(4, "i4"), block=4)
    assert caught.value.hint.endswith("Correct the function that was added.")


def test_mistakes_of_an_atomic_are_faults() -> None:
    for swaps in (False, True):
        how = Atomic(lambda view, index, value, count: None, swaps=swaps)
        row = ReadModifyWrite("T atomicLost(T *address, T value)", how, (INT,))
        builtins.add(row, replace=True)
        with pytest.raises(Fault, match="the NumPy code of `atomicLost`"):
            run(source("int *a", "atomicLost(a, 1);"), np.zeros(4, "i4"), block=4)


# What is refused, and what cannot do harm.


def test_a_decorator_without_parentheses_is_refused() -> None:
    with pytest.raises(ValueError, match=r"without parentheses.*@builtins.function\("):
        builtins.function(lambda x: x)  # type: ignore[arg-type]


def test_what_is_no_row_or_no_signature_is_refused() -> None:
    with pytest.raises(ValueError, match="'x' is no row"):
        builtins.add("x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="3 is no signature"):
        builtins.function(3)(added)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'code' is no lowering"):
        builtins.add(builtins.Row("int mine(int x)", "code"))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["while", "int", "__zzü", "sizeof"])
def test_a_name_that_no_program_can_call_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"`{name}` is no name"):
        builtins.function(f"int {name}(int x)")(lambda x: x)


def test_two_functions_of_one_name_in_one_file_are_refused() -> None:
    def mine(x: Any) -> Any:
        return x

    builtins.function("int mine(int x)")(mine)
    builtins.function("int mine(int x)")(mine)  # the same one again

    def mine(x: Any) -> Any:
        return -x

    with pytest.raises(ValueError, match="there is a built-in function `mine` already"):
        builtins.function("int mine(int x)")(mine)


def test_an_argument_cannot_be_written_to() -> None:
    def doubled(x: Any) -> Any:
        x *= 2
        return x

    builtins.function("int doubled(int x)")(doubled)
    text = source("int *a", "int i = threadIdx.x; int b = doubled(i); a[i] = i + b;")
    with pytest.raises(Fault, match="read-only"):
        run(text, np.arange(8, dtype="i4"), block=8)


def test_an_argument_can_be_what_it_returns() -> None:
    builtins.function("int same(int x)")(lambda x: x)
    body = "int i = a[threadIdx.x], b = same(i); if (threadIdx.x % 2) b += 1; b++; i--;"
    text = source("int *a", f"{body} a[threadIdx.x] = 10 * i + b;")
    given = np.arange(8, dtype="i4")
    found = run(text, given.copy(), block=8).arrays[0]
    assert found.tolist() == [10 * (i - 1) + i + 1 + i % 2 for i in range(8)]


def test_an_exit_in_a_function_is_a_fault() -> None:
    builtins.function("int leave(int x)")(lambda x: exit(0))
    with pytest.raises(Fault, match="`leave` fails: SystemExit: 0"):
        run(kernel("leave(a[0])"), np.arange(8, dtype="i4"), block=8)


def test_lowerings_that_do_not_go_with_the_signature_are_refused() -> None:
    with pytest.raises(ValueError, match=r"`nope` is no function of simulator\.lanes"):
        builtins.add(builtins.Row("int mine(unsigned mask, int v)", WarpFunction("nope")))
    with pytest.raises(ValueError, match="the first parameter of an atomic is a pointer"):
        builtins.add(builtins.Row("int mine(int a, int y)", Atomic(lambda *a: None)))
