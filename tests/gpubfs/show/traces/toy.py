"""A trace of three levels with four steps each, whose frames fill their room."""

from __future__ import annotations

from rich.text import Text

STEPS, LEVEL = 12, 4

#: The line of the source at each step of a level.
LINES = (7, 8, 9, 8)


class Toy:
    """What `Steppable` asks for, in the fewest words; warps are only counted."""

    title = "toy"
    tracks = ()  # pictures alone
    begin, beginning = 0, ""
    levels = [step // LEVEL for step in range(STEPS)]  # noqa: RUF012

    def __init__(self) -> None:
        self.warp = 0

    def __len__(self) -> int:
        return STEPS

    def frame(self, at: int, width: int, height: int) -> list[Text]:
        first = Text(f"step-{at} level-{at // LEVEL} line-{LINES[at % LEVEL]}", style="bold red")
        middle = [Text("│" + "─" * (width - 2) + "│") for _ in range(height - 2)]
        return [first, *middle, Text(f"{width}x{height}".rjust(width))]

    def onward(self, at: int) -> int:
        return min(at + 1, STEPS - 1)

    def back(self, at: int) -> int:
        return max(at - 1, 0)

    def next_level(self, at: int) -> int:
        return min((at // LEVEL + 1) * LEVEL, STEPS - 1)

    def previous_level(self, at: int) -> int:
        return max((at - 1) // LEVEL * LEVEL, 0)

    def at_line(self, at: int, line: int) -> int | None:
        after = [*range(at + 1, STEPS), *range(at + 1)]
        return next((to for to in after if LINES[to % LEVEL] == line), None)

    def next_warp(self) -> str:
        self.warp += 1
        return f"following warp {self.warp}"
