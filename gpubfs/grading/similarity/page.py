"""A page with the pairs that share most, and what they share side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from gpubfs.grading.cohort.document import document
from gpubfs.grading.similarity.pairs import Comparison, Pair
from gpubfs.grading.similarity.passages import Passage
from gpubfs.grading.similarity.words import Word
from gpubfs.grading.writing import shown
from gpubfs.render.sheets import Column, Sheet, percentage

#: How much is shown of a passage: lines, and characters of a line.
_LINES, _WIDTH = 200, 300
#: What the page begins with.
_CAUTION = (
    "A shared passage is a reason to look, and no proof: short exercises have few right answers, "
    "and who was shown the same lines writes the same lines."
)


def pairs_sheet(pairs: Iterable[Pair], title: str) -> Sheet:
    """Return pairs as a table."""
    rows = tuple(
        (*map(_listed, (pair.firsts, pair.seconds)), str(pair.shared), percentage(pair.share))
        for pair in pairs
    )
    columns = Column("student"), Column("and"), *(Column(t, figures=True) for t in _FIGURES)
    return Sheet(title, columns, rows)


_FIGURES = ("shared fingerprints", "of the smaller")


def page(
    title: str,
    compared: Comparison,
    pairs: Sequence[Pair],
    texts: Mapping[str, str],
    notes: Iterable[str] = (),
) -> str:
    """Return the page in HTML, without scripts.

    Parameters
    ----------
    title : str
        The exercise.
    compared : Comparison
        The comparison.
    pairs : sequence of Pair
        Those that are shown.
    texts : mapping of str to str
        The submissions, by students.
    notes : iterable of str
        What stands above.
    """
    lines = {student: text.split("\n") for student, text in texts.items()}
    body = [
        *(f"<p>{escape(note)}</p>" for note in (_CAUTION, *notes)),
        _index(pairs),
        *(_section(number, compared, pair, lines) for number, pair in enumerate(pairs, 1)),
    ]
    heading = f"{title}: similar submissions"
    return document(heading, heading, body)


def _index(pairs: Sequence[Pair]) -> str:
    titles = "".join(f"<th>{escape(text)}</th>" for text in ("pair", *_FIGURES))
    rows = "".join(
        f'<tr><th><a href="#pair{n}">{_names(pair)}</a></th><td class="figure">{pair.shared}</td>'
        f'<td class="figure">{percentage(pair.share)}</td></tr>'
        for n, pair in enumerate(pairs, 1)
    )
    table = f"<table><caption>pairs</caption><tr>{titles}</tr>{rows}</table>"
    return f"<section>{table}</section>"


def _listed(students: Sequence[str]) -> str:
    return ", ".join(map(shown, students))


def _names(pair: Pair) -> str:
    return f"{escape(_listed(pair.firsts))} and {escape(_listed(pair.seconds))}"


def _section(
    number: int, compared: Comparison, pair: Pair, lines: Mapping[str, Sequence[str]]
) -> str:
    parts = [f'<h2 id="pair{number}">{_names(pair)}</h2>', *_likeness(pair, lines)]
    for passage in compared.passages(pair):
        left = _excerpt(pair.first, passage.first, passage, compared, lines)
        right = _excerpt(pair.second, passage.second, passage, compared, lines)
        parts.append(f'<p>{passage.length} words</p><div class="two">{left}{right}</div>')
    return "\n".join(parts)


def _likeness(pair: Pair, lines: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield in which way more than two submissions are alike, or two are the same."""
    same = all(lines[student] == lines[pair.first] for student in pair.students)
    if pair.alike and same:
        yield f"<p>{len(pair.students)} files with the same text</p>"
    elif len(pair.students) > 2:
        yield "<p>who stands on one side, has the same fingerprints; below are the first two</p>"


def _excerpt(
    student: str,
    start: int,
    passage: Passage,
    compared: Comparison,
    lines: Mapping[str, Sequence[str]],
) -> str:
    """Return the lines of a passage in one of the two submissions, with their numbers."""
    words: Sequence[Word] = compared.words_of(student)[start : start + passage.length]
    first, last = words[0].line, words[-1].line
    rows = [*enumerate(lines[student][first - 1 : last], first)]
    shortened = (f"{number:4}  {_shortened(line)}" for number, line in rows[:_LINES])
    more = [f"… {len(rows) - _LINES} more lines"] if len(rows) > _LINES else []
    text = "\n".join([*shortened, *more])
    return f'<div>{escape(shown(student))}<pre tabindex="0">{escape(text)}</pre></div>'


def _shortened(line: str) -> str:
    text = line[:_WIDTH].expandtabs(4).rstrip()
    return shown(text) + "…" * (len(line) > _WIDTH)
