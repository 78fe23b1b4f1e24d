"""The file of the parser's tables: whole, the user's own, or not used."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from simulator import cache


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def make(content: str) -> str | None:
    """What is in the file, which is made if it is not there."""
    with cache.file("x.tables") as file:
        if file is None:
            return None
        if not file.exists():
            file.write_text(content)
        return file.read_text()


def test_it_is_made_once(folder: Path) -> None:
    before = os.umask(0o002)
    try:
        assert [make("one"), make("two")] == ["one", "one"]
    finally:
        os.umask(before)
    assert stat.S_IMODE((folder / "x.tables").stat().st_mode) == 0o600
    assert [file.name for file in folder.iterdir()] == ["x.tables"]


def test_one_that_others_could_have_written_is_made_anew(folder: Path) -> None:
    make("one")
    (folder / "x.tables").chmod(0o660)
    assert [make("two"), make("three")] == ["two", "two"]


def half() -> None:
    with cache.file("x.tables") as file:
        assert file is not None
        file.write_text("half")
        raise KeyError


def test_none_is_made_where_something_goes_wrong(folder: Path) -> None:
    with pytest.raises(KeyError):
        half()
    assert list(folder.iterdir()) == []
    with cache.file("x.tables"):
        pass  # nothing is written
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_none_is_used_in_a_folder_that_others_can_write(folder: Path, mode: int) -> None:
    make("one")
    folder.chmod(mode)
    assert make("two") is None


@pytest.mark.parametrize("value", ["off", "OFF", "no", "0"])
def test_none_is_used_where_the_cache_is_off(
    folder: Path, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(cache.VARIABLE, value)
    assert make("one") is None
    assert not folder.exists()
