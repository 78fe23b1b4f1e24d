"""Kernels of all structures: NVIDIA's compiler takes them, and they count alike as on a GPU."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from gpubfs import dynamic, machines
from gpubfs.dynamic import Batch
from gpubfs.dynamic.structure import FOLDER, find
from gpubfs.machines import nvrtc
from gpubfs.machines.checking import check_file
from gpubfs.search.option import AUTO
from tests.gpubfs.machines.instrumenting import EXACT, InstrumentedSim
from tests.sampling import sampled

FILES = sorted(FOLDER.glob("*.cu"))

#: Each structure with all macros that its options may set, and with both widths of offsets.
MACROS = [
    (name, macros)
    for name, structure in dynamic.structures().items()
    for macros in product(
        ("OFFSET=int", "OFFSET=long long"),
        *(
            [f"{option.define}={option.macro(value)}" for value in option.choices if value != AUTO]
            for option in structure.options
            if option.define and option.choices
        ),
    )
]


def test_every_structure_has_its_kernels_here() -> None:
    assert {find(name).path for name in dynamic.structures()} <= set(FILES)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_shipped_kernels_have_no_warnings(file) -> None:
    assert [str(found) for found in check_file(file).diagnostics] == []


@pytest.mark.parametrize(
    ("architecture", "name", "macros"),
    sampled(((a, *m) for a in ("sm_75", "sm_80", "sm_90") for m in MACROS), 36, each=1),
)
def test_kernels_compile_without_a_word(architecture, name, macros) -> None:
    module, reason = nvrtc.load()
    if module is None:
        pytest.skip(reason)
    assert nvrtc.compile_file(find(name).path, architecture, macros) == ""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "update"), [*product(dynamic.structures(), ("thread", "warp"))])
def test_rewritten_kernels_count_what_the_simulator_counts(monkeypatch, name, update) -> None:
    """The build that counts on a GPU, run on the simulator."""
    monkeypatch.setitem(machines.MACHINES, "instrumented", InstrumentedSim)
    structure = replace(find(name), machines=("sim", "gpu", "instrumented"))
    options = {"update": update} if any(o.name == "update" for o in structure.options) else {}
    batch = Batch([0, 0, 4, 4, 4, 9], [5, 6, 7, 7, 8, 1])
    counted = []
    for machine in ("sim", "instrumented"):
        with dynamic.graph(structure, "toy", machine, counters=True, **options) as changing:
            changing.insert_edges(batch)
            changing.delete_edges(batch)
            counted.append([operation.counters for operation in changing.operations])
    for ours, theirs in zip(*counted, strict=True):
        assert ours is not None
        assert {k: ours[k] for k in EXACT} == {k: theirs[k] for k in EXACT}
