"""Tables in CSV: read in the forms that platforms export, written without a formula in them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpubfs.errors import UsageError
from gpubfs.grading.cohort.report import FORMULA
from gpubfs.grading.writing import write

#: The most bytes that are read of a table.
MOST = 64 << 20
#: What may stand between cells.
_DELIMITERS = ",;\t"
#: Byte order marks, and the encoding that each means.
_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


@dataclass(frozen=True)
class Table:
    """A table with titles.

    Attributes
    ----------
    name : str
        What messages call it.
    titles : list of str
        Of its columns.
    rows : list of list of str
        The other rows, all as long as the titles.
    delimiter : str
        What stands between cells.
    """

    name: str
    titles: list[str]
    rows: list[list[str]]
    delimiter: str = ","

    def column(self, *titles: str) -> int | None:
        """Return the number of the first column that is there, by its title in any case."""
        folded = [title.strip().casefold() for title in self.titles]
        there = (folded.index(t.casefold()) for t in titles if t.casefold() in folded)
        return next(there, None)

    def needed(self, title: str) -> int:
        """Return the number of a column that must be there."""
        found = self.column(title)
        if found is None:
            words = f"{self.name} has no column {title!r}"
            raise UsageError(words, f"it has: {', '.join(self.titles)[:200]}")
        return found

    def cells(self, row: Sequence[str], *titles: str) -> list[str]:
        """Return the cells of a row in columns of these titles, those that are there and full."""
        numbers = (self.column(title) for title in titles)
        return [row[n].strip() for n in numbers if n is not None and row[n].strip()]


def read_table(path: Path) -> Table:
    """Read a table in CSV, with commas, semicolons or tabs.

    Raises
    ------
    UsageError
        If it is too large, in an unknown encoding, empty, or no CSV.
    """
    with path.open("rb") as stream:
        data = stream.read(MOST + 1)
    if len(data) > MOST:
        raise UsageError(f"{path} has more than {MOST:,} bytes", "is it the right file?")
    text = _decoded(path, data)
    first = text.lstrip("\r\n").partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise UsageError(f"{path} is no table in CSV: {error}", "export it anew") from None
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    if not rows:
        raise UsageError(f"{path} is empty", "export it anew")
    width = len(rows[0])
    if any("".join(row[width:]).strip() for row in rows):
        words = f"{path} has a row with more cells than titles"
        raise UsageError(words, "put quotation marks around names with commas")
    kept = [row[:width] + [""] * (width - len(row)) for row in rows[1:]]
    return Table(str(path), rows[0], kept, delimiter)


def _decoded(path: Path, data: bytes) -> str:
    encoding = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise UsageError(f"{path} is no {encoding.upper()}", "save it as CSV in UTF-8") from None


def write_table(path: Path, rows: Iterable[Sequence[str]], delimiter: str = ",") -> None:
    """Write a table in CSV, whole or not at all."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerows([cell(one) for one in row] for row in rows)
    write(path, text.getvalue())


def cell(text: str) -> str:
    r"""Return a text as a cell that no spreadsheet takes for a formula; numbers stay as they are.

    Examples
    --------
    >>> cell("=cmd|' /C calc'!A0"), cell("Müller, \"Zoë\""), cell("-1.5"), cell("\t@SUM(A1)")
    ("'=cmd|' /C calc'!A0", 'Müller, "Zoë"', '-1.5', "'\t@SUM(A1)")
    """
    return f"'{text}" if text.lstrip().startswith(FORMULA) and not _is_number(text) else text


def _is_number(text: str) -> bool:
    """Tell whether it is a number, or the dash that stands for none."""
    try:
        float(text)
    except ValueError:
        return text.strip() == "-"
    return True


def number(value: float | None) -> str:
    """Return a mark as a cell; what there is no mark for is empty.

    >>> number(7.0), number(1 / 3), number(None)
    ('7', '0.3333', '')
    """
    return "" if value is None else f"{round(value, 4):.10g}"
