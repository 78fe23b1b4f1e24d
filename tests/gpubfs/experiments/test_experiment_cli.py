"""The command `gpubfs experiment`, and the files that pictures get into."""

import json
import sys

import pytest

import gpubfs
from gpubfs.cli.main import main
from gpubfs.errors import UsageError
from gpubfs.experiments import lab
from gpubfs.experiments.experiment import Report
from gpubfs.render.drawing import kept

QUICK = ("experiment", "queue-memory", "--graph", "toy")


@pytest.fixture
def command(capsys):
    """The command line in this process: exit code, standard output, standard error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main([*map(str, arguments)])
        out, err = capsys.readouterr()
        return int(caught.value.code or 0), out, err

    return call


def test_without_a_name_experiments_are_listed(command) -> None:
    code, out, err = command("experiment")
    assert (code, err) == (0, "")
    assert all(name in out for name in gpubfs.experiments())
    _, out, _ = command("experiment", "--json")
    data = json.loads(out)
    assert [one["name"] for one in data] == list(gpubfs.experiments())
    of_papers = [one for one in data if one["paper"]]
    assert len(of_papers) >= 7
    assert all(one["figure"] and one["question"] for one in of_papers)


def test_an_experiment_prints_both_figures_and_verdicts(command) -> None:
    code, out, err = command(*QUICK)
    assert (code, err) == (0, "")
    assert "memory beside the graph on machine sim" in out
    assert "the paper's versions" in out
    assert "\nagrees: the paper's naive version" in out


def test_json_has_points_verdicts_and_the_papers_figures(command) -> None:
    _, out, _ = command(*QUICK, "--json")
    data = json.loads(out)
    assert data["published"]["queues"]["immediate"] == 8
    assert {point["graph"] for point in data["points"]} == {"toy"}
    assert {verdict["agrees"] for verdict in data["verdicts"]} <= {True, False, None}


def test_a_page_has_tables_sentences_and_the_command_that_makes_it(command, tmp_path) -> None:
    path = tmp_path / "memory.md"
    code, _, _ = command(*QUICK, "--page", path)
    text = path.read_text(encoding="utf-8")
    assert code == 0
    assert "`gpubfs experiment queue-memory --machine sim --graph toy` made this page." in text
    assert "| status-array | 2 | 0 | 44 |" in text
    assert "- agrees: the paper's naive version" in text
    for verdict in json.loads(command(*QUICK, "--json")[1])["verdicts"]:
        assert verdict["sentence"] in text


def test_a_page_that_cannot_be_written_is_said_before_anything_is_measured(
    command, tmp_path
) -> None:
    code, out, err = command(*QUICK, "--page", tmp_path / "missing" / "page.md")
    assert (code, out) == (2, "")
    assert "cannot be written" in err


def test_repetitions_are_those_that_were_asked_for(command, monkeypatch) -> None:
    given = []
    monkeypatch.setattr(lab, "open_lab", lambda *args: given.append(args[3]) or exit(7))
    assert command(*QUICK, "--repeat", 9)[0] == 7
    assert given == [9]


@pytest.mark.parametrize(("suffix", "head"), [(".svg", b"<?xml"), (".png", b"\x89PNG")])
def test_a_picture_is_what_its_suffix_says(command, tmp_path, suffix, head) -> None:
    path = tmp_path / f"memory{suffix}"
    code, _, _ = command(*QUICK, "--picture", path)
    assert code == 0
    assert path.read_bytes().startswith(head)
    assert list(tmp_path.iterdir()) == [path]


def test_help_has_an_example(command) -> None:
    code, out, _ = command("experiment", "--help")
    assert code == 0
    assert "Example: gpubfs experiment dfq-memory" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["dfq-memry"], "did you mean dfq-memory"),
        (["queue-memory", "--machine", "cpu"], "known: sim, gpu"),
        (["queue-memory", "--graph", "krn:4"], "did you mean kron"),
        (["queue-memory", "--graph", ""], "names no graph"),
        (["queue-memory", "--picture", "out.jpg"], "ends in .svg, .png or .pdf"),
        (["queue-memory", "--picture", "nowhere/out.svg"], "a folder that exists"),
        (["xbfs-enqueue", "--graph", "toy"], "leave out the graphs"),
        (["--picture", "out.svg"], "no experiment is named"),
        (["--device", "v100"], "no experiment is named"),
        (["queue-memory", "--device", "v1000"], "did you mean `v100`"),
    ],
)
def test_mistakes_get_one_message_with_the_remedy(
    command, tmp_path, monkeypatch, arguments, words
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = command("experiment", *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert err.startswith("error: ")
    assert list(tmp_path.iterdir()) == []


def test_without_a_gpu_the_error_says_what_to_do(command, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    code, _, err = command(*QUICK, "--machine", "gpu")
    assert code == 2
    assert "the machine gpu needs CuPy" in err


def test_control_c_leaves_the_old_picture_and_no_other_file(command, tmp_path, monkeypatch) -> None:
    def interrupted(self) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "old.svg"
    path.write_text("old")
    monkeypatch.setattr(Report, "plot", interrupted)
    code, out, err = command(*QUICK, "--picture", path)
    assert code == 130
    assert "agrees: " in out  # all was measured
    assert "stopped" in err
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_picture_may_be_saved_from_python(tmp_path) -> None:
    done = gpubfs.experiment("queue-memory", graphs=["toy"])
    done.save(tmp_path / "memory.pdf")
    assert (tmp_path / "memory.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(UsageError, match="no suffix"):
        done.save(tmp_path / "memory")


def test_a_folder_is_no_picture(tmp_path) -> None:
    (tmp_path / "memory.svg").mkdir()
    with pytest.raises(UsageError, match="is a folder"), kept(tmp_path / "memory.svg"):
        pass


def test_the_simulator_pretends_to_be_the_gpu_that_is_asked_for(command) -> None:
    given = ("experiment", "dfq-memory", "--graph", "toy", "--json")
    for more, device in (((), "rtx3090"), (("--device", "toy4"), "toy4")):
        code, out, _ = command(*given, *more)
        assert (code, json.loads(out)["device"]) == (0, device)


def test_a_gpu_pretends_nothing(command) -> None:
    code, _, err = command("experiment", "queue-memory", "--machine", "gpu", "--device", "v100")
    assert code == 2
    assert err.startswith("error: ")
