"""Programs and kernels that are kept on disk: what comes of them is what comes of their texts."""

from __future__ import annotations

import io
import os
import pickle
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulator
from simulator import builtins, cache
from simulator.ir.additions import ADDED
from tests.sampling import examples
from tests.simulator.program.disk import Disk, disk

SCALE = """
#include "factor.cuh"
__device__ int total[3] = {1, 2, 3};
__constant__ float2 shift = {1.5f, 2.5f};
template <typename T> __device__ T twice(T x) { return x + x; }
extern "C" __global__ void scale(int *a, int n) {
  __shared__ int tile[32];
  int i = threadIdx.x;
  tile[i] = i < n ? a[i] : 0;
  __syncthreads();
  if (i < n) a[i] = twice(FACTOR * tile[31 - i]) + (int)shift.y + total[i % 3];
}
extern "C" __global__ void add(int *a) { atomicAdd(total, a[threadIdx.x]); }
"""
HEADER = "#pragma once\n#define FACTOR 3\n"


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Disk]:
    with disk(tmp_path / "cache") as made:
        yield made


@pytest.fixture
def headers(tmp_path: Path) -> Path:
    folder = tmp_path / "headers"
    folder.mkdir()
    (folder / "factor.cuh").write_text(HEADER)
    return folder


def scaled(headers: Path, *options: str, code: str = SCALE) -> tuple[Any, ...]:
    """All that a program shows: results, counters with their sites, warnings, Python text."""
    module = simulator.RawModule(code=code, options=(f"-I{headers}", *options))
    kernel, a = module.get_function("scale"), simulator.arange(20, dtype="int32")
    with simulator.counting() as record:
        kernel((1,), (32,), (a, 20))
        module.get_function("add")((1,), (20,), (a,))
    words = io.StringIO()
    module.compile(words)
    sites = [str(site) for launch in record.launches for site in launch.sites]
    counters = [launch.counters.as_dict() for launch in record.launches]
    text = kernel.compiled().text
    return a.get().tolist(), str(counters), sites, words.getvalue(), text, kernel.signature


def test_a_second_run_reads_nothing_and_finds_the_same(kept: Disk, headers: Path) -> None:
    first, *work = kept.anew(lambda: scaled(headers))
    assert work == [1, 2]
    again, *work = kept.anew(lambda: scaled(headers))
    assert work == [0, 0]
    assert again == first
    with mock.patch.dict(os.environ, {cache.VARIABLE: "off"}):
        assert kept.anew(lambda: scaled(headers)) == (first, 1, 2)


@pytest.mark.parametrize(
    "option", ["-DFACTOR=4", "-UNDEBUG", "-default-device", "-DOTHER", "-DOTHER=2"]
)
def test_other_options_make_another_program(kept: Disk, headers: Path, option: str) -> None:
    code = SCALE.replace('#include "factor.cuh"', "#ifndef FACTOR\n#define FACTOR 3\n#endif")
    first, *_ = kept.anew(lambda: scaled(headers, code=code))
    other, read, _ = kept.anew(lambda: scaled(headers, option, code=code))
    assert read == (option != "-UNDEBUG")  # which leaves the macros as they are
    assert (other[0] == first[0]) == ("FACTOR" not in option)


def test_another_text_another_name_and_another_version(kept: Disk, headers: Path) -> None:
    kept.anew(lambda: scaled(headers))
    assert kept.anew(lambda: scaled(headers, code=SCALE + "\n"))[1:] == (1, 2)
    with disk(kept.folder, version="two") as other:
        assert other.anew(lambda: scaled(headers))[1:] == (1, 2)
    with disk(kept.folder, version="") as unknown:
        files = kept.files
        assert unknown.anew(lambda: scaled(headers))[1:] == (1, 2)
        assert kept.files == files


def test_a_header_that_has_changed(kept: Disk, headers: Path) -> None:
    first, *_ = kept.anew(lambda: scaled(headers))
    file = headers / "factor.cuh"
    file.write_text(HEADER.replace("3", "5"))
    os.utime(file, (1, 1))
    other, *work = kept.anew(lambda: scaled(headers))
    assert work == [1, 2]
    assert other[0] != first[0]
    file.write_text(HEADER)
    assert kept.anew(lambda: scaled(headers))[0] == first
    assert kept.anew(lambda: scaled(headers)) == (first, 0, 0)


def test_a_header_that_nobody_includes_may_change(kept: Disk, headers: Path) -> None:
    kept.anew(lambda: scaled(headers))
    (headers / "other.cuh").write_text("#error no\n")
    assert kept.anew(lambda: scaled(headers))[1:] == (0, 0)


def test_a_header_that_appears_before_another_one(kept: Disk, tmp_path: Path) -> None:
    near, far = tmp_path / "near", tmp_path / "far"
    for folder in (near, far):
        (folder / "inner").mkdir(parents=True)
    (far / "inner" / "all.cuh").write_text('#include "factor.cuh"\n')
    (far / "factor.cuh").write_text(HEADER)
    code = SCALE.replace("factor.cuh", "inner/all.cuh")

    def run() -> tuple[Any, ...]:
        return scaled(near, f"-I{far}", code=code)

    first, *_ = kept.anew(run)
    assert kept.anew(run) == (first, 0, 0)
    beside = far / "inner" / "factor.cuh"
    beside.write_text("#define FACTOR 7\n")  # which comes before, as it is beside who includes it
    other, *work = kept.anew(run)
    assert work == [1, 2]
    assert other[0] != first[0]
    beside.unlink()
    assert kept.anew(run)[0] == first
    (near / "factor.cuh").write_text("#define FACTOR 9\n")
    assert kept.anew(run)[0][0] not in (first[0], other[0])


def test_a_header_that_is_only_asked_for(kept: Disk, headers: Path) -> None:
    asks = (
        '#if __has_include("more.cuh")\n#include "more.cuh"\n#else\n#include "factor.cuh"\n#endif'
    )
    code = SCALE.replace('#include "factor.cuh"', asks)
    first, *_ = kept.anew(lambda: scaled(headers, code=code))
    assert kept.anew(lambda: scaled(headers, code=code)) == (first, 0, 0)
    (headers / "more.cuh").write_text("#define FACTOR 11\n")
    assert kept.anew(lambda: scaled(headers, code=code))[0][0] != first[0]


def test_a_header_that_vanishes(kept: Disk, headers: Path) -> None:
    kept.anew(lambda: scaled(headers))
    (headers / "factor.cuh").unlink()
    with pytest.raises(simulator.CompileError, match=r"factor\.cuh"):
        kept.anew(lambda: scaled(headers))


def test_what_is_wrong_is_said_each_time(kept: Disk) -> None:
    code = 'extern "C" __global__ void f(int *a) { a[0] = b; }'
    with pytest.raises(simulator.CompileError) as first:
        kept.anew(lambda: simulator.RawKernel(code, "f"))
    assert kept.files == []
    with pytest.raises(simulator.CompileError) as again:
        kept.anew(lambda: simulator.RawKernel(code, "f"))
    assert str(again.value) == str(first.value)


WRONG = {
    "index": ("a[i + 5] = 1;", ""),
    "divided": ("a[i] = 1 / (i - 3);", ""),
    "race": ("a[0] = i;", "race"),
    "barrier": ("if (i < 9) __syncthreads();", "sync"),
    "unset": ("int x; if (i > 99) x = 1; a[i] = x;", "init"),
    "asserted": ("assert(i < 7);", ""),
}


@pytest.mark.parametrize("name", WRONG)
def test_faults_say_the_same(kept: Disk, name: str) -> None:
    statement, sanitizer = WRONG[name]
    code = f"""
    __device__ __noinline__ void inner(int *a, int i) {{
      {statement}
    }}
    extern "C" __global__ void f(int *a) {{ inner(a, threadIdx.x); }}"""

    def fault() -> tuple[Any, ...]:
        kernel, a = simulator.RawKernel(code, "f"), simulator.zeros(32, "int32")
        with pytest.raises(simulator.Fault) as caught, simulator.sanitize(sanitizer or "sync"):
            kernel((1,), (64 if name == "barrier" else 32,), (a,))
        error = caught.value
        return str(error), error.lanes, [str(one.span.line) for one in error.accesses]

    first, *_ = kept.anew(fault)
    assert kept.anew(fault) == (first, 0, 0)


def test_launches_are_refused_in_the_same_words(kept: Disk, headers: Path) -> None:
    def refused() -> list[str]:
        module = simulator.RawModule(code=SCALE, options=(f"-I{headers}",))
        kernel, words = module.get_function("scale"), []
        floats, ints = simulator.zeros(3, "float64"), simulator.zeros(3, "int32")
        for values in (("x", 2), (floats, 3), (ints,)):
            with pytest.raises(simulator.LaunchError) as caught:
                kernel((1,), (32,), values)
            words.append(str(caught.value))
        for name in ("twice", "twic", "total"):
            with pytest.raises(simulator.CompileError) as unknown:
                module.get_function(name)
            words.append(str(unknown.value))
        return words

    first, *_ = kept.anew(refused)
    assert kept.anew(refused) == (first, 0, 0)


def test_kernels_of_one_program_point_into_one_text(kept: Disk, headers: Path) -> None:
    def sources() -> set[int]:
        module = simulator.RawModule(code=SCALE, options=(f"-I{headers}",))
        kernels = [module.get_function(name) for name in ("scale", "add")]
        sites = [site for one in kernels for site in one.compiled().plan.sites]
        variables = {id(v) for one in kernels for v in one.compiled().variables}
        assert variables <= {id(node.symbol) for node in module.program.variables}
        return {id(site.span.source) for site in sites}

    assert len(kept.anew(sources)[0]) == 1
    assert len(kept.anew(sources)[0]) == 1


def test_what_a_kernel_is_compiled_for(kept: Disk, headers: Path) -> None:
    """Traces and sanitizers need kernels of their own, and pointers bound in another way, too."""

    def run() -> Any:
        with simulator.tracing() as trace, simulator.sanitize("all"):
            found = scaled(headers)
        steps = [
            (step.span.line, step.lanes.tolist()) for one in trace.launches for step in one.steps
        ]
        return found, steps

    plain, *_ = kept.anew(lambda: scaled(headers))
    traced, read, compiled = kept.anew(run)
    assert (read, compiled) == (0, 2)
    assert traced[0][:2] == plain[:2]
    assert kept.anew(run) == (traced, 0, 0)


def test_a_function_that_is_added_ends_it(kept: Disk, headers: Path) -> None:
    kept.anew(lambda: scaled(headers))
    files = kept.files
    with mock.patch.object(ADDED, "rows", ADDED.rows + 1):
        assert kept.anew(lambda: scaled(headers))[1:] == (1, 2)
    assert builtins.version() == ADDED.rows
    assert kept.files == files


def test_a_kernel_with_functions_without_names_is_compiled_anew(kept: Disk) -> None:
    """`__hadd2` and its kin are closures in generated code, which no file can hold."""
    code = """#include <cuda_fp16.h>
    extern "C" __global__ void f(__half2 *a) { a[threadIdx.x] = __hadd2(a[threadIdx.x], a[0]); }"""

    def run() -> list[float]:
        a = simulator.asarray(np.arange(8, dtype="float16"))
        simulator.RawKernel(code, "f")((1,), (4,), (a,))
        return [float(one) for one in a.get()]

    first, *_ = kept.anew(run)
    assert kept.anew(run) == (first, 0, 1)


# What may happen to the folder.


#: How a file is damaged, where in it, and with which byte.
DAMAGE = st.tuples(
    st.sampled_from(["cut", "change", "insert", "empty", "whole"]),
    st.floats(0, 1, exclude_max=True),
    st.integers(1, 255),
)


@pytest.mark.slow
def test_broken_files_do_no_harm(kept: Disk, headers: Path) -> None:
    first, *_ = kept.anew(lambda: scaled(headers))
    whole = {file: file.read_bytes() for file in kept.files}

    @examples(300, 20)
    @given(damage=st.lists(DAMAGE, min_size=3, max_size=3))
    def law(damage: list[tuple[str, float, int]]) -> None:
        for (file, content), how in zip(whole.items(), damage, strict=True):
            file.write_bytes(damaged(content, *how))
        found, read, _ = kept.anew(lambda: scaled(headers))
        assert found == first
        assert read <= 1

    law()
    assert kept.anew(lambda: scaled(headers)) == (first, 0, 0)


def damaged(content: bytes, how: str, where: float, value: int) -> bytes:
    at = int(where * len(content))
    if how == "change":
        return content[:at] + bytes([content[at] ^ value]) + content[at + 1 :]
    if how == "insert":
        return content[:at] + bytes([value]) + content[at:]
    return {"cut": content[:at], "empty": b"", "whole": content}[how]


@pytest.mark.parametrize("thing", [None, 3, ("x",), ({}, {}), ({"factor.cuh": True}, 1), [1, 2, 3]])
def test_files_of_something_else_do_no_harm(kept: Disk, headers: Path, thing: object) -> None:
    first, *_ = kept.anew(lambda: scaled(headers))
    for file in kept.files:
        cache.write(file.stem, pickle.dumps(thing))
    assert kept.anew(lambda: scaled(headers)) == (first, 1, 2)


class Bomb:
    """What a file holds that somebody else has written."""

    def __reduce__(self) -> tuple[Any, ...]:
        return pytest.fail, ("a file of somebody else was loaded",)


def loses_trust(how: str, kept: Disk) -> Any:
    """Make the folder, or a file, one that somebody else could have written."""
    for file in kept.files:
        cache.write(file.stem, pickle.dumps(Bomb()))
        if how == "file":
            file.chmod(0o622)
        if how == "link":
            other = kept.folder.parent / file.name
            file.rename(other)
            file.symlink_to(other)
    if how in ("group", "world"):
        kept.folder.chmod(0o770 if how == "group" else 0o707)
    if how == "owner":
        return mock.patch.object(os, "geteuid", return_value=os.getuid() + 1)
    return mock.patch.object(os, "geteuid", os.geteuid)


@pytest.mark.parametrize("how", ["group", "world", "file", "link", "owner"])
def test_what_others_could_have_written_is_not_loaded(kept: Disk, headers: Path, how: str) -> None:
    first, *_ = kept.anew(lambda: scaled(headers))
    with loses_trust(how, kept):
        assert kept.anew(lambda: scaled(headers)) == (first, 1, 2)
    kept.folder.chmod(0o700)


@pytest.mark.parametrize("how", ["read only", "a file", "nowhere", "full", "large"])
def test_a_folder_that_cannot_be_written(
    kept: Disk, headers: Path, how: str, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    first, *_ = kept.anew(lambda: scaled(headers))
    place = kept.folder.parent / "place"
    if how == "read only":
        place.mkdir(0o500)
    if how == "a file":
        place.write_text("")
    if how == "nowhere":
        place = Path(os.devnull) / "place"
    if how == "full":
        monkeypatch.setattr(os, "replace", mock.Mock(side_effect=OSError(28, "No space left")))
    if how == "large":
        monkeypatch.setattr(cache.entries, "LARGEST", 100)
    monkeypatch.setenv(cache.VARIABLE, str(place))
    for _ in range(2):
        assert kept.anew(lambda: scaled(headers))[0] == first
    assert capfd.readouterr() == ("", "")
    assert how == "read only" or not place.is_dir() or not any(place.iterdir())


def test_entries_can_be_read_where_nothing_can_be_written(kept: Disk, headers: Path) -> None:
    first, *_ = kept.anew(lambda: scaled(headers))
    kept.folder.chmod(0o500)
    assert kept.anew(lambda: scaled(headers)) == (first, 0, 0)
    kept.folder.chmod(0o700)


def test_files_are_the_users_alone(kept: Disk, headers: Path) -> None:
    kept.anew(lambda: scaled(headers))
    modes = {stat.S_IMODE(file.stat().st_mode) for file in kept.folder.iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE(kept.folder.stat().st_mode) == 0o700
    assert [file.suffix for file in kept.folder.iterdir()] == [".kept"] * 3


def test_the_oldest_leave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache.entries, "MOST", 10_000)
    monkeypatch.setattr(cache.entries, "PORTION", 1_000)
    with disk(tmp_path / "cache") as kept:
        (kept.folder).mkdir()
        (kept.folder / "mine.txt").write_text("x" * 20_000)
        lost = kept.folder / "lost.part"
        lost.write_bytes(b"x" * 100)
        os.utime(lost, (1, 1))
        for number in range(40):
            cache.write(f"{number}", bytes(900))
            os.utime(kept.folder / f"{number}.kept", (10_000 + number, 10_000 + number))
            if number >= 5:
                assert cache.read("5") == bytes(900)  # what is used stays
                os.utime(kept.folder / "5.kept", (10_000 + number, 10_000 + number))
        assert sum(file.stat().st_size for file in kept.files) <= 10_000
        assert {file.stem for file in kept.files} >= {"5", "38", "39"}
        assert len(kept.files) >= 8
        assert not lost.exists()
        assert (kept.folder / "mine.txt").exists()
