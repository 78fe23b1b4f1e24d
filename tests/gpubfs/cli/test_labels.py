"""What tables call graphs and times: files by their names, and the simulator's time as its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpubfs
from gpubfs.cli.main import main
from gpubfs.graphs.labels import labels
from gpubfs.measure import bench

PARTS = st.text("abc,.", min_size=1, max_size=3)
SPECS = st.lists(
    st.one_of(st.sampled_from(["toy", "kron:4"]), st.lists(PARTS, min_size=1, max_size=4)),
    max_size=8,
).map(lambda given: [one if isinstance(one, str) else f"file:/{'/'.join(one)}" for one in given])


@given(SPECS)
def test_labels_tell_graphs_apart_and_are_short(specs: list[str]) -> None:
    found = labels(specs)
    assert set(found) == set(specs)
    assert len(set(found.values()) | {"toy", "kron:4"}) <= len(set(specs) | {"toy", "kron:4"})
    for spec, shown in found.items():
        assert spec == shown or (spec.startswith("file:") and spec.endswith(shown))
        alone = [other for other in found if other != spec and other.endswith("/" + shown)]
        assert not alone or "/" in shown


@given(st.lists(st.lists(PARTS, min_size=1, max_size=4), max_size=8))
def test_different_files_have_different_labels(paths: list[list[str]]) -> None:
    specs = {f"file:/{'/'.join(path)}" for path in paths}
    assert len(set(labels(specs).values())) == len(specs)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Two files of one name."""
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "web.txt").write_text("0 1\n1 2\n")
    return f"file:{tmp_path}/first/web.txt", f"file:{tmp_path}/second/web.txt"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code in (0, None)
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "command",
    [
        ("graph",),
        ("run", "scan-free", "--graph"),
        ("lines", "scan-free", "--graph"),
        ("compare", "scan-free", "status-array", "--graph"),
        ("bench", "scan-free", "--repeat", "1", "--graph"),
        ("trace", "scan-free", "--device", "toy2", "--graph"),
        ("experiment", "queue-memory", "--graph"),
    ],
    ids=lambda command: command[0],
)
def test_tables_have_the_name_and_json_the_whole_path(
    command: tuple[str, ...], files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    shown = printed(capsys, *command, files[0])
    assert "web.txt" in shown
    assert files[0] not in " ".join(shown.split())
    if command[0] != "trace":
        assert "first/" not in shown
    assert files[0] in printed(capsys, *command, files[0], "--json")


@pytest.mark.slow
def test_files_of_one_name_are_told_apart(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    graphs = [word for spec in files for word in ("--graph", spec)]
    shown = printed(capsys, "bench", "scan-free", "--repeat", "1", *graphs)
    assert "first/web.txt" in shown
    assert "second/web.txt" in shown
    made = json.loads(printed(capsys, "bench", "scan-free", "--repeat", "1", *graphs, "--json"))
    assert [timing["graph"] for timing in made["timings"]] == list(files)
    shown = printed(capsys, "experiment", "queue-memory", *graphs)
    assert "first/web.txt" in shown


def test_the_simulators_time_is_called_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed(capsys, "compare", "scan-free", "status-array", "--graph", "toy")
    assert "simulator's seconds" in shown
    assert "simulator's MTEPS" in shown
    for command in (("compare", "scan-free"), ("bench", "scan-free"), ("run", "scan-free")):
        words = " ".join(printed(capsys, *command, "--graph", "toy").split())
        assert "simulator's own time, not a GPU's" in words
    assert "simulator's own time" in gpubfs.run("scan-free", "toy")._repr_html_().replace(
        "&#x27;", "'"
    )
    made = gpubfs.run("scan-free", "toy", counters=False)
    labels = [" ".join(axes.get_ylabel().split()) for axes in made.plot_levels().axes]
    assert "simulator's own time, microseconds" in labels


def test_a_gpus_time_is_its_time() -> None:
    timing = bench.Timing("scan-free", "toy", "gpu", 1, 1.0, 1.0, 1.0, 1.0, 1.0)
    assert "simulator" not in bench.sheet([timing]).html()


def test_notes_on_a_file_are_shown_with_a_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text("9 7\n0 1\n1 2\n")
    for command in ("run", "compare"):
        shown = printed(capsys, command, "scan-free", "--graph", f"file:{tmp_path / 'a.txt'}")
        assert "looks like a header" in " ".join(shown.split())
