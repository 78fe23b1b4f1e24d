import json
import resource
import subprocess
import sys

import numpy as np
import pytest

from gpubfs.cli.main import main
from gpubfs.kernels import KERNELS
from gpubfs.machines.sim import SimMachine
from gpubfs.search.catalogue import techniques
from gpubfs.search.option import TAKEN
from tests.sampling import sampled

GPUBFS = [sys.executable, "-m", "gpubfs"]


@pytest.fixture
def gpubfs(capsys):
    """The command line in this process: exit code, standard output, standard error."""

    def call(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        out, err = capsys.readouterr()
        return int(caught.value.code or 0), out, err

    return call


def test_run_prints_what_it_found(gpubfs) -> None:
    code, out, err = gpubfs("run", "scan-free", "--graph", "toy")
    assert (code, err) == (0, "")
    assert "verified" in out
    assert "highest degree" in out


def test_run_json(gpubfs) -> None:
    arguments = ["--graph", "grid:5x4", "--source", "3", "--option", "block=64", "--json"]
    code, out, _ = gpubfs("run", "block-prefix-sum", *arguments)
    data = json.loads(out)
    assert code == 0
    assert data["graph"] == {"spec": "grid:5x4", "vertices": 20, "edges": 62, "directed": False}
    assert data["source"] == 3
    assert data["options"] == {"block": 64, "edges_per_thread": 4}
    assert (data["depth"], data["reached"], data["verified"]) == (6, 20, True)
    assert data["counters"]["load_requests"] == sum(
        site["requests"] for site in data["sites"] if site["kind"] == "load"
    )


def test_run_levels(gpubfs) -> None:
    _, out, _ = gpubfs("run", "scan-free", "--graph", "path:5", "--source", "0", "--levels")
    assert "frontier" in out


def test_run_levels_within_a_launch(gpubfs) -> None:
    """Levels that one launch expands have no row of their own; what is known of them is told."""
    search = ("run", "hierarchical-kernels", "--graph", "path:9", "--source", "0")
    _, out, _ = gpubfs(*search, "--levels")
    rows = [line.split() for line in out.partition("levels within launches")[2].splitlines()]
    assert "0 to 8 block 1".split() in rows
    _, out, _ = gpubfs(*search, "--json")
    facts = [{"level": level, "barrier": "block", "vertices": 1} for level in range(9)]
    assert json.loads(out)["facts"] == facts
    _, out, _ = gpubfs(*search)
    assert "levels within launches" not in out


@pytest.mark.parametrize("command", ["run", "lines", "trace", "compare", "profile", "bench"])
@pytest.mark.parametrize("name", TAKEN)
def test_what_commands_are_told_is_no_option_of_a_technique(gpubfs, command, name) -> None:
    """These are parameters of the functions that commands call."""
    code, _, err = gpubfs(command, f"scan-free:{name}=3", "--graph", "toy")
    assert code == 2
    assert err == f'error: there is no option of scan-free named "{name}"\n  known: block, width\n'


@pytest.mark.parametrize("command", ["run", "lines"])
def test_options_may_stand_after_the_name(gpubfs, command) -> None:
    code, out, _ = gpubfs(command, "scan-free:block=64", "--graph", "toy", "--json")
    assert code == 0
    assert json.loads(out)["options"] == {"block": 64, "width": 1}


def test_list(gpubfs) -> None:
    code, out, _ = gpubfs("list")
    assert code == 0
    assert "block-prefix-sum" in out
    _, out, _ = gpubfs("list", "--json")
    entry = next(t for t in json.loads(out) if t["name"] == "scan-free")
    assert entry["section"].startswith("4.1")
    assert entry["machines"] == ["sim", "gpu"]
    assert entry["options"][0]["name"] == "block"


def test_graph(gpubfs) -> None:
    code, out, _ = gpubfs("graph", "star:7")
    assert code == 0
    assert "max degree" in out
    _, out, _ = gpubfs("graph", "star:7", "--source", "3", "--json")
    data = json.loads(out)
    assert (data["spec"], data["vertices"], data["source"], data["depth"]) == ("star:7", 8, 3, 2)


def test_lines(gpubfs) -> None:
    code, out, _ = gpubfs("lines", "scan-free", "--graph", "toy")
    assert code == 0
    assert "atomicCAS" in out
    bars = {line.split("  ")[-1]: line.count("█") for line in out.splitlines() if "[e]" in line}
    assert max(bars.values()) >= 1
    _, out, _ = gpubfs("lines", "scan-free", "--graph", "toy", "--json")
    data = json.loads(out)
    assert data["kernel"] == "scan_free.cu"
    assert {site["kind"] for site in data["sites"]} >= {"load", "store", "atomic"}


def test_compare(gpubfs) -> None:
    code, out, _ = gpubfs("compare", "status-array", "scan-free:block=64", "--graph", "toy")
    assert code == 0
    assert "×" in out
    _, out, _ = gpubfs("compare", "status-array", "scan-free", "--graph", "toy", "--json")
    assert [run["technique"] for run in json.loads(out)["runs"]] == ["status-array", "scan-free"]


@pytest.mark.slow
def test_bench_times_all_techniques(gpubfs) -> None:
    code, out, _ = gpubfs("bench", "--graph", "toy", "--repeat", "1")
    assert code == 0
    assert all(name in out for name in techniques())


def test_bench(gpubfs) -> None:
    _, out, _ = gpubfs("bench", "scan-free", "--graph", "toy", "--repeat", "1", "--json")
    (timing,) = json.loads(out)["timings"]
    assert timing["technique"] == "scan-free"
    assert timing["seconds"] > 0
    assert timing["peak_mib"] > 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "scan-fre", "--graph", "toy"], "did you mean scan-free"),
        (["run", "scan-free", "--graph", "krn:4"], "krn"),
        (["run", "scan-free", "--graph", "file:nowhere.txt"], "nowhere.txt"),
        (["run", "scan-free", "--graph", "toy", "--source", "10"], "from 0 to 9"),
        (["run", "scan-free", "--graph", "toy", "--option", "block=0"], "from 1 up to 1024"),
        (["run", "scan-free", "--graph", "toy", "--option", "block"], "name=value"),
        (["run", "scan-free", "--graph", "toy", "--option", "blok=3"], "did you mean block"),
        (["run", "scan-free", "--graph", "toy", "--machine", "gpus"], "did you mean gpu"),
        (["run", "scan-free", "--graph", "toy", "--device", "h20"], "h200"),
        (["run", "scan-free", "--graph", "toy", "--schedule", "fair"], "lockstep"),
        (["run", "scan-free", "--graph", "toy", "--device", ""], "h200"),
        (["run", "scan-free:", "--graph", "toy"], "no option after it"),
        (["run", "scan-free:block=8", "--graph", "toy", "--option", "block=4"], "given twice"),
        (["lines", "scan-free:block=8,block=8", "--graph", "toy"], "given twice"),
        (["profile", "foo", "--graph", "kron:40"], "known: status-array"),
        (["run", "scan-free"], "--graph"),
        (["run", "scan-free"], "see gpubfs run --help"),
        (["lines", "nothing", "--graph", "toy"], "known: status-array"),
        (["compare", "scan-free", "scan", "--graph", "toy"], "known: status-array"),
        (["bench", "nothing"], "known: status-array"),
        (["graph", "toy", "--source", "99"], "from 0 to 9"),
        (["check", "nowhere.cu"], "nowhere.cu"),
        (["dance"], "dance"),
    ],
)
def test_mistakes_get_one_message_with_the_remedy(gpubfs, arguments, words) -> None:
    code, out, err = gpubfs(*arguments)
    assert code == 2
    assert out == ""
    assert words in err
    assert "Traceback" not in err
    assert "error: " in err.splitlines()[0]


def test_a_wrong_result_exits_with_1(gpubfs, monkeypatch) -> None:
    honest = SimMachine.asnumpy

    def lying(self, array):
        values = honest(self, array)
        return np.where(values == 2, 3, values) if len(values) == 10 else values

    monkeypatch.setattr(SimMachine, "asnumpy", lying)
    code, out, err = gpubfs("run", "scan-free", "--graph", "toy")
    assert (code, out) == (1, "")
    assert err.startswith("error: the result is wrong: vertex ")


def test_too_little_memory_is_said(gpubfs, monkeypatch) -> None:
    def full(self, *arguments):
        raise MemoryError("12 GiB")

    monkeypatch.setattr(SimMachine, "empty", full)
    code, _, err = gpubfs("run", "scan-free", "--graph", "toy")
    assert code == 2
    assert "12 GiB" in err


def test_a_memory_error_without_words_ends_without_a_colon(gpubfs, monkeypatch) -> None:
    def full(self, *arguments):
        raise MemoryError

    monkeypatch.setattr(SimMachine, "empty", full)
    _, _, err = gpubfs("run", "scan-free", "--graph", "toy")
    assert err.splitlines()[0] == "error: there is not enough memory"


def test_control_c_stops_with_one_line(gpubfs, monkeypatch) -> None:
    def interrupted(self, *arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(SimMachine, "empty", interrupted)
    code, out, err = gpubfs("run", "scan-free", "--graph", "toy")
    assert (code, out, err) == (130, "", "stopped\n")


def test_defects_keep_their_traceback(monkeypatch) -> None:
    def broken(self, *arguments):
        raise ZeroDivisionError

    monkeypatch.setattr(SimMachine, "empty", broken)
    with pytest.raises(ZeroDivisionError):
        main(["run", "scan-free", "--graph", "toy"])


@pytest.mark.parametrize("kernel", sampled(sorted(KERNELS.glob("*.cu")), 8), ids=lambda at: at.stem)
def test_check_accepts_what_ships(gpubfs, kernel) -> None:
    code, out, err = gpubfs("check", str(kernel))
    assert (code, err) == (0, "")
    assert "\n  " in out  # its kernels, a line each
    assert "by the simulator" in out


def test_check_shows_the_place(gpubfs, tmp_path) -> None:
    file = tmp_path / "wrong.cu"
    file.write_text('extern "C" __global__ void f(int *a) {\n  a[0] = b;\n}\n')
    code, _, err = gpubfs("check", str(file))
    assert code == 2
    assert "wrong.cu:2:10: error:" in err
    assert "a[0] = b;\n" in err
    code, out, _ = gpubfs("check", str(file), "--json")
    data = json.loads(out)
    assert (code, data["ok"], data["kernels"]) == (2, False, [])
    assert len(data["diagnostics"]) == 1


def test_check_takes_macros_and_headers(gpubfs, tmp_path) -> None:
    (tmp_path / "own.cuh").write_text("#define ONE 1\n")
    file = tmp_path / "k.cu"
    file.write_text('#include "own.cuh"\n__global__ void f(int *a) { a[ONE] = WIDTH; }\n')
    code, out, _ = gpubfs("check", str(file), "-D", "WIDTH=8", "--json")
    (kernel,) = json.loads(out)["kernels"]
    assert code == 0
    assert kernel == {"name": "f", "line": 2, "parameters": [{"name": "a", "type": "int *"}]}


@pytest.mark.parametrize("text", ["", "__device__ int f() { return 1; }"])
def test_check_wants_a_kernel(gpubfs, tmp_path, text: str) -> None:
    file = tmp_path / "k.cu"
    file.write_text(text)
    code, _, err = gpubfs("check", str(file))
    assert code == 2
    assert "no kernel was found" in err
    assert 'extern "C" __global__ void' in err


def test_check_notes_kernels_that_cupy_does_not_find(gpubfs, tmp_path) -> None:
    file = tmp_path / "k.cu"
    file.write_text('__global__ void f() { }\nextern "C" __global__ void g() { }\n')
    code, out, err = gpubfs("check", str(file))
    assert code == 0
    assert "note: the kernel `f` is not extern" in err
    assert "`g`" not in err
    assert "f()" in out


def test_check_follows_includes_into_folders(gpubfs, tmp_path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "one.cuh").write_text('#include "two.cuh"\n')
    (tmp_path / "sub" / "two.cuh").write_text("#define TWO 2\n")
    file = tmp_path / "k.cu"
    file.write_text('#include "sub/one.cuh"\nextern "C" __global__ void f(int *a) { *a = TWO; }\n')
    code, _, err = gpubfs("check", str(file))
    assert (code, err) == (0, "")


def test_check_refuses_what_is_not_text(gpubfs, tmp_path) -> None:
    file = tmp_path / "k.cu"
    file.write_bytes(b"\xff\xfe\x00")
    code, _, err = gpubfs("check", str(file))
    assert code == 2
    assert "not UTF-8" in err


def test_help_is_quick_and_imports_nothing_heavy() -> None:
    script = (
        "import sys, gpubfs.cli.main; print([m for m in ('numpy', 'rich') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert shown.stdout == "[]\n"
    shown = subprocess.run([*GPUBFS, "--help"], capture_output=True, text=True)
    assert "compare" in shown.stdout
    assert seconds_of([*GPUBFS, "--help"]) < seconds_of([sys.executable, "-c", "import numpy"])


def seconds_of(command: list[str]) -> float:
    """Processor time of a command, the least of three."""
    times = [0.0] * 3
    for at in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times[at] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return min(times)


@pytest.mark.parametrize("command", ["list", "graph", "run", "lines", "compare", "check", "bench"])
def test_every_command_has_an_example(gpubfs, command) -> None:
    code, out, _ = gpubfs(command, "--help")
    assert code == 0
    assert "Example: gpubfs " in out


def test_the_help_of_graph_names_every_graph_and_option(gpubfs) -> None:
    from gpubfs.graphs import FORMATS, names
    from gpubfs.graphs.reading import SWITCHES

    _, out, _ = gpubfs("graph", "--help")
    text = " ".join(out.split()).replace("- ", "-")
    for word in (*names(), *SWITCHES, *FORMATS, "base=0|1"):
        assert word in text


def test_help_promises_the_schedules_that_there_are(gpubfs) -> None:
    _, out, _ = gpubfs("run", "--help")
    assert "lockstep" in out
    assert "round-robin:SEED or random:SEED" in " ".join(out.split())


def test_help_wraps_on_a_narrow_terminal(gpubfs, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    _, out, _ = gpubfs("--help")
    lines = [line for line in out.splitlines() if "Example" not in line]
    assert max(map(len, lines)) <= 40
    assert "print its counters." in " ".join(out.split())


def test_nothing_at_all_prints_the_help(gpubfs) -> None:
    code, _, err = gpubfs()
    assert code == 2
    assert err.startswith("Usage: ")


def test_version(gpubfs) -> None:
    from gpubfs import __version__

    assert gpubfs("--version")[1] == f"gpubfs, version {__version__}\n"
