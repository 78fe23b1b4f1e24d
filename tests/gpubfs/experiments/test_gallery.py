"""The page that shows every experiment's picture with its question and its command."""

from __future__ import annotations

import html
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from gpubfs.cli import gallery as cli
from gpubfs.cli.main import main
from gpubfs.errors import UsageError
from gpubfs.experiments import catalogue, lab
from gpubfs.experiments.catalogue import find
from gpubfs.experiments.experiment import Experiment
from gpubfs.experiments.gallery import Gallery
from tests.gpubfs.experiments.test_experiments import TINY, report

NAMES = ("dfq-memory", "busato-bins", "busato-frontier-loads")


class Few(dict[str, Experiment]):
    """Some experiments, found by their names."""

    find = dict.__getitem__


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three experiments on tiny graphs are all there are."""
    prepared = lab.prepared

    def tiny(name: str, *where: str, **settings: object) -> object:
        return prepared(name, *where, **settings, **TINY[name])

    known = Few({name: find(name) for name in NAMES})
    monkeypatch.setattr(catalogue, "experiments", lambda: known)
    monkeypatch.setattr(lab, "prepared", tiny)


def called(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(["experiment", *map(str, arguments)])
    out, err = capsys.readouterr()
    return int(caught.value.code or 0), out, err


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_every_experiment_has_its_picture_its_question_and_its_command(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "new" / "pictures"
    code, out, err = called(capsys, "--gallery", folder)
    assert (code, err) == (0, "")
    assert out.splitlines() == [str(folder / f"{n}.svg") for n in NAMES] + [
        str(folder / "index.html")
    ]
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert re.findall(r'<img src="([^"]+)"', page) == [f"{name}.svg" for name in NAMES]
    assert "{{" not in page
    assert "3 experiments. Counted by the simulator: no GPU took part" in page
    for name in NAMES:
        assert html.escape(find(name).question) in page
        assert (folder / f"{name}.svg").read_text(encoding="utf-8").count("</svg>") == 1
    commands = [html.unescape(found) for found in re.findall(r"<code>(.*?)</code>", page)]
    assert [shlex.split(command)[:3] for command in commands] == [
        ["gpubfs", "experiment", name] for name in NAMES
    ]
    assert not [*folder.glob(".*")]


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_control_c_leaves_what_is_finished(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = lab.prepared

    def interrupted(name: str, *where: str, **settings: object) -> object:
        if name == NAMES[2]:
            raise KeyboardInterrupt
        return tiny(name, *where, **settings)

    monkeypatch.setattr(lab, "prepared", interrupted)
    code, out, err = called(capsys, "--gallery", tmp_path)
    assert (code, err) == (130, "stopped\n")
    assert len(out.splitlines()) == 2
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "2 of 3 experiments." in page
    assert page.count("<img") == 2
    assert {path.name for path in tmp_path.iterdir()} == {
        "index.html",
        *(f"{name}.svg" for name in NAMES[:2]),
    }


@pytest.mark.slow
@pytest.mark.usefixtures("few")
def test_one_that_fails_is_said_and_the_others_are_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = lab.prepared

    def failing(name: str, *where: str, **settings: object) -> object:
        if name == NAMES[0]:
            raise UsageError("no room for <queues>", "take more")
        return tiny(name, *where, **settings)

    monkeypatch.setattr(lab, "prepared", failing)
    code, _, err = called(capsys, "--gallery", tmp_path)
    assert code == 2
    assert "dfq-memory is left out: no room for <queues>" in err
    assert "1 of 3 experiments have no picture: dfq-memory" in err
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "There is no picture: no room for &lt;queues&gt;" in page
    assert page.count("<img") == 2


@pytest.mark.parametrize(
    "more", [("--graph", "toy"), ("--picture", "a.svg"), ("--json",), ("--device", "toy2")]
)
def test_what_a_gallery_cannot_have_is_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, more: tuple[str, ...]
) -> None:
    code, _, err = called(capsys, "--gallery", tmp_path / "pictures", *more)
    assert code == 2
    assert f"--gallery goes without {more[0]}" in err
    assert not [*tmp_path.iterdir()]


def test_a_folder_that_cannot_be_made_is_said_first(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    code, _, err = called(capsys, "dfq-memory", "--gallery", tmp_path / "file" / "pictures")
    assert code == 2
    assert "cannot be written" in err


def test_texts_of_experiments_are_no_html(tmp_path: Path) -> None:
    done = report("dfq-memory")
    asked = replace(done.experiment, question='<b>"why"</b>')
    made = Gallery(tmp_path, "sim", 1)
    made.add(replace(done, experiment=asked), cli.command_of("dfq-memory", "sim", 3))
    assert "<b>" not in made.page()
    assert 'alt="&lt;b&gt;&quot;why&quot;&lt;/b&gt;"' in made.page()
