"""Tables in CSV: as spreadsheets save them, and without formulas."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpubfs.grading.cohort.report import FORMULA
from gpubfs.grading.platforms.tables import cell, number, read_table, write_table


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_tables_are_read_as_spreadsheets_save_them(
    tmp_path: Path, delimiter: str, encoding: str
) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(f'a{delimiter}b\r\n"Zoë\n{delimiter}"{delimiter}'.encode(encoding))
    found = read_table(path)
    assert (found.titles, found.rows) == (["a", "b"], [[f"Zoë\n{delimiter}", ""]])


@given(st.lists(st.lists(st.text(max_size=8), min_size=2, max_size=2), max_size=4))
def test_no_cell_is_a_formula_and_all_are_read_again(rows: list[list[str]]) -> None:
    text = [[cell(one.replace("\r", " ").replace("\0", "")) for one in row] for row in rows]
    for one in (one for row in text for one in row):
        assert not one.lstrip().startswith(FORMULA) or one.strip() == "-" or float(one) <= 1e308


def test_names_with_commas_quotes_and_lines_stay_whole(tmp_path: Path) -> None:
    rows = [["a", "b"], ['O"Neil, Zoë', "two\nlines"], ["=1+1", "-7"]]
    write_table(tmp_path / "x.csv", rows)
    found = read_table(tmp_path / "x.csv")
    assert found.rows == [rows[1], ["'=1+1", "-7"]]


def test_marks_are_written_without_noise() -> None:
    assert number(0.1 + 0.2) == "0.3"
    assert number(1e6) == "1000000"
