"""Entry points are those that Python's own module finds."""

from __future__ import annotations

import sys
import zipfile
from importlib.metadata import entry_points as found
from pathlib import Path

import pytest

from gpubfs.search.installed import entry_points

TEXT = "[console_scripts]\nx = x:main\n\n[gpubfs.techniques]\nmine = {}\n"


def add(folder: Path, name: str) -> None:
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(TEXT.format(f"{name}.search"))


@pytest.mark.parametrize("how", ["none", "folder", "two", "zip", "other group", "missing", "file"])
def test_they_are_pythons(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = [tmp_path / "one", tmp_path / "two"]
    count = {"folder": 1, "two": 2, "zip": 1}.get(how, 0)
    for place, name in zip(places[:count], "ab", strict=False):
        add(place, name)
    if how == "other group":
        places[0].mkdir()
        (places[0] / "x-1.0.dist-info").mkdir()
        (places[0] / "x-1.0.dist-info" / "entry_points.txt").write_text("[other]\na = b\n")
    if how == "file":
        places[0].write_text("")
    if how == "zip":
        with zipfile.ZipFile(tmp_path / "z.zip", "w") as made:
            for file in places[0].rglob("*"):
                made.write(file, file.relative_to(places[0]))
        places = [tmp_path / "z.zip"]
    monkeypatch.setattr(sys, "path", [*map(str, places), *sys.path])
    expected = [point.value for point in found(group="gpubfs.techniques")]
    assert [point.value for point in entry_points("gpubfs.techniques")] == expected
    assert len(expected) == count
