"""The pane of counters: what each has come to, what this step added, and how it grew."""

from __future__ import annotations

from bisect import bisect_right

from rich.text import Text

from gpubfs.render.sheets import short
from gpubfs.show.traces.frames.palette import WEAK, styled
from gpubfs.show.traces.terminal.panes.moment import Content, Moment
from gpubfs.show.traces.terminal.panes.source import BARS

#: Counters that come before others.
FIRST = (
    *("load_requests", "load_sectors", "store_requests", "store_sectors"),
    *("atomic_requests", "atomic_sectors", "divergent_branches", "branches"),
    *("shared_requests", "warp_steps", "thread_steps"),
)
#: What is no counter of its own.
AT_WORK = "lanes at work"
#: Cells of a count, of what a step adds, and at most of a curve.
COUNT, MORE, CURVE = 10, 8, 40


def counters(moment: Moment, width: int, height: int) -> Content:
    """Return a line for each counter that is not zero at the end of the trace."""
    totals, before = moment.scene.totals, previous(moment)
    samples = moment.subject.course.samples
    known = {name for _, sample in samples[-1:] for name, count in sample.items() if count}
    known |= {name for name, count in totals.items() if count}
    names = sorted(known, key=lambda n: (FIRST.index(n) if n in FIRST else len(FIRST), n))
    label = max(map(len, [AT_WORK, *names])) + 1
    room = min(width - label - COUNT - MORE - 2, CURVE)
    lines = [_at_work(totals, moment.scene.launch.warp_size, label)]
    for name in names:
        count = totals.get(name, 0)
        more = count - before.get(name, 0)
        line = styled(f"{name.replace('_', ' '):<{label}}", WEAK)
        line.append(f"{short(count):>{COUNT}}").append(
            f"{f'+{short(more)}' if more else '':>{MORE}}"
        )
        if room >= 8:
            line.append("  ").append_text(_curve(moment, name, room))
        lines.append(line)
    return Content(lines, "so far, and added by this step")


def _at_work(totals: dict[str, int], warp_size: int, label: int) -> Text:
    steps = totals.get("warp_steps", 0) * warp_size
    share = f"{100 * totals.get('thread_steps', 0) / steps:.0f} %" if steps else "none yet"
    return styled(f"{AT_WORK:<{label}}", WEAK).append(f"{share:>{COUNT}}")


def previous(moment: Moment) -> dict[str, int]:
    """Return the run's counters before this step."""
    position, found = moment.scene.position, dict(moment.scene.before)
    if position.number:
        for name, count in position.launch.steps[position.number - 1].totals.items():
            found[name] = found.get(name, 0) + count
    return found


def _curve(moment: Moment, name: str, width: int) -> Text:
    """Return a bar for each part of the trace, up to this step strong, as high as the count."""
    course, at = moment.subject.course, moment.scene.position.at
    steps = [step for step, _ in course.samples]
    counts = [sample.get(name, 0) for _, sample in course.samples]
    most = max(counts, default=0)
    curve = Text()
    for cell in range(width):
        first, last = cell * course.count // width, (cell + 1) * course.count // width - 1
        number = bisect_right(steps, max(last, first)) - 1
        share = counts[number] / most if most and number >= 0 else 0
        curve.append(BARS[round(share * (len(BARS) - 1))], "cyan" if first <= at else WEAK)
    return curve
