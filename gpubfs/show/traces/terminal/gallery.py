"""All panes of what is stepped through: where they are in a size, and their lines now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from gpubfs.show.traces.frames.frame import headings, remark_rows
from gpubfs.show.traces.frames.palette import RULE, TOUCHED, WEAK, cut, styled
from gpubfs.show.traces.terminal.arrangement import BETWEEN, TIMELINE, Place, Shown, arranged
from gpubfs.show.traces.terminal.panes.ascii import in_ascii
from gpubfs.show.traces.terminal.panes.moment import Content, Moment, Subject, clickable
from gpubfs.show.traces.terminal.panes.table import KINDS
from gpubfs.show.traces.terminal.panes.timeline import timeline

if TYPE_CHECKING:
    from gpubfs.show.traces.terminal.stepping import Stepper

#: Seconds that are spent on the course of a trace before it is shown, and then at a time.
AT_FIRST, AT_A_TIME = 0.3, 0.02
#: What stands above the panes: the heading of each trace, what is to be said of one, and the names
#: of panes.
HEADING, REMARKS, SHEETS = "heading", "remarks", "sheets"
#: The share of the lines that remarks take at most.
REMARKED = 5


class Panes:
    """The panes of a trace, or of two beside each other.

    Parameters
    ----------
    stepper : Stepper
        Where somebody stands.
    ascii_only : bool
        Whether the terminal has only the characters of ASCII.
    """

    def __init__(self, stepper: Stepper, ascii_only: bool = False) -> None:
        self.stepper = stepper
        self.ascii_only = ascii_only
        self.subjects = [Subject(traced) for traced, _ in stepper.show.tracks]
        for subject in self.subjects:
            subject.course.advance(AT_FIRST)
        self.width = 0
        self._places: list[Place] = []
        self._moments: dict[int, Moment] = {}
        graphs = any(traced.graph is not None for traced, _ in stepper.show.tracks)
        stepper.choice.offer(pane for pane in KINDS if pane != "graph" or graphs)

    @property
    def names(self) -> list[tuple[str, int]]:
        """All that may be seen: names of panes and numbers of traces."""
        tracks = range(len(self.subjects))
        return [
            (REMARKS, 0),
            (SHEETS, 0),
            *((pane, n) for n in tracks for pane in (HEADING, *KINDS)),
        ]

    def arranged(self, width: int, height: int) -> list[Place]:
        """Return where panes are in a size, below the heading and the names of sheets."""
        choice, tracks = self.stepper.choice, len(self.subjects)
        lanes = max(launch.warp_size for s in self.subjects for launch in s.traced.launches)
        vertices = max((len(s.places or ()) for s in self.subjects), default=0)
        given = Shown(choice.panes, choice.chosen, choice.alone, tracks, lanes, vertices)
        said = len(self._remarks(width, height // REMARKED))
        above = 1 + said
        found = arranged(given, width, height - above)
        if len(found.sheets) > 1 or choice.alone:
            above += 1
            found = arranged(given, width, height - above)
        choice.sheets = found.sheets
        places = [place._replace(y=place.y + above) for place in found.places]
        each = (width - (tracks - 1) * BETWEEN) // tracks
        for track in range(tracks):
            x = track * (each + BETWEEN)
            wide = width - x if track == tracks - 1 else each
            places.append(Place(HEADING, track, x, 0, wide, 1, bool(track)))
        if said:
            places.append(Place(REMARKS, 0, 0, 1, width, said, False))
        if above > 1 + said:
            places.append(Place(SHEETS, 0, 0, 1 + said, width, 1, False))
        self.width, self._places = width, places
        return places

    def place(self, pane: str, track: int) -> Place | None:
        """Return where a pane is, if it is seen."""
        return next((p for p in self._places if p[:2] == (pane, track)), None)

    def moment(self, track: int) -> Moment:
        """Return the step of a trace that is shown now."""
        if track not in self._moments:
            traced, steps = self.stepper.show.tracks[track]
            scene = traced.scene(steps[self.stepper.at])
            lane = self.stepper.choice.lane
            self._moments[track] = Moment(self.subjects[track], scene, lane, track)
        return self._moments[track]

    def learn(self) -> bool:
        """Learn more of the course of a long trace; returns whether all is known."""
        for subject in self.subjects:
            if not subject.course.complete:
                subject.course.advance(AT_A_TIME)
        return all(subject.course.complete for subject in self.subjects)

    def forget(self) -> None:
        """Look at the step anew, which may be another one."""
        self._moments = {}

    def lines(self, pane: str, track: int) -> list[Text]:
        """Return the lines of a pane, which fill its place."""
        place = self.place(pane, track)
        if place is None:
            return []
        width = place.width - BETWEEN * place.edge
        found = self._content(pane, track, width, place.height)
        left = styled("│ ", RULE) if place.edge else Text()
        lines = [left.copy().append_text(cut(line, width)) for line in found[: place.height]]
        lines += [left.copy()] * (place.height - len(lines))
        return [in_ascii(line) for line in lines] if self.ascii_only else lines

    def _content(self, pane: str, track: int, width: int, height: int) -> list[Text]:
        if pane == SHEETS:
            return [self._sheets(width)]
        if pane == REMARKS:
            return self._remarks(width, height)
        if pane == HEADING:
            return [_fitting(headings(self.moment(track).scene), width)]
        if pane == TIMELINE:
            note, rows = self._timeline(width, track)
            return [self._heading(pane, note, width), *rows]
        draw = KINDS[pane].draw
        assert draw is not None
        content = draw(self.moment(track), width, height - 1)
        shown, above, below = self._seen(pane, content, height - 1)
        more = "".join((f" ↑{above}" if above else "", f" ↓{below}" if below else ""))
        note = content.note + (more if pane != "source" else "")
        return [self._heading(pane, note, width), *shown]

    def _remarks(self, width: int, height: int) -> list[Text]:
        """Return what is to be said of a trace alone; a click leads to the step that shows it."""
        if len(self.subjects) > 1:
            return []
        traced, steps = self.stepper.show.tracks[0]
        found = remark_rows(traced.remarks, steps[self.stepper.at], width, height)
        for line, remark in found:
            if remark.at is not None:
                line.stylize(clickable("step", remark.at))
        return [line for line, _ in found]

    def _timeline(self, width: int, track: int) -> tuple[str, list[Text]]:
        """Return the rows of one trace in a column, or those of all below their panes."""
        show = self.stepper.show
        tracks = [
            (subject.course, steps)
            for subject, (_, steps) in zip(self.subjects, show.tracks, strict=True)
        ]
        place = self.place(TIMELINE, track)
        whole = place is not None and place.width == self.width
        searched = any(traced.graph is not None for traced, _ in show.tracks)
        shown = tracks if whole else [tracks[track]]
        return timeline(show.levels, shown, self.stepper.at, width, searched)

    def _seen(self, pane: str, content: Content, height: int) -> tuple[list[Text], int, int]:
        """Return the lines that are seen, and how many are above and below them."""
        count, focus, choice = len(content.lines), content.focus, self.stepper.choice
        near = height - height // 4 if pane == "source" else height
        first = 0 if focus.stop <= near else focus.start - (height - len(focus)) // 2
        last = max(count - height, 0)
        first = min(max(first, 0), last)
        by = min(max(choice.scrolled.get(pane, 0), -first), last - first)
        if pane in choice.scrolled:
            choice.scrolled[pane] = by  # what leads past an end is forgotten
        first += by
        return content.lines[first : first + height], first, max(count - first - height, 0)

    def _heading(self, pane: str, note: str, width: int) -> Text:
        """Return a pane's name and what is said beside it; a click chooses the pane."""
        chosen = pane == self.stepper.choice.chosen
        line = styled("── ", RULE).append(
            KINDS[pane].title, f"bold {TOUCHED}" if chosen else "bold"
        )
        line.append(" ").append(note, WEAK).append(" " if note else "")
        line.append("─" * (width - line.cell_len), RULE)
        line.stylize(clickable("pane", pane))
        return line

    def _sheets(self, width: int) -> Text:
        """Return the names of all panes; those that are seen are marked, a click chooses one."""
        choice = self.stepper.choice
        parts = []
        for sheet in choice.sheets:
            seen = sheet == choice.sheet
            part = Text(" ").join(
                Text(_short(pane), clickable("pane", pane))
                for pane in ([choice.chosen] if choice.alone and choice.chosen in sheet else sheet)
            )
            own = choice.chosen in sheet if choice.alone else seen
            part.stylize(TOUCHED if own else WEAK)
            parts.append(part)
        names = Text(" │ ", WEAK).join(parts)
        head = "Tab  " if names.cell_len + 5 <= width else ""
        line = styled(head, WEAK).append_text(names)
        return line.append("   f shows all panes again" if choice.alone else "", WEAK)


def _short(pane: str) -> str:
    return KINDS[pane].title.removeprefix("memory ")


def _fitting(parts: list[Text], width: int) -> Text:
    """Return the parts that fit in a line; the first ones are shortened rather than left out."""
    line = parts[0].copy()
    for part in parts[1:]:
        if line.cell_len + 3 + part.cell_len <= width:
            line.append(" · ").append_text(part)
    return line
