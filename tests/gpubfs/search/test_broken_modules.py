"""Technique modules that are broken: one message with file and field, and all others go on."""

from __future__ import annotations

import inspect
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import gpubfs
from gpubfs.cli.main import main
from gpubfs.errors import ModuleWarning, UsageError
from gpubfs.search.catalogue import find, techniques
from gpubfs.search.option import TAKEN

WHOLE = """
    '''An idea.'''
    from gpubfs.search.loops import QUEUE_ARRAYS, QUEUE_MEMORY, queue_loop
    from gpubfs.search.option import Option
    from gpubfs.search.description import technique

    @technique(
        "odd-one",
        family="test",
        kernel="scan_free.cu",
        paper="none",
        section="none",
        year=2030,
        arrays=QUEUE_ARRAYS,
        memory=QUEUE_MEMORY,
        options=(Option("block", 32, "threads"),),
    )
    def odd_one(host, graph, source, *, block):
        return queue_loop(host, graph, source, "scan_free", block)
"""

Place = Callable[[str], None]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """Puts a module among the techniques while a test lasts."""
    package = sys.modules["gpubfs.techniques"]
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])

    def write(text: str) -> None:
        (tmp_path / "zz_odd_one.py").write_text(textwrap.dedent(text))
        sys.modules.pop("gpubfs.techniques.zz_odd_one", None)
        techniques.cache_clear()

    yield write
    sys.modules.pop("gpubfs.techniques.zz_odd_one", None)
    techniques.cache_clear()


def swapped(old: str, new: str) -> str:
    """The whole module with one thing changed."""
    assert old in WHOLE
    return WHOLE.replace(old, new)


FIELDS = ("family", "kernel", "paper", "section", "year", "arrays", "memory")

SPEECHLESS = "raise type('Speechless', (Exception,), {'__str__': None})"

#: What an option is made of, and what is said of it.
OPTIONS = {
    "'machine', 32, 'threads'": "'machine' cannot be given by that name",
    "'levels', 32, 'threads'": "'levels' cannot be given by that name",
    "'class', 32, 'threads'": "'class' cannot be given by that name",
    "'the-block', 32, 'threads'": "'the-block' cannot be given by that name",
    "3, 32, 'threads'": "3 cannot be given by that name",
    "'block', None, 'threads'": "'block' has the default None",
    "'block', 32, ''": "'block' has the meaning ''",
    "'block', 32, 'threads', choices=[32]": "'block' has the choices [32]",
    "'block', 32, 'threads', minimum='a'": "'block' has the minimum 'a'",
    "'block', 32, 'threads', define='A B'": "'block' has the define 'A B'",
    "'block', 32, 'threads', choices=(64,)": "'block' has a default that it does not allow",
    "'block', 32, 'threads', minimum=64": "'block' has a default that it does not allow",
    "'block', 33, 'threads', whole_warps=True": "'block' has a default that it does not allow",
    '"block", 32, "threads", only_with=("blck", (1,))': "'block' is only with 'blck'",
    '"block", 32, "threads", only_with="basic"': "'block' has the only_with 'basic'",
}

BROKEN = {
    "no name": (swapped('"odd-one",', ""), "the field name is missing"),
    "no kernel": (
        swapped('kernel="scan_free.cu",', ""),
        "the field kernel is 'zz_odd_one.cu', and",
    ),
    "two fields of an option missing": (
        swapped('"block", 32, "threads"', '"block"'),
        "the fields default, meaning are missing",
    ),
    "no such field": (swapped("year=2030", "year=2030, colour=3"), "there is no field colour"),
    "a year in words": (swapped("2030", "'late'"), "the field year is 'late'"),
    "a name with blanks": (swapped('"odd-one"', '"Odd one"'), "the field name is 'Odd one'"),
    "a name that is a number": (swapped('"odd-one"', "3"), "the field name is 3"),
    "options in a list": (
        swapped('(Option("block", 32, "threads"),)', '[Option("block", 32, "threads")]'),
        "the field options is [",
    ),
    "arrays in a list": (swapped("QUEUE_ARRAYS,\n", "['level'],\n"), "the field arrays is ['level"),
    "a machine that is none": (
        swapped("year=2030,", "year=2030, machines=('cpu',),"),
        "the field machines is ('cpu',)",
    ),
    "a syntax error": (swapped("def odd_one(", "def odd_one[("), "zz_odd_one.py:"),
    "an import error": (
        swapped("from gpubfs.search.option import Option", "from nowhere_at_all import Option"),
        "No module named 'nowhere_at_all'",
    ),
    "an exception": (swapped("@technique(", "1 / 0\n    @technique("), "ZeroDivisionError"),
    "an exit": (swapped("@technique(", "exit(3)\n    @technique("), "SystemExit"),
    "an exit that is no Exception": (
        swapped("@technique(", "raise GeneratorExit\n    @technique("),
        "zz_odd_one.py:7: GeneratorExit",
    ),
    "a NUL byte": (WHOLE + "\0", "null byte"),
    "a syntax error in a text": (
        swapped("@technique(", "eval('1 +')\n    @technique("),
        "zz_odd_one.py:7: ",
    ),
    "an exception of many lines": (
        swapped("@technique(", "raise ValueError('a\\nb')\n    @technique("),
        "ValueError: a b",
    ),
    "an exception that cannot say what it is": (
        swapped("@technique(", f"{SPEECHLESS}\n    @technique("),
        "zz_odd_one.py:7: Speechless",
    ),
    **{
        f"an option {option}": (
            swapped('Option("block", 32, "threads")', f"Option({option})"),
            f"the field options: {words}",
        )
        for option, words in OPTIONS.items()
    },
    "two options of one name": (
        swapped('"threads"),', '"threads"), Option("block", 64, "threads"),'),
        "the field options: 'block' is there twice",
    ),
    "a condition of nothing": (
        swapped("year=2030,", "year=2030, cooperative=lambda: True,"),
        "the field cooperative is a function that gives TypeError",
    ),
    "a condition that is not met or missed": (
        swapped("year=2030,", "year=2030, cooperative=lambda values: 3,"),
        "the field cooperative is a function that gives 3",
    ),
    "parts that are none": (
        swapped("year=2030,", "year=2030, parts={'queue': 3},"),
        "the field parts is {'queue': 3}",
    ),
    "reasons that are none": (
        swapped("year=2030,", "year=2030, refused={'width': 3},"),
        "the field refused is {'width': 3}",
    ),
    "a driver that is a class": (
        swapped("def odd_one(", "class A:\n        b = 3\n\n    def other("),
        "the driver is no function",
    ),
    "a driver without its option": (
        swapped("source, *, block):", "source):"),
        "does not go with the field options",
    ),
    "a driver with another option": (
        swapped("source, *, block):", "source, *, block, more):"),
        "does not go with the field options",
    ),
    "no driver": (WHOLE[: WHOLE.index("    @technique(")], "the module describes no technique"),
    "no docstring": (swapped("'''An idea.'''", ""), "the module has no docstring"),
    "a name that is taken": (swapped('"odd-one"', '"scan-free"'), "the field name is 'scan-free'"),
    "a kernel that is missing": (
        swapped("scan_free.cu", "nowhere.cu"),
        "the field kernel is 'nowhere.cu'",
    ),
    "a kernel that is a folder": (swapped("scan_free.cu", "."), "cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "words"), BROKEN.values(), ids=BROKEN)
def test_a_broken_module_is_told_and_left_out(
    place: Place, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    place(text)
    with pytest.raises(SystemExit) as ended:
        main(["list"])
    out, err = capsys.readouterr()
    assert ended.value.code in (0, None)
    assert "scan-free" in out
    assert "odd-one" not in out
    assert err.startswith("warning: ")
    assert "zz_odd_one.py" in err.splitlines()[0]
    assert words in err
    assert len(err.splitlines()) == 2  # the second is the remedy
    assert gpubfs.run("scan-free", "toy", source=0).depth == 4
    with pytest.raises(UsageError, match=r"zz_odd_one\.py"):
        find("zz-odd-one")


@pytest.mark.parametrize("field", [field for field in FIELDS if field != "kernel"])
def test_fields_that_can_be_left_out(
    field: str, place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    place("\n".join(line for line in WHOLE.splitlines() if f"    {field}=" not in line))
    with pytest.raises(SystemExit) as ended:
        main(["list"])
    out, err = capsys.readouterr()
    assert (ended.value.code or 0, err) == (0, "")
    assert "odd-one" in out
    assert "None" not in out
    assert gpubfs.run("odd-one", "toy").verified


def test_names_that_no_option_can_have_are_those_of_the_functions_that_take_options() -> None:
    taken = {*inspect.signature(gpubfs.run).parameters, *inspect.signature(gpubfs.trace).parameters}
    assert {*TAKEN} == taken - {"options"}


def test_the_whole_module_is_whole(place: Place) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        place(WHOLE)
        assert gpubfs.run("odd-one", "toy").verified
        assert not techniques().broken


def test_a_module_that_begins_with_an_underscore_need_not_describe_any(
    place: Place, tmp_path: Path
) -> None:
    (tmp_path / "_shared.py").write_text("HERE = 3\n")
    place(WHOLE)
    assert "odd-one" in techniques()
    assert not techniques().broken


def test_a_kernel_that_is_no_text(place: Place, tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_bytes(b"\xff\xfe\x00")
    place(swapped("scan_free.cu", str(tmp_path / "k.cu")))
    with pytest.warns(ModuleWarning, match="the field kernel is .* is not UTF-8"):
        techniques()
    with pytest.raises(UsageError, match="not UTF-8"):
        find("odd-one")


def test_asking_for_the_broken_one_is_an_error(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    place(swapped("scan_free.cu", "nowhere.cu"))
    for name in ("odd-one", "zz-odd-one"):
        techniques.cache_clear()
        with pytest.raises(SystemExit) as ended:
            main(["run", name, "--graph", "toy"])
        out, err = capsys.readouterr()
        assert (ended.value.code, out) == (2, "")
        assert "nowhere.cu" in err
        assert "Traceback" not in err


def forget() -> None:
    for name in [name for name in sys.modules if name.startswith("gpubfs.techniques.zz_")]:
        del sys.modules[name]
    techniques.cache_clear()


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of a family among the techniques, in a folder of its own."""
    package = sys.modules["gpubfs.techniques"]
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    folder = tmp_path / "zz_families" / "zz_family"
    folder.mkdir(parents=True)
    for one in (folder, folder.parent):
        (one / "__init__.py").write_text("")
    (folder / "zz_odd_one.py").write_text(textwrap.dedent(WHOLE))
    forget()
    yield folder
    forget()


@pytest.mark.parametrize("package", [True, False], ids=["package", "folder"])
def test_techniques_are_found_in_folders_of_folders(family: Path, package: bool) -> None:
    if not package:
        (family / "__init__.py").unlink()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gpubfs.run("odd-one", "toy").verified


def test_a_broken_module_in_a_folder_is_told_with_its_file_and_line(family: Path) -> None:
    (family / "zz_worse.py").write_text("\n1 / 0\n")
    with pytest.warns(ModuleWarning, match=r"zz_worse\.py:2: ZeroDivisionError") as caught:
        assert {"odd-one", "scan-free"} <= set(gpubfs.techniques())
    assert len(caught) == 1


def test_a_broken_folder_is_told_once_and_leaves_the_others(family: Path) -> None:
    (family.parent / "__init__.py").write_text("1 / 0\n")
    with pytest.warns(ModuleWarning, match=r"__init__\.py:1: ZeroDivisionError") as caught:
        assert "scan-free" in gpubfs.techniques()
    assert len(caught) == 1
    assert "odd-one" not in gpubfs.techniques()


def test_a_broken_experiment_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gpubfs.experiments.catalogue import experiments

    package = sys.modules["gpubfs.experiments"]
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    (tmp_path / "zz_broken.py").write_text("1 / 0\n")
    experiments.cache_clear()
    try:
        with pytest.warns(ModuleWarning, match=r"zz_broken\.py:1: ZeroDivisionError"):
            assert "dfq-memory" in gpubfs.experiments()
    finally:
        experiments.cache_clear()
