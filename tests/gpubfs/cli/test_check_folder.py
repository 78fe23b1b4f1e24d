"""`gpubfs check FOLDER`."""

import json
from pathlib import Path

import pytest

from gpubfs.cli.main import main
from gpubfs.machines.corpus.judging import Cause, Settings, Verdict
from gpubfs.machines.corpus.summary import Summary, files_in
from gpubfs.machines.corpus.worker import Worker

GOOD = """#include <iostream>
#include <stdint.h>
__global__ void good(int32_t *a) { a[0] = 1; }
int main() { good<<<1, 1>>>(0); std::cout << 1; }
"""
BAD = "__global__ void bad(int *a) { int *p = new int; a[0] = *p; }\n"


@pytest.fixture
def gpubfs(capsys):
    """The command line in this process: exit code, standard output, standard error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main([str(one) for one in arguments])
        out, err = capsys.readouterr()
        return int(caught.value.code or 0), out, err

    return call


@pytest.mark.slow
def test_a_folder_is_summarised(gpubfs, tmp_path: Path) -> None:
    (tmp_path / "good.cu").write_text(GOOD)
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "bad.cuh").write_text(BAD)
    (tmp_path / "host.py").write_text(
        "k = 'int f() { return 1; } __global__ void text(int *a) { a[0] = f(); }'"
    )
    code, out, _ = gpubfs("check", tmp_path, "--json")
    data = json.loads(out)
    said = {one["kernel"]: one["ok"] for one in data["verdicts"]}
    assert (code, said) == (2, {"good": True, "bad": False, "text": True})
    (cause,) = data["causes"]
    assert cause["message"].startswith("`new`")
    assert (Path(cause["file"]).name, cause["line"]) == ("bad.cuh", 1)


def test_a_folder_is_printed(gpubfs, tmp_path: Path) -> None:
    (tmp_path / "good.cu").write_text(GOOD)
    code, out, err = gpubfs("check", tmp_path)
    assert (code, err) == (0, "")
    assert out.startswith("1 of 1 kernels accepted (100.0%)\n\nSlowest:\n")
    assert out.endswith(f"s  good  ({tmp_path / 'good.cu'}:3)\n")


def test_a_folder_without_kernels_is_said(gpubfs, tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("a = 1")
    code, _, err = gpubfs("check", tmp_path)
    assert "no .cu, .cuh or .py file with kernels" in err
    assert code == 2


@pytest.mark.slow
def test_a_kernel_that_takes_too_long_is_bounded(tmp_path: Path) -> None:
    file = tmp_path / "slow.cu"
    file.write_text(GOOD)
    worker = Worker(Settings(), 1e-6)
    try:
        (verdict,) = worker.verdicts(file)
    finally:
        worker.close()
    assert verdict.cause is not None
    assert "takes more than" in verdict.cause.message


def test_causes_are_ranked_and_only_what_counts_counts() -> None:
    often, seldom = Cause("often", "a.cu", 1), Cause("seldom", "b.cu", 2)
    found = [Verdict("k", "a.cu", 1, True, "", cause) for cause in (often, seldom, often, None)]
    summary = Summary([*found, Verdict("n", "a.cu", 9, False, "NVRTC's error")])
    assert [(cause.message, number) for cause, number in summary.causes] == [
        ("often", 2),
        ("seldom", 1),
    ]
    assert (len(summary.counted), summary.accepted) == (4, 1)


def test_hidden_folders_are_left_out(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "a.cu").write_text(GOOD)
    assert files_in(tmp_path) == []
