"""What notebooks import: kernels to read, the machine at hand, what a GPU said."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

import simulator
from gpubfs.errors import UsageError
from gpubfs.grading import notebook
from gpubfs.grading.notebook import (
    against,
    beside,
    compiled,
    counted,
    kernel,
    machine,
    recorded,
    traced,
)
from gpubfs.grading.notebooks.listing import Listing, functions
from gpubfs.kernels import KERNELS
from gpubfs.search.catalogue import find, techniques
from gpubfs.show.traces.files.viewer.columns import unpacked

ADD = """#include "csr.cuh"
extern "C" __global__ void add(offset_t *a, int what) { a[threadIdx.x] += what; }
"""

TRICKY = r"""#define OPEN \
  void not_me() {
struct Pair { int a; };  // void nor_me() {
const char *words = "void still_not() {";

/* A comment. */

// One line.
// Another one.
template <int N>
__launch_bounds__(64)
__device__ int inner(int a, int (*f)(int)) {
  char brace = '{';
  if (a) { return f(a); }
  return brace;
}
extern "C" __global__ void outer(int *out) { out[0] = inner(1, 0); }
"""


def plain(thing: object) -> str:
    console = Console(width=100, file=io.StringIO())
    console.print(thing)
    return console.file.getvalue()


@pytest.mark.parametrize("name", techniques())
def test_a_technique_is_shown_as_its_file_is(name: str) -> None:
    lines = str(kernel(name)).splitlines()
    numbered = [
        f"{n:>4}  {line}".rstrip() for n, line in enumerate(find(name).source.splitlines(), 1)
    ]
    assert lines == numbered


def test_options_headers_and_paths_name_files_too(tmp_path: Path) -> None:
    assert kernel("scan-free:width=32").text == kernel("scan-free").text
    assert kernel("no-queue:alpha=0.4").name == "no_queue.cu"
    assert kernel("visit.cuh").text == (KERNELS / "visit.cuh").read_text("utf-8")
    own = tmp_path / "own.cu"
    own.write_text("int i;\n")
    assert kernel(own).text == kernel(str(own)).text == "int i;\n"


def test_one_function_comes_with_its_comment_and_its_numbers() -> None:
    shown = kernel("visit.cuh", only="virtual_lane")
    whole = kernel("visit.cuh").text.splitlines()
    first, *_, last = shown.text.splitlines()
    assert first.startswith("// The number of this thread")
    assert whole[shown.first - 1] == first
    assert "virtual_lane()" in last
    assert "virtual_warp" not in shown.text


def test_functions_are_found_among_what_looks_like_them() -> None:
    found = functions(TRICKY)
    lines = TRICKY.splitlines()
    assert set(found) == {"inner", "outer"}
    begin, end = found["inner"]
    assert lines[begin - 1] == "// One line."
    assert lines[end - 1] == "}"
    begin, end = found["outer"]
    assert begin == end == len(lines)


def test_every_kernel_of_the_package_is_found() -> None:
    for file in KERNELS.glob("*.cu"):
        text = file.read_text("utf-8")
        for name in re.findall(r"__global__ void (\w+)", text):
            begin, end = functions(text)[name]
            assert text.splitlines()[end - 1] == "}"
            assert text.splitlines()[begin - 1].startswith(("//", "extern"))


def test_a_page_shows_every_character_and_runs_none() -> None:
    shown = Listing("<b>.cu", "if (a < b && c) { }  // <script>\n")
    page = shown._repr_html_()
    assert "<script>" not in page
    assert "&lt;b&gt;.cu" in page
    assert "a &lt; b &amp;&amp; c" in page
    assert "// &lt;script&gt;" in page


def test_a_terminal_shows_brackets_as_they_are() -> None:
    assert "next[atomicAdd(next_size, 1)] = v;" in plain(kernel("scan-free"))


@pytest.mark.parametrize(
    ("wanted", "only", "words"),
    [
        ("scanfree", None, "did you mean scan-free"),
        ("scan-free", "scan_fre", "did you mean scan_free"),
        ("no/such.cu", None, "cannot be read"),
    ],
)
def test_what_is_not_there_is_said(wanted: str, only: str | None, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        kernel(wanted, only=only)
    assert words in str(caught.value)


@pytest.fixture
def add(tmp_path: Path) -> Path:
    """A lesson's kernel file."""
    own = tmp_path / "add.cu"
    own.write_text(ADD)
    return own


def test_a_lessons_kernel_is_launched_counted_and_traced(add: Path) -> None:
    a = simulator.zeros(64, "int32")
    compiled(add, "add")((1,), (64,), (a, 1))
    counters = counted(add, "add", 64, a, 2)
    assert (a.get() == 3).all()
    assert (counters.load_requests, counters.load_sectors) == (2, 8)
    with simulator.Device("toy4"):
        steps = traced(add, "add", 4, simulator.zeros(4, "int32"), 1)
    assert {launch.kernel for launch in steps.launches} == {"add"}
    (data,) = re.findall(r'id="steps">([^<]+)<', steps._repr_html_())
    (track,) = unpacked(data)[0]["tracks"]
    assert {launch["kernel"] for launch in track["launches"]} == {"add"}


def test_without_a_gpu_the_machine_is_the_simulator(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("a driver that is older than CuPy")

    monkeypatch.setattr("gpubfs.grading.notebook.cuda_module", broken)
    machine.cache_clear()
    try:
        assert machine() == "sim"
    finally:
        machine.cache_clear()


@pytest.mark.gpu
def test_with_a_gpu_it_is_the_gpu() -> None:
    from gpubfs.machines.gpu import cuda_module

    try:
        cuda_module()
    except UsageError as error:
        pytest.skip(error.message)
    machine.cache_clear()
    assert machine() == "gpu"


def test_a_recorded_gpu_stands_beside_the_simulator() -> None:
    found = recorded("scan-free:width=32", "toy")
    case = found["load_sectors"]
    assert case.simulated > 0
    assert case.hardware == pytest.approx(case.simulated, rel=0.03)
    assert "load_sectors" in found._repr_html_()
    assert "H200" in plain(found)
    assert against is notebook.recorded


def test_one_counter_is_one_row() -> None:
    found = recorded("scan-free", "toy", "load_requests")
    assert [case.counter for case in found.cases] == ["load_requests"]
    with pytest.raises(UsageError, match="no recorded counter"):
        found["load_sectors"]


def test_what_was_not_recorded_is_said_with_what_was() -> None:
    with pytest.raises(UsageError) as caught:
        recorded("scan-free", "kron:5")
    assert "kron:10" in str(caught.value)
    with pytest.raises(UsageError, match="no recorded counter"):
        recorded("scan-free", "toy", "load_sector")


@pytest.mark.parametrize("started_in", ["lessons/09-last", "lessons", "."])
def test_a_lessons_files_are_found_from_where_notebooks_start(
    started_in: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "lessons" / "09-last" / "own.cu"
    file.parent.mkdir(parents=True)
    file.write_text("// mine")
    monkeypatch.chdir(tmp_path / started_in)
    assert beside("own.cu", "09-last") == file.resolve()
