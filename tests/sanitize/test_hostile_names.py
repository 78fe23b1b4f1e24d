"""Nothing of a kernel's text is executed as Python: names are mangled, other text is dropped."""

from __future__ import annotations

import ast
import json
import keyword
import os
import subprocess
import sys
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import simulator
from tests.sampling import examples

FOLDER = Path(__file__).parent / "hostile"
HARMLESS = sorted((FOLDER / "harmless").glob("*.cu"))
REFUSED = sorted((FOLDER / "refused").glob("*.cu"))

PROGRAM = Template("""
#define $MACRO($ARGUMENT) (($ARGUMENT) + 1)
typedef int $ALIAS;
__device__ int $FUNCTION(int $PARAMETER, int *$POINTER) {
  int $INNER = $PARAMETER * 2;
  if ($PARAMETER > 2) return $MACRO($INNER);
  $POINTER[threadIdx.x] = $INNER;
  return $MACRO($INNER);
}
extern "C" __global__ void $KERNEL(int *$ARRAY, int $NUMBER) {
  __shared__ int $SHARED[32];
  int $LOCAL[4] = {0};
  $ALIAS $SUM = 0;
  $SHARED[threadIdx.x] = $NUMBER;
  __syncthreads();
  for (int $INDEX = 0; $INDEX < 4; $INDEX++) {
    $LOCAL[$INDEX] = $FUNCTION($INDEX, $ARRAY);
    $SUM += $LOCAL[$INDEX] + __mul24($SHARED[$INDEX], 1);
  }
  $ARRAY[threadIdx.x] = $SUM;
}
""")
STRUCTURE = Template("""
struct $TYPE { int $FIRST; float $SECOND; };
extern "C" __global__ void $KERNEL($TYPE *$ARRAY, int *$NUMBER) {
  $TYPE $LOCAL = $ARRAY[threadIdx.x];
  $LOCAL.$FIRST += $NUMBER[0];
  $ARRAY[threadIdx.x].$SECOND = $LOCAL.$FIRST;
  $ARRAY[threadIdx.x].$FIRST = $LOCAL.$FIRST;
}
""")

#: Words that C++ keeps for itself, or CUDA has functions for, and Python's that are C's as well.
CS_OWN = "and or not if else for while break continue return class try assert".split()
NASTY = sorted(
    {
        *(word for word in keyword.kwlist if word not in CS_OWN),
        *"""self cls exec eval compile open print input globals locals vars getattr os sys builtins
        __import__ __builtins__ __class__ __dict__ __globals__ __subclasses__ __name__ __file__
        __loader__ __spec__ __init__ __main__ _HELPERS np numpy special lanes lane_count budget
        exited preempt_after warp_size local shared load store resolve launch arguments lanes_0
        lanes_1 V_a_2 R_x_1 p_a_1
        S_s_3 L_l_4 flat_S_s_3 address_S_s_3 pick_11 test_9 at_14 value_13 count_10 count_nonzero
        fetch inside row_index filled no_lanes inf i4 u8 f8 b1 T_int4 multiply multiply_24 divide
        slot_of threadIdx_x blockDim_x run_k p_ V_ R_ _ __ ___ _1 _0_1 x_1_2 yield_1 None_3 e E0
        v_2_ match type_ object str range len list dict set tuple bytes Exception""".split(),
    }
)


def some_names(template: Template) -> st.SearchStrategy[dict[str, str]]:
    """A name for each place of the program, all different."""
    places = template.get_identifiers()
    return st.permutations(NASTY).map(lambda words: dict(zip(places, words, strict=False)))


def shape(text: str) -> str:
    """Generated Python without the names of its variables: each is its number."""
    whole = ast.parse(text)
    stored = (n for n in ast.walk(whole) if isinstance(n, ast.Name))
    bound = {n.id for n in stored if not isinstance(n.ctx, ast.Load)}
    numbers: dict[str, str] = {}
    for node in ast.walk(whole):
        if isinstance(node, ast.FunctionDef):
            node.name = "function"
        elif isinstance(node, ast.Name) and node.id in bound:
            node.id = numbers.setdefault(node.id, f"variable {len(numbers)}")
    return ast.dump(whole)


def generated(names: dict[str, str]) -> str:
    return simulator.RawKernel(PROGRAM.substitute(names), names["KERNEL"]).compiled().text


PLAIN = shape(generated({place: f"plain{place}" for place in PROGRAM.get_identifiers()}))


@examples(150, 30)
@given(some_names(PROGRAM))
def test_names_change_nothing_but_names(names: dict[str, str]) -> None:
    assert shape(generated(names)) == PLAIN
    with simulator.Device(memory=1 << 16):
        array = simulator.zeros(32, "int32")
        kernel = simulator.RawKernel(PROGRAM.substitute(names), names["KERNEL"])
        kernel((1,), (32,), (array, 5))
        assert array.get().tolist() == [2 * (0 + 1 + 2 + 3) + 4 + 4 * 5] * 32


TWO_OF_A_KIND = {"TYPE": "S", "FIRST": "_4", "SECOND": "_2", "KERNEL": "k"}


@examples(100, 20)
@given(some_names(STRUCTURE))
@example({**TWO_OF_A_KIND, "ARRAY": "v", "LOCAL": "v_2_", "NUMBER": "v_2"})
@example({**TWO_OF_A_KIND, "ARRAY": "v_2", "LOCAL": "v", "NUMBER": "v_2_"})
def test_names_of_structures_and_members_change_nothing(names: dict[str, str]) -> None:
    with simulator.Device(memory=1 << 16):
        array = simulator.asarray(np.arange(64, dtype=np.int32))
        numbers = simulator.asarray(np.full(1, 7, np.int32))
        kernel = simulator.RawKernel(STRUCTURE.substitute(names), names["KERNEL"])
        kernel((1,), (32,), (array, numbers))
        first, second = array.get().reshape(32, 2).T
        assert first.tolist() == [2 * i + 7 for i in range(32)]
        assert second.copy().view(np.float32).tolist() == first.tolist()


def audited(files: list[Path], folder: Path) -> dict[str, Any]:
    """What Python executed while the kernels of these files ran in an empty folder."""
    command = [sys.executable, "-m", "tests.sanitize.audited", *map(str, files)]
    here = os.pathsep.join(filter(None, [str(FOLDER.parents[2]), os.environ.get("PYTHONPATH")]))
    path = {**os.environ, "PYTHONPATH": here, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, cwd=folder, env=path, capture_output=True, text=True, check=True, timeout=120
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_python_executes_generated_text_and_nothing_else(tmp_path: Path) -> None:
    found = audited([*HARMLESS, *REFUSED], tmp_path)
    expected = {file.stem: 42 for file in HARMLESS} | {file.stem: -1 for file in REFUSED}
    assert found["results"] == expected
    own = [f"<{file.stem} compiled from {file}>" for file in HARMLESS]
    assert found["executed"] == own
    read = [f"open {file}" for file in [*HARMLESS, *REFUSED]]
    assert sorted(found["events"]) == sorted([*read, *(f"compile {name}" for name in own)])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_generated_text_knows_the_helpers_and_no_builtins(tmp_path: Path) -> None:
    names = {place: f"plain{place}" for place in PROGRAM.get_identifiers()}
    function = simulator.RawKernel(PROGRAM.substitute(names), names["KERNEL"]).compiled().function
    assert function.__globals__["__builtins__"] == {}
    found = audited(HARMLESS, tmp_path)
    assert found["globals"]
    assert set(found["globals"]) <= set(function.__globals__)


@pytest.mark.parametrize("file", REFUSED, ids=lambda file: file.stem)
def test_what_is_refused_is_shown_with_its_place(file: Path) -> None:
    with pytest.raises(simulator.CompileError) as caught:
        simulator.RawModule(path=str(file), options=(f"-I{file.parent}",))
    assert caught.value.span is not None
    assert caught.value.span.source.name == str(file)
