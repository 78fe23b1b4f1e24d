"""Techniques outside of the package: found by their driver's file, or as entry points."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from click.testing import CliRunner

import gpubfs
from gpubfs.cli.main import group, main
from gpubfs.errors import ModuleWarning, UsageError
from gpubfs.search import discovery
from gpubfs.search.catalogue import find, techniques
from gpubfs.search.template import new_technique

#: What a student writes where the template leaves the kernel open.
BODY = """
  for (offset_t e = offsets[v]; e < offsets[v + 1]; e++) {
    int w = neighbours[e];
    if (atomicCAS(&level[w], -1, depth) == -1) next[atomicAdd(next_size, 1)] = w;
  }
}
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """The driver of a technique in a folder of its own."""
    driver, kernel, _ = new_technique("my-search", tmp_path / "mine")
    text = kernel.read_text()
    kernel.write_text(text[: text.rindex("}")].rstrip() + BODY)
    return driver


def told(capsys: pytest.CaptureFixture[str], *command: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(command)
    return int(ended.value.code or 0), *capsys.readouterr()


def test_a_search_by_path(mine: Path) -> None:
    done = gpubfs.run(str(mine), "kron:7", block=64, sanitize="all")
    assert done.technique == "my-search"
    assert done.options == {"block": 64}
    assert done.levels.tolist() == gpubfs.run("scan-free", "kron:7").levels.tolist()


@pytest.mark.parametrize(
    "command",
    [
        "run PATH --graph toy --levels",
        "run PATH:block=32 --graph toy --sanitize all",
        "compare PATH scan-free --graph toy",
        "lines PATH --graph toy",
        "trace PATH --graph toy --device toy2 --json",
        "bench PATH --graph toy --repeat 1",
    ],
)
def test_commands_take_a_path(
    command: str, mine: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(mine.parent.parent)
    code, out, err = told(capsys, *command.replace("PATH", "mine/my_search.py").split())
    assert (code, err) == (0, "")
    assert "my-search" in out or "my_search" in out


def test_what_is_edited_is_read_again(mine: Path) -> None:
    assert find(str(mine)).origin == ""
    mine.write_text(mine.read_text().replace('    "my-search",', '    "my-search", paper="Mine",'))
    assert find(str(mine)).origin == "Mine"


def test_the_kernel_that_is_not_written_fails_the_test(tmp_path: Path) -> None:
    new_technique("empty-one", tmp_path)
    code = pytest.main([str(tmp_path / "test_empty_one.py"), "-q", "-x", "-p", "no:cacheprovider"])
    assert code == pytest.ExitCode.TESTS_FAILED


def test_the_kernel_that_is_written_passes_it(mine: Path) -> None:
    test = mine.with_name("test_my_search.py")
    assert pytest.main([str(test), "-q", "-p", "no:cacheprovider"]) == pytest.ExitCode.OK


def test_the_command_writes_and_says_what_to_do(tmp_path: Path) -> None:
    shown = CliRunner().invoke(group, ["new-technique", "my-search", "--folder", str(tmp_path)])
    assert shown.exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "my_search.cu",
        "my_search.py",
        "test_my_search.py",
    ]
    assert f"python -m pytest {tmp_path / 'test_my_search.py'}" in shown.output


@pytest.mark.parametrize("name", ["My-Search", "my_search", "", "9lives", "a b", "../up", "-x-"])
def test_names_that_are_none(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be the name of a technique"):
        new_technique(name, tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", ["class", "lambda", "int", "struct", "goto", "new", "queue-loop"])
def test_names_that_are_words_of_a_language_or_of_the_template(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f'"{name}" cannot be the name of a technique: it is a'):
        new_technique(name, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_names_that_are_taken(tmp_path: Path) -> None:
    shown = CliRunner().invoke(group, ["new-technique", "scan-free", "--folder", str(tmp_path)])
    assert isinstance(shown.exception, UsageError)
    assert 'there is a technique "scan-free" already, in ' in shown.exception.message
    assert "scan_free.py:" in shown.exception.message
    assert not [*tmp_path.iterdir()]


def test_nothing_is_overwritten(mine: Path) -> None:
    before = mine.read_bytes()
    mine.with_suffix(".cu").unlink()
    with pytest.raises(UsageError, match=r"my_search\.py is there already"):
        new_technique("my-search", mine.parent)
    assert mine.read_bytes() == before
    assert not mine.with_suffix(".cu").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("'''Nothing.'''", "mine.py describes no technique"),
        ("def f(:", "mine.py:1: invalid syntax"),
        ("import nowhere_at_all", "mine.py:1: No module named 'nowhere_at_all'"),
        ("1 / 0", "mine.py:1: ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "mine.py:1: SystemExit: 3"),
    ],
)
def test_files_that_are_broken(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(UsageError) as error:
        find(str(tmp_path / "mine.py"))
    assert said in str(error.value)


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = told(capsys, "run", "nowhere/mine.py", "--graph", "toy")
    assert (code, out) == (2, "")
    assert "there is no file" in err
    assert "nowhere/mine.py" in err


def test_a_kernel_that_is_not_there(mine: Path) -> None:
    mine.with_suffix(".cu").unlink()
    with pytest.raises(UsageError, match=r"'my_search\.cu', and there is no such file in"):
        find(str(mine))


def test_two_in_one_file(mine: Path) -> None:
    text = mine.read_text()
    mine.write_text(
        text
        + text[text.index("@technique") :]
        .replace("my-search", "my-other")
        .replace("def my_search", "def other")
    )
    with pytest.raises(UsageError, match="describes my-search and my-other"):
        find(str(mine))


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[EntryPoint]:
    """The entry points of the group, as other packages would bring them."""
    points: list[EntryPoint] = []
    monkeypatch.setattr(discovery, "entry_points", lambda group: points)
    techniques.cache_clear()
    yield points
    techniques.cache_clear()


def test_entry_points(
    mine: Path, installed: list[EntryPoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(mine.parent))
    installed.append(EntryPoint("mine", "my_search", "gpubfs.techniques"))
    assert "my-search" in techniques()
    assert gpubfs.run("my_search", "toy").reached == 10
    sys.modules.pop("my_search", None)


def test_an_entry_point_that_is_broken_is_told(installed: list[EntryPoint]) -> None:
    installed.append(EntryPoint("gone", "no_such_module_at_all", "gpubfs.techniques"))
    with pytest.warns(ModuleWarning, match="no_such_module_at_all"):
        assert "scan-free" in techniques()


def test_an_entry_point_in_a_package_that_is_broken_is_told(
    installed: list[EntryPoint], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "zz_package").mkdir()
    (tmp_path / "zz_package" / "__init__.py").write_text("\n1 / 0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    installed.append(EntryPoint("gone", "zz_package.search", "gpubfs.techniques"))
    with pytest.warns(ModuleWarning, match=r"zz_package/__init__\.py:2: ZeroDivisionError"):
        assert "scan-free" in techniques()


def test_a_kernel_in_the_place_of_its_driver(mine: Path) -> None:
    with pytest.raises(UsageError, match=r"my_search\.cu is no Python file"):
        find(str(mine.with_suffix(".cu")))
