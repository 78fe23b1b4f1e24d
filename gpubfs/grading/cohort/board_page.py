"""The leaderboard as a page: places with bars, and what a search costs on each known graph."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from statistics import median

from gpubfs.grading.cohort.document import document, figures
from gpubfs.grading.cohort.ranking import DIGITS, PAR, Entry, board, in_order, name_of
from gpubfs.grading.exercise import Exercise

#: Scores beyond this have bars of full length, so that one bad search does not hide the others.
MOST = 2 * PAR
#: How a search's cost on a graph is shown, with the class of its cell.
COSTS = {"least": "full", "less": "most", "as much": "none", "more": "some"}


class BoardPage:
    """The page in HTML, for a class to read: it shows nothing of hidden graphs but the scores.

    Parameters
    ----------
    entries : sequence of Entry
        The rows, by place, and behind them those without one.
    exercise : Exercise
        What was handed in for.
    anonymous : bool
        Whether codes stand in the place of names.
    notes : sequence of str
        What stands below besides the formula.
    """

    def __init__(
        self, entries: Sequence[Entry], exercise: Exercise, anonymous: bool, notes: Sequence[str]
    ) -> None:
        self.exercise, self.anonymous = exercise, anonymous
        self.placed = [entry for entry in entries if entry.score is not None]
        self.scores = [entry.score for entry in entries if entry.score is not None]
        self.students = len(entries)
        self.technique = str(exercise.search["technique"])
        ranking, *without = board(entries, exercise, anonymous, notes)
        self.below, self.without = ranking.notes, without
        self.longest = min(max([PAR, *self.scores]), MOST)
        hidden = {case.name for case in exercise.cases if case.hidden}
        names = dict.fromkeys(name for entry in self.placed for name in entry.cases)
        self.known = [name for name in names if name not in hidden]
        self.hides = len(self.known) < len(names)

    def __str__(self) -> str:
        title = f"{self.exercise.name}: leaderboard"
        body = [self._headline(), self._places(), self._costs()]
        body += [f"<section>{table.html()}</section>" for table in self.without]
        body.append(
            f"<section>{''.join(f'<p>{escape(note)}</p>' for note in self.below)}</section>"
        )
        return document(title, f"{self.exercise.title}: leaderboard", body)

    def _headline(self) -> str:
        pairs = [(f"{len(self.placed)} of {self.students}", "have a place")]
        if self.scores:
            better = sum(score < PAR for score in self.scores)
            pairs += [
                (f"{min(self.scores):.{DIGITS}f}", "the best score; less is better"),
                (f"{median(self.scores):.{DIGITS}f}", "the median"),
                (str(better), f"cost less than {self.technique} itself, which has {PAR:g}"),
            ]
        return figures(pairs)

    def _places(self) -> str:
        rows = "".join(self._place(entry) for entry in in_order(self.placed))
        head = "<tr><th>place</th><th>who</th><td></td><th>score</th></tr>"
        beyond = (
            f" A bar with an arrow ends at {MOST:g}, and the score is beyond."
            if any(score > MOST for score in self.scores)
            else ""
        )
        return (
            f'<section><table class="places"><caption>places</caption>{head}{rows}</table>'
            f"<p>The line across the bars is {escape(self.technique)} itself.{beyond}</p></section>"
        )

    def _place(self, entry: Entry | None) -> str:
        """Return the row of a submission, or that of the technique."""
        score = PAR if entry is None or entry.score is None else entry.score
        length = 100 * min(score, self.longest) / self.longest
        more = " beyond" if score > self.longest else ""
        bar = (
            f'<div class="track"><span class="bar{more}" style="width:{length:.1f}%"></span>'
            f'<span class="par" style="left:{100 * PAR / self.longest:.1f}%"></span></div>'
        )
        if entry is None:
            start, who = '<tr class="own">', f"({self.technique} itself)"
        else:
            start, who = "<tr>", name_of(entry, self.anonymous)
        place = "" if entry is None else str(entry.place)
        return (
            f'{start}<td class="figure">{place}</td><th>{escape(who)}</th><td>{bar}</td>'
            f'<td class="figure">{score:.{DIGITS}f}</td></tr>'
        )

    def _costs(self) -> str:
        """Return what each search costs on each graph that students know."""
        if not self.known:
            return ""
        least = {name: min(entry.cases[name] for entry in self.placed) for name in self.known}
        heads = "".join(f"<th><span>{escape(name)}</span></th>" for name in self.known)
        rows = "".join(
            f"<tr><th>{escape(name_of(entry, self.anonymous))}</th>"
            + "".join(_cost(entry.cases[name], least[name]) for name in self.known)
            + "</tr>"
            for entry in self.placed
        )
        legend = "".join(
            f'<span><span class="key {look}"></span>{words}</span>' for words, look in COSTS.items()
        )
        hidden = " Hidden graphs count as these do, and are not shown." if self.hides else ""
        return (
            '<section class="wide"><table class="marks"><caption>cost on each graph</caption>'
            f"<thead><tr><th>who</th>{heads}</tr></thead><tbody>{rows}</tbody></table>"
            f'<p class="legend">{legend}</p>'
            f"<p>On each graph {escape(self.technique)} itself has {PAR:g}.{hidden}</p></section>"
        )


def _cost(cost: float, least: float) -> str:
    """Return a cell.

    >>> _cost(0.5, 0.5), _cost(0.75, 0.5), _cost(1.001, 0.5)
    ('<td class="full">50</td>', '<td class="most">75</td>', '<td class="none">100</td>')
    """
    shown, best = round(PAR * cost), round(PAR * least)
    if shown == best:
        look = "least"
    elif shown == PAR:
        look = "as much"
    else:
        look = "less" if shown < PAR else "more"
    return f'<td class="{COSTS[look]}">{shown:,}</td>'
