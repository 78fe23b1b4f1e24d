"""Things to step through whose frames are known."""

from __future__ import annotations

from rich.text import Text

COLOURS = "red", "bold yellow on blue", "reverse", "dim italic", "", "underline strike"


def styled(text: str) -> Text:
    """Every word in another style."""
    line = Text()
    for number, word in enumerate(text.split(" ")):
        line.append(" " if number else "").append(word, style=COLOURS[number % len(COLOURS)])
    return line


class Told:
    """Frames as they are told; the steps that begin levels, too."""

    def __init__(self, frames: list[list[Text]], levels: tuple[int, ...] = (0,)) -> None:
        self.title = "told <b>by</b> 'a' \"test\" & {braces}"
        self.frames = frames
        self.levels = levels

    def __len__(self) -> int:
        return len(self.frames)

    def frame(self, at: int, width: int, height: int) -> list[Text]:
        return self.frames[at][:height]

    def onward(self, at: int) -> int:
        return min(at + 1, len(self) - 1)

    def back(self, at: int) -> int:
        return max(at - 1, 0)

    def next_level(self, at: int) -> int:
        return min((level for level in self.levels if level > at), default=len(self) - 1)

    def previous_level(self, at: int) -> int:
        return max((level for level in self.levels if level < at), default=0)

    def at_line(self, at: int, line: int) -> int | None:
        return None

    def next_warp(self) -> str:
        return "no warps"


def counting(steps: int = 10, levels: tuple[int, ...] = (0, 4, 7)) -> Told:
    """Frames that say which step they are, with what a frame is drawn of."""
    boxes = ["┌───┬──╮ █▌░▒▓ ■□·▲●○→↳×", "│   │  │", "└───┴──╯"]
    source = "if (a < b && c > d) printf(\"</script><!-- %d\\n\", 'x');"
    return Told(
        [
            [styled(f"step number {at} </script> & {source}"), *map(Text, boxes)]
            for at in range(steps)
        ],
        levels,
    )
