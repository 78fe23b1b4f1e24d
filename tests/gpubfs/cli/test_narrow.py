"""Narrow terminals: what is printed wraps or is stacked, and no number is cut."""

from __future__ import annotations

import re

import pytest

from gpubfs.cli.main import main

COMMANDS = (
    "list",
    "graph kron:14",
    "run scan-free --graph kron:6 --levels",
    "compare status-array scan-free:block=64 --graph kron:6",
    "lines scan-free --graph kron:6",
    "bench scan-free --repeat 1 --graph kron:6",
    "experiment",
    "experiment queue-memory --graph toy",
    "compare scan-free --graph toy --against h200",
)

#: Commands that print times, which differ from run to run: of their numbers only whole ones count.
TIMED = ("run", "bench", "compare status-array")

#: Numbers as tables have them.
NUMBER = re.compile(
    r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w,…])|(?<![\w.,])\d+\.\d\d(?![\w.…])"
)


def printed(capsys: pytest.CaptureFixture[str], command: str) -> str:
    with pytest.raises(SystemExit):
        main(command.split())
    return capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command.split()[:2]))
def test_no_number_is_cut(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    wanted = set(NUMBER.findall(printed(capsys, command)))
    for columns in (20, 36, 60):
        monkeypatch.setenv("COLUMNS", str(columns))
        shown = printed(capsys, command)
        missing = wanted - set(NUMBER.findall(shown))
        if command.startswith(TIMED):
            missing = {number for number in missing if "." not in number}
        assert missing == set(), columns
