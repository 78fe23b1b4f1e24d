"""The part of a frame that shows the warp's lanes, what they compute, and who waits for whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rich.text import Text

from gpubfs.machines.unwritten import UNKNOWN, unwritten
from gpubfs.show.traces.frames.accessed import Computed, computed
from gpubfs.show.traces.frames.palette import LANES, WEAK, WORDS, cut, rule, styled
from gpubfs.show.traces.frames.scene import Scene
from simulator.ir.events import (
    BARRIER,
    CLUSTER_ARRIVE,
    CLUSTER_WAIT,
    CONDITION,
    EXIT,
    GRID,
)
from simulator.observe.trace import ACTIVE, ENDED, MASKED, NOBODY, WAITING

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: What active lanes do in steps of some forms.
DOING = {
    BARRIER: "arrive at the barrier",
    CLUSTER_WAIT: "wait at the cluster's barrier",
    CLUSTER_ARRIVE: "arrive at the cluster's barrier",
    GRID: "arrive at the grid's barrier",
    EXIT: "return",
}
#: What barriers are called, behind which a step without operands is the one that leaves them.
BARRIERS = ("__syncthreads", ".sync(", ".barrier_wait(")
#: How much is remembered of a launch before all of it is forgotten.
MOST_KNOWN = 20_000
#: What lanes do, by how much it tells of their warp, and how much each of these tells.
TELLING = np.array([NOBODY, ENDED, MASKED, WAITING, ACTIVE])
TOLD = np.argsort(TELLING)
#: How many steps ahead lanes that wait are said to go on.
FAR = 4096
#: What lanes are whose whole warp does not take part.
IDLE = "not at work"
#: Cells before the lanes, and in narrow frames.
LABEL, NARROW = 12, 7


def lanes(scene: Scene, width: int, height: int) -> list[Text]:
    """Draw a heading, a cell for each lane, values, and where masked lanes join the others."""
    result = [rule(at_work(scene), width, _others(scene, width // 2 - 12))]
    result += _cells(scene.lanes, width)
    waiting = [
        cut(styled(f"{LANES[state].shape} ", LANES[state].style).append(text), width)
        for state, text in idle(scene)
    ]
    result += _values(scene, width, height - len(result) - len(waiting[:1]))
    return (result + waiting)[:height]


def at_work(scene: Scene) -> str:
    """Return which warp it is, and what how many of its lanes do."""
    threads = np.count_nonzero(scene.lanes)  # all but NOBODY
    active = scene.active
    which = f"block {scene.block}, warp {scene.warp_in_block}"
    return f"{which}: {active} of {threads} lanes {_doing(scene)}"


def _doing(scene: Scene) -> str:
    """Return what the active lanes do, in a word."""
    key = ("doing", scene.step.block.id)
    if key not in scene.memo:
        scene.memo[key] = _done(scene)
    doing: str = scene.memo[key]
    return doing


def _done(scene: Scene) -> str:
    if scene.step.stopped:
        return "stopped"
    if not scene.step.block.operands and any(name in scene.focus.text for name in BARRIERS):
        return "leave the barrier"
    forms = {operand.form for operand in scene.step.block.operands}
    return next((doing for form, doing in DOING.items() if form in forms), "active")


def _cells(states: NDArray[np.int64], width: int) -> list[Text]:
    """Rows of lanes, their numbers above them."""
    wide = _cell_width(states.size, width)
    each = max(_room(width) // wide // 8 * 8, 1) if states.size > 8 else states.size
    result = []
    for first in range(0, states.size, each):
        row = range(first, min(first + each, states.size))
        result.append(styled(_label("lane", width) + _ruler(row, wide), WEAK))
        line = Text(_label("", width))
        for lane in row:
            look = LANES[int(states[lane])]
            line.append(f"{look.shape:<{wide}}", look.style)
        result.append(line)
    return result


def _cell_width(count: int, width: int) -> int:
    return max(1, min(4, _room(width) // count))


def _ruler(row: range, wide: int) -> str:
    """Lane numbers above cells `wide` characters wide, as many as have room.

    >>> _ruler(range(6), 2), _ruler(range(8, 20), 1)
    ('0 1 2 3 4 5 ', '8   12  16  ')
    """
    every = 1 if len(str(row[-1])) < wide else 4
    text = ""
    for lane in row:
        if lane % every == 0:
            text = f"{text:<{(lane - row[0]) * wide}}{lane}"
    return f"{text:<{len(row) * wide}}"


def _values(scene: Scene, width: int, height: int) -> list[Text]:
    """Return what each lane computes, as far as there is room."""
    result: list[Text] = []
    for found in computed(scene):
        room = height - len(result)
        if room > 0:
            result += _of_lanes(found, scene.launch.warp_size, width, room)
    return result


def _of_lanes(found: Computed, size: int, width: int, height: int) -> list[Text]:
    """Return a value for each lane: below its cell, or if that is too narrow behind its number."""
    texts = {int(n): shown(v) for n, v in zip(found.lanes, found.values, strict=True)}
    wide = _cell_width(size, width)
    if wide < 4 and set(texts.values()) <= {"yes", "no"}:
        texts = {lane: text[0] for lane, text in texts.items()}
    if max(map(len, texts.values())) < wide and _room(width) >= wide * size:
        cells = "".join(f"{texts.get(lane, ''):<{wide}}" for lane in range(size))
        return [styled(_label(found.name, width), "bold").append(cells.rstrip())]
    return _listed(_label(found.name, width), texts, width, height)


def _listed(label: str, texts: dict[int, str], width: int, height: int) -> list[Text]:
    """Values behind the numbers of their lanes, those of lanes with one value together."""
    groups: dict[str, list[int]] = {}
    for lane, text in texts.items():
        groups.setdefault(text, []).append(lane)
    result = [styled(label, "bold")]
    for text, members in groups.items():
        part = styled(f"{numbers(np.array(members))}:", WEAK).append(f"{text}  ")
        if result[-1].cell_len + part.cell_len > width + 2 and result[-1].plain.strip():
            result.append(Text(_label("", width)))
        result[-1].append_text(part)
    if len(result) > height:
        result = [*result[: height - 1], cut(result[height - 1], width - 1).append("…", WEAK)]
    return [cut(line, width) for line in result]


def shown(value: Any) -> str:
    """Return a value for a cell.

    >>> shown(np.int32(-1)), shown(np.bool_(True)), shown(np.float32(0.5))
    ('-1', 'yes', '0.5')
    >>> shown(np.int32(-1515870811))  # read from memory that nothing has written
    '?'
    """
    if isinstance(value, np.number) and unwritten(np.asarray(value)):
        return UNKNOWN
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    return str(value)


def _label(name: str, width: int) -> str:
    """Return a name before the lanes, shortened to the member where it is one of a structure."""
    wide = width - _room(width)
    if len(name) >= wide:
        end = name[name.rindex(".") :] if "." in name and " " not in name else ""
        name = f"{name[: max(wide - 2 - len(end), 0)]}…{end}"[: wide - 1]
    return f"{name:<{wide}}"


def _room(width: int) -> int:
    """Cells for the lanes in a frame of `width` cells."""
    return width - (LABEL if width >= 60 else NARROW)


def numbers(chosen: NDArray[Any]) -> str:
    """Lanes in words.

    >>> numbers(np.array([0, 1, 2, 5, 7, 8]))
    '0-2, 5, 7-8'
    """
    runs: list[list[int]] = []
    for lane in map(int, chosen):
        if runs and lane == runs[-1][1] + 1:
            runs[-1][1] = lane
        else:
            runs.append([lane, lane])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def idle(scene: Scene) -> list[tuple[int, str]]:
    """Return what is to be said of masked and waiting lanes, with what those do.

    That is since where they are, and where they join the others.
    """
    states = scene.lanes
    found = _idling(scene, states)
    if not found.size:
        return []
    last = scene.cursor.last(scene.warp)
    # Lanes are idle for many steps in the same way, and then go on with the same one.
    since = np.where(states == ACTIVE, -1, last)
    key = (scene.step.wave, scene.warp, states.tobytes(), since.tobytes())
    if key not in scene.memo:
        if len(scene.memo) > MOST_KNOWN:
            scene.memo.clear()
        following = scene.cursor.next(scene.warp, len(scene.launch.steps))
        scene.memo[key] = following, int(following[found].max())
    following, latest = scene.memo[key]
    end, near = scene.position.number + FAR, b""
    if latest > end:
        following = np.where(following <= end, following, -1)
        near = following[found].tobytes()
    said = (*key, near)
    if said not in scene.memo:
        scene.memo[said] = _idle(scene, found, last, following)
    known: list[tuple[int, str]] = scene.memo[said]
    return known


def _idling(scene: Scene, states: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return which lanes of a warp are idle."""
    key = ("idling", states.tobytes())
    if key not in scene.memo:
        scene.memo[key] = np.flatnonzero((states == MASKED) | (states == WAITING))
    found: NDArray[np.int64] = scene.memo[key]
    return found


def _idle(
    scene: Scene,
    found: NDArray[np.int64],
    last: NDArray[np.int64],
    following: NDArray[np.int64],
) -> list[tuple[int, str]]:
    """Return what is to be said of idle lanes: their last steps, and those that follow."""
    states, truth, working = scene.lanes, _truth(scene, found, last), scene.active > 0
    groups: dict[tuple[int, int, int, int], list[int]] = {}
    for lane in found.tolist():
        doing = int(states[lane]), int(last[lane]), int(truth[lane]), int(following[lane])
        groups.setdefault(doing, []).append(lane)
    said: dict[tuple[int, str], list[int]] = {}
    for (state, since, held, until), members in groups.items():
        text = _since(scene, since, bool(held)) + _until(scene, until, working)
        said.setdefault((state, text), []).extend(members)
    result = []
    for (state, text), members in said.items():
        what = WORDS[state] if working or state == WAITING else IDLE
        result.append((state, f"{numbers(np.sort(members))} {what}{text}"))
    return result


def _until(scene: Scene, step: int, working: bool) -> str:
    """Where a lane goes on: with the others of its warp, if they are at work."""
    verb = "join" if working else "go on"
    return f", {verb} at line {scene.launch.steps[step].span.line}" if step >= 0 else ""


def _truth(scene: Scene, found: NDArray[np.int64], last: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return what the condition of its last step was for each lane that is idle."""
    truth = np.zeros(last.size, np.bool_)
    for since in sorted({*last[found].tolist()}):
        key = ("truth", since, scene.warp)
        if key not in scene.memo:
            scene.memo[key] = _conditions(scene, since)
        lanes, values = scene.memo[key]
        truth[lanes] = values
    return truth


def _conditions(scene: Scene, since: int) -> tuple[NDArray[np.int64], Any]:
    """Return the lanes of the warp that a condition was evaluated for, and what it was."""
    step = scene.launch.steps[since]
    for _, value in step.named(CONDITION) if since >= 0 else ():
        part = scene.launch.part(step, scene.warp)
        return step.lanes[part] % scene.launch.warp_size, step.of(value, part)
    return np.empty(0, np.int64), False


def _since(scene: Scene, since: int, truth: bool) -> str:
    """Since when a lane does not take part, and the condition that parted it from the others."""
    key = ("since", since, truth)
    if key not in scene.memo:
        scene.memo[key] = _parted_since(scene, since, truth)
    text: str = scene.memo[key]
    return text


def _parted_since(scene: Scene, since: int, truth: bool) -> str:
    if since < 0:
        return ""
    step = scene.launch.steps[since]
    text = f" since line {step.span.line}"
    for operand, _ in step.named(CONDITION):
        return f"{text} ({operand.site.span.text} is {'true' if truth else 'false'})"
    return text


def warps(scene: Scene) -> NDArray[np.int64]:
    """Return for each warp of the wave what its lanes do, of several what tells most."""
    every = scene.cursor.states().reshape(-1, scene.launch.warp_size)
    found: NDArray[np.int64] = TELLING[TOLD[every].max(axis=1)]
    return found


def _others(scene: Scene, room: int) -> str:
    """Return a shape for each warp of the wave, where there are several."""
    count = scene.launch.waves[scene.step.wave].warps
    if count == 1:
        return ""
    shapes = ""
    for state in warps(scene)[: max(room, 1)].tolist():
        shapes += LANES[state].shape
    return f"warps {shapes}{'…' if count > room else ''}"
