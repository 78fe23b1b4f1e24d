"""`gpubfs check`: both compilers' verdicts, the exit status, and what programs read."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from gpubfs.cli.main import main
from gpubfs.kernels import KERNELS
from gpubfs.machines import nvrtc
from gpubfs.machines.checking import check_file
from tests.sampling import sampled

GOOD = 'extern "C" __global__ void good(int *a) {\n  a[threadIdx.x] = 1;\n}\n'
WARNED = 'extern "C" __global__ void warned(int *a, int n) {\n  if (n = 3) a[0] = n;\n}\n'
WRONG = 'extern "C" __global__ void wrong(int *a) {\n  a[0] = b;\n}\n'


@pytest.fixture
def gpubfs(capsys):
    """The command line in this process: exit code, standard output, standard error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        out, err = capsys.readouterr()
        return int(caught.value.code or 0), out, err

    return call


@pytest.fixture
def other(monkeypatch):
    """Makes NVRTC accept or refuse, or be missing; with a text to say."""

    def decide(accepts: bool | None, text: str = "") -> None:
        def compile_text(*arguments, **options) -> str:
            if not accepts:
                raise RuntimeError(text)
            return text

        reason = "" if accepts is not None else text
        monkeypatch.setattr(nvrtc, "load", lambda: (None if reason else object(), reason))
        monkeypatch.setattr(nvrtc, "compile_text", compile_text)

    return decide


@pytest.mark.parametrize(
    ("code", "accepts", "status", "words"),
    [
        (GOOD, True, 0, "accepted by the simulator and by NVRTC (1 kernel)"),
        (GOOD, False, 1, "accepted by the simulator, refused by NVRTC (1 kernel)"),
        (GOOD, None, 0, "accepted by the simulator, NVRTC was not asked (1 kernel)"),
        (WARNED, True, 0, "accepted by the simulator and by NVRTC (1 kernel, 1 warning)"),
        (WRONG, True, 2, "refused by the simulator, accepted by NVRTC"),
        (WRONG, False, 2, "refused by the simulator and by NVRTC"),
        (WRONG, None, 2, "refused by the simulator, NVRTC was not asked"),
        ("", True, 2, "refused by the simulator, accepted by NVRTC"),
    ],
)
def test_the_two_verdicts_are_one_line_and_a_status(
    gpubfs, other, tmp_path, code, accepts, status, words
) -> None:
    file = tmp_path / "k.cu"
    file.write_text(code)
    other(accepts, "what it says" if accepts is not True else "")
    result, out, _ = gpubfs("check", str(file))
    assert (result, out.splitlines()[0]) == (status, f"{file}: {words}")
    assert ("NVRTC: what it says" in out) == (accepts is not True)


def test_warnings_are_printed_and_stop_nothing(gpubfs, other, tmp_path) -> None:
    file = tmp_path / "k.cu"
    file.write_text(WARNED)
    other(True)
    code, out, err = gpubfs("check", str(file))
    assert code == 0
    assert err.startswith(f"{file}:2:9: warning: this condition assigns to `n`\n")
    assert out.splitlines()[1:] == ["  warned(int *a, int n)"]


def test_several_files_end_in_a_sum_and_the_worst_status(gpubfs, other, tmp_path) -> None:
    names = {"good": GOOD, "wrong": WRONG, "warned": WARNED}
    files = [tmp_path / f"{name}.cu" for name in names]
    for file in files:
        file.write_text(names[file.stem])
    other(True)
    code, out, err = gpubfs("check", *map(str, files))
    assert code == 2
    assert out.splitlines()[-1] == "3 files: 2 accepted, 1 refused"
    assert ("wrong.cu:2:10: error:" in err, "warned.cu:2:9: warning:" in err) == (True, True)
    code, out, _ = gpubfs("check", *map(str, files), "--json")
    assert [found["ok"] for found in json.loads(out)] == [True, False, True]
    assert code == 2


def test_json_has_every_place(gpubfs, other, tmp_path) -> None:
    file = tmp_path / "k.cu"
    file.write_text(WARNED.removeprefix('extern "C" '))
    other(None, "not here")
    code, out, err = gpubfs("check", str(file), "--json")
    data = json.loads(out)
    assert (code, err) == (0, "")
    assert data["nvrtc"] == {"accepts": None, "text": "not here"}
    warning, note = data["diagnostics"]
    assert (warning["severity"], warning["line"], warning["column"]) == ("warning", 2, 9)
    assert warning["message"] == "this condition assigns to `n`"
    assert warning["text"].startswith(f"{file}:2:9: warning: {warning['message']}\n")
    assert (note["severity"], note["line"], note["column"]) == ("note", 1, 1)


def test_a_dash_is_standard_input(gpubfs, other, monkeypatch) -> None:
    other(True)
    text = WRONG.replace("b;", "é;").encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text), "ascii"))
    code, out, err = gpubfs("check", "-")
    assert (code, out) == (2, "<stdin>: refused by the simulator, accepted by NVRTC\n")
    assert err.startswith("<stdin>:2:10: error: `é` is not declared\n")


def test_a_file_that_is_missing_is_one_of_usage(gpubfs, tmp_path) -> None:
    good = tmp_path / "good.cu"
    good.write_text(GOOD)
    code, out, err = gpubfs("check", str(good), str(tmp_path / "none.cu"))
    assert (code, out) == (2, "")
    assert "none.cu' does not exist" in err
    assert gpubfs("check")[0] == 2


@pytest.mark.parametrize("file", sampled(sorted(KERNELS.glob("*.cu")), 4), ids=lambda at: at.stem)
def test_shipped_kernels_have_no_warnings(file: Path) -> None:
    assert [str(found) for found in check_file(file).diagnostics] == []


def test_nvrtc_itself_is_asked(tmp_path) -> None:
    module, reason = nvrtc.load()
    if module is None:
        pytest.skip(reason)
    file = Path(tmp_path) / "k.cu"
    file.write_text(WARNED)
    checked = check_file(file)
    assert checked.nvrtc_accepts is True
    assert 'use of "=" where "==" may have been intended' in checked.nvrtc_text
    assert "Remark" not in checked.nvrtc_text
    file.write_text(WRONG)
    assert check_file(file).nvrtc_accepts is False


TEMPLATE = (
    "template <typename T, int N, bool B> __global__ void scale(T *a) {\n  if (B) a[N] = 1;\n}\n"
)


def test_a_template_is_checked_by_an_instance_and_says_how_it_is_launched(gpubfs, other, tmp_path):
    other(True)
    file = tmp_path / "template.cu"
    file.write_text(TEMPLATE, encoding="utf-8")
    code, out, err = gpubfs("check", str(file))
    assert code == 0
    assert "accepted by the simulator and by NVRTC (1 kernel)" in out
    assert "scale<float, 32, true>(float *a)" in out
    assert f"{file}:1:54: note: the kernel `scale` is a template" in err
    assert 'name_expressions=["scale<float, 32, true>"]' in err


def test_a_template_for_structures_is_checked_with_one(gpubfs, other, tmp_path) -> None:
    other(True)
    file = tmp_path / "template.cu"
    file.write_text("template <class P> __global__ void move(P *p) { p->x = 1; }", encoding="utf-8")
    code, out, _ = gpubfs("check", str(file))
    assert code == 0
    assert "move<float4>(float4 *p)" in out


def test_a_template_of_which_no_instance_compiles_is_told(gpubfs, other, tmp_path) -> None:
    """CUDA's compiler takes it as long as nobody asks for an instance."""
    other(True)
    file = tmp_path / "template.cu"
    file.write_text(TEMPLATE.replace("= 1", "= missing"), encoding="utf-8")
    code, out, err = gpubfs("check", str(file))
    assert code == 0
    assert "(1 warning)" in out
    assert "warning: `scale<float, 32, true>` does not compile: `missing` is not declared" in err
    assert "name_expressions" not in err
