"""What the READMEs name is there: files, and each experiment once; and nothing is there twice."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from gpubfs.experiments.catalogue import experiments

ROOT = Path(__file__).parents[1]
TABLES = {"README.md": ROOT, "simulator/README.md": ROOT / "simulator"}


def rows(readme: str) -> list[tuple[str, str]]:
    """Each row of the table of folders: its first cell, and the rest."""
    text = (ROOT / readme).read_text(encoding="utf-8")
    table = re.search(r"\| folder \|.*\n\| --- .*\n((?:\|.*\n)+)", text)
    assert table
    cells = (line.strip("| ").partition(" | ") for line in table[1].splitlines())
    return [(first, rest) for first, _, rest in cells]


@pytest.mark.parametrize("readme", TABLES)
def test_files_in_the_table_of_folders_are_there(readme: str) -> None:
    named = 0
    for first, rest in rows(readme):
        places = [ROOT] if readme == "README.md" else [TABLES[readme]]
        folders = re.findall(r"[\w/.]+", re.sub(r"\(.*?\)|[\[\]`]", " ", first))
        places += [TABLES[readme] / folder for folder in folders]
        places += [place / inner for place in places for inner in re.findall(r"`(\w+)/`", rest)]
        for file in re.findall(r"`([\w/]+\.(?:py|cu|cuh|lark))`", rest):
            candidates = [place / file for place in places]
            candidates += [place.parent / file for place in places]
            assert any(one.exists() for one in candidates), f"{readme}: {first}: {file}"
            named += 1
    assert named > 10


def test_each_experiment_has_one_row_in_the_table_of_experiments() -> None:
    text = (ROOT / "gpubfs/README.md").read_text(encoding="utf-8")
    table = re.search(r"\| experiment \|.*\n\| --- .*\n((?:\|.*\n)+)", text)
    assert table
    named = re.findall(r"^\| `([\w-]+)`", table[1], flags=re.MULTILINE)
    assert sorted(named) == sorted(name for name, one in experiments().items() if one.paper)


@pytest.mark.parametrize("readme", ["README.md", "gpubfs/README.md", "simulator/README.md"])
def test_no_heading_and_no_long_line_is_there_twice(readme: str) -> None:
    lines = (ROOT / readme).read_text(encoding="utf-8").splitlines()
    those = [line for line in lines if line.startswith("#") or len(line) > 80]
    assert [line for line, times in Counter(those).items() if times > 1] == []
