"""The parser's tables on disk: used where they are there, and missed nowhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import lark.lark
import pytest

import simulator
from simulator import cache
from simulator.read import grammar
from tests.sampling import sampled

CODE = 'extern "C" __global__ void k(int *a) { a[threadIdx.x] += 1; }'
BROKEN = f"{CODE} int x = ;"


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A place of its own for each test."""
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "kept"))
    return tmp_path / "kept"


def works() -> None:
    """Read a kernel, and one with a mistake, by a parser that is built anew."""
    grammar.machine.cache_clear()
    grammar._lexer.cache_clear()
    numbers = simulator.zeros(4, "int32")
    simulator.RawModule(code=CODE).get_function("k")((1,), (4,), (numbers,))
    assert numbers.get().tolist() == [1, 1, 1, 1]
    with pytest.raises(simulator.SimulatorError, match="cannot stand here"):
        simulator.RawModule(code=BROKEN).get_function("k")


def test_tables_are_kept_and_used(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    works()
    (kept,) = fresh.iterdir()
    before = kept.read_bytes()

    def refuse(*arguments: object) -> None:
        raise AssertionError("the grammar is read again")

    monkeypatch.setattr(lark.lark, "load_grammar", refuse)
    works()
    assert kept.read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize("content", sampled([b"", b"\0", b"half"], 3))
def test_a_broken_file_is_replaced(content: bytes, fresh: Path) -> None:
    works()
    (kept,) = fresh.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(whole[: len(whole) // 2] if content == b"half" else content)
    works()
    assert len(kept.read_bytes()) > len(whole) * 0.9


@pytest.mark.slow
def test_where_there_is_no_place_it_is_built_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/nowhere")):
        monkeypatch.setenv(cache.VARIABLE, str(place))
        works()


@pytest.mark.slow
@pytest.mark.parametrize("off", sampled(["off", "OFF", "0"], 3))
def test_it_can_be_turned_off(off: str, fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, off)
    works()
    assert not fresh.exists()


@pytest.mark.slow
def test_several_at_once_do_no_harm(fresh: Path) -> None:
    code = f"import simulator; simulator.RawModule(code={CODE!r}); print('read')"
    running = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    assert [process.communicate(timeout=120)[0] for process in running] == ["read\n"] * 6
    works()
    assert len(list(fresh.iterdir())) == 1
    assert os.stat(fresh).st_mode & 0o777 == 0o700
