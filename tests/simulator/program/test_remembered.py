"""Programs that a process remembers: a header that has changed in any way is read anew."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

import simulator
from simulator import read
from simulator.ir import tree
from simulator.program.kept import Recorded
from simulator.program.remembered import Remembered
from simulator.source import Source, Span

BEFORE, AFTER = "#define FACTOR 3\n", "#define FACTOR 5\n"


def factor(folder: Path, name: str) -> int:
    """What a kernel finds in a header."""
    text = f'#include "{name}"\nextern "C" __global__ void f(int *a) {{ *a = FACTOR; }}'
    a = simulator.zeros(1, "int32")
    simulator.RawModule(code=text, options=(f"-I{folder}",)).get_function("f")((1,), (1,), (a,))
    return int(a.get()[0])


def backdated(file: Path, text: str) -> None:
    """Write a text, and say that it was written when the one before it was."""
    state = file.stat()
    file.write_text(text)
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))


def replaced(file: Path, text: str) -> None:
    """Put another file of the same size and time in its place."""
    state, other = file.stat(), file.with_name("other.tmp")
    other.write_text(text)
    os.utime(other, ns=(state.st_atime_ns, state.st_mtime_ns))
    other.replace(file)


def linked(file: Path, text: str) -> None:
    """Put a link to another file in its place."""
    other = file.with_name("other.tmp")
    other.write_text(text)
    file.unlink()
    file.symlink_to(other)


NAMES = ["a.cuh", "a.inc", "a.def", "a.cpp", "config", "inner/a.h", ".hidden"]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_included_may_have_any_name(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(BEFORE)
    assert factor(tmp_path, name) == 3
    file.write_text(AFTER)
    assert factor(tmp_path, name) == 5
    file.unlink()
    with pytest.raises(simulator.CompileError, match=name):
        factor(tmp_path, name)


@pytest.mark.parametrize("change", [backdated, replaced, linked])
def test_it_may_change_in_any_way(change: Callable[[Path, str], None], tmp_path: Path) -> None:
    file = tmp_path / "a.cuh"
    file.write_text(BEFORE)
    assert factor(tmp_path, "a.cuh") == 3
    change(file, AFTER)
    assert factor(tmp_path, "a.cuh") == 5


def test_it_may_be_in_a_folder_that_is_a_link(tmp_path: Path) -> None:
    for name, text in (("one", BEFORE), ("two", AFTER)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.cuh").write_text(text)
    link = tmp_path / "headers" / "inner"
    link.parent.mkdir()
    link.symlink_to(tmp_path / "one")
    assert factor(link.parent, "inner/a.cuh") == 3
    backdated(tmp_path / "one" / "a.cuh", "#define FACTOR 7\n")
    assert factor(link.parent, "inner/a.cuh") == 7
    link.unlink()
    link.symlink_to(tmp_path / "two")
    assert factor(link.parent, "inner/a.cuh") == 5


def test_a_header_may_appear_before_the_one_that_was_read(tmp_path: Path) -> None:
    far = tmp_path / "far"
    (far / "inner").mkdir(parents=True)
    (far / "inner" / "all.cuh").write_text('#include "a.inc"\n')
    (far / "a.inc").write_text(BEFORE)
    assert factor(far, "inner/all.cuh") == 3
    (far / "inner" / "a.inc").write_text(AFTER)  # beside who includes it
    assert factor(far, "inner/all.cuh") == 5


def test_what_has_not_changed_is_not_read_again(tmp_path: Path) -> None:
    (tmp_path / "a.cuh").write_text(BEFORE)
    factor(tmp_path, "a.cuh")
    (tmp_path / "other.cuh").write_text("#error no\n")
    os.utime(tmp_path / "a.cuh", (1, 1))
    with mock.patch.object(read, "read", side_effect=AssertionError):
        assert factor(tmp_path, "a.cuh") == 3


def test_the_one_that_was_asked_for_longest_ago_is_forgotten() -> None:
    program = tree.Program({}, span=Span(Source("", "empty.cu"), 1, 1, 1, 1))
    programs, none = Remembered(2), Recorded({})
    for name in ("a", "b"):
        programs.add(name, {}, program)
    assert programs.find("a", none) is program
    programs.add("c", {}, program)
    assert [programs.find(name, none) is program for name in "abc"] == [True, False, True]
    programs.clear()
    assert programs.find("a", none) is None
