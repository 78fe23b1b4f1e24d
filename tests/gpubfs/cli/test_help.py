"""Help texts: names stand on one line, at every width."""

from __future__ import annotations

import re

import pytest

from gpubfs.cli.commands import SUMMARIES
from gpubfs.cli.main import group, main
from gpubfs.graphs.paper_tables import graphs

NAMES = [None, *SUMMARIES]


def helped(name: str | None, columns: int, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(columns))
        with pytest.raises(SystemExit) as ended:
            main([*filter(None, [name]), "--help"])
    assert not ended.value.code
    return capsys.readouterr().out


@pytest.mark.parametrize("name", NAMES)
def test_no_line_breaks_at_a_hyphen(name: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    words = set(helped(name, 300, capsys).split())
    for columns in (40, 60, 80, 100):
        text = helped(name, columns, capsys)
        assert re.findall(r"\w-$", text, re.MULTILINE) == []
        assert "\N{NON-BREAKING HYPHEN}" not in text
        if columns >= 60:  # the second column has room for a word
            hyphened = {word for word in words if "-" in word and len(word) < 28}
            assert hyphened <= set(text.split())


def test_all_stand_ins_can_be_copied(capsys: pytest.CaptureFixture[str]) -> None:
    for columns in (50, 80, 100):
        assert set(graphs()) <= set(re.split(r"[\s,]+|\.\s", helped("graph", columns, capsys)))


@pytest.mark.parametrize("name", SUMMARIES)
def test_the_list_of_commands_says_what_their_help_texts_say(name: str) -> None:
    assert SUMMARIES[name] == group.commands[name].get_short_help_str(100)
