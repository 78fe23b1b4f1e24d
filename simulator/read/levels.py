"""Where a token stands, told from the tokens alone: in which brace, and what it may declare."""

from __future__ import annotations

from dataclasses import dataclass, field

from simulator.ir.tokens import Token

_BEHIND_NAME = frozenset(["(", "=", ";", "[", ",", "{", ":", ""])
_BEHIND_MEMBER = frozenset([";", ",", "[", "=", "{", ":"])
_OPENING, _CLOSING = frozenset("(["), frozenset(")]")
_STRUCTURES = frozenset(["struct", "class", "union"])


@dataclass
class Level:
    """One open brace, or the file.

    `kind` is file, namespace, linkage, struct, enum, scoped (an `enum class`) or block; `opened`
    are the namespaces of `using namespace`, `names` and `spaces` what `using a::b` and
    `namespace a = b` bring.
    """

    kind: str
    path: tuple[str, ...] = ()
    brace: Token | None = None
    linked: bool = False
    opened: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    spaces: dict[str, str] = field(default_factory=dict)

    @property
    def outside(self) -> bool:
        """Whether declarations stand here, and nothing else."""
        return self.kind in ("file", "namespace", "linkage")


class Levels:
    """The open braces, and how far the declaration is that is being read."""

    def __init__(self) -> None:
        self.open = [Level("file")]
        self.start()

    @property
    def level(self) -> Level:
        """The innermost."""
        return self.open[-1]

    def start(self) -> None:
        """A new declaration or statement begins."""
        self._depth = self._angle = 0
        self._words: set[str] = set()
        self._valued = self._called = False

    @property
    def linked(self) -> bool:
        """Whether what is declared here is `extern "C"`."""
        return self.level.linked or '"C"' in self._words

    def declares(self, before: str, after: str) -> bool:
        """Whether a name between these is declared here, for all that follows."""
        if self.level.kind == "enum":
            return before in ("{", ",")
        return self.level.outside and self._is_new(after in _BEHIND_NAME)

    def is_member(self, before: str, after: str) -> bool:
        """Whether a name between these is that of a structure's member or a scoped enumerator."""
        if self.level.kind == "scoped":
            return before in ("{", ",")
        return self.level.kind == "struct" and self._is_new(after in _BEHIND_MEMBER)

    def _is_new(self, ends: bool) -> bool:
        return ends and bool(self._words) and not (self._depth or self._angle or self._valued)

    def follow(self, token: Token, before: str) -> None:
        """Go on behind `token`."""
        text = token.text
        if text == "{":
            linked = self.level.linked or before == '"C"'
            self.open.append(Level(self._kind(before), self.level.path, token, linked))
            self.start()
        elif text == "}":
            closed = self.open.pop() if len(self.open) > 1 else None
            self.start()
            if closed is not None and closed.kind in ("struct", "enum", "scoped"):
                self._words.add("struct")
        elif text == ";":
            self.start()
        elif text in _OPENING or text in _CLOSING:
            self._depth += 1 if text in _OPENING else -1
            self._called = self._called or text == "("
        elif not self._depth:
            self._sign(token)

    def _sign(self, token: Token) -> None:
        """A token of a declaration outside all parentheses."""
        text = token.text
        if text in ("<", ">") and not self._valued:
            self._angle += 1 if text == "<" else -1
        elif text in ("=", ",") and not self._angle:
            self._valued = text == "="
        elif token.is_word or token.type == "STRING":
            self._words.add(text)

    def _kind(self, before: str) -> str:
        """What a brace begins, by the words before it."""
        if self.level.outside and "extern" in self._words and before.startswith('"'):
            return "linkage"
        if self._valued or self._called:
            return "block"
        if "enum" in self._words:
            return "scoped" if self._words & _STRUCTURES else "enum"
        return "struct" if self._words & _STRUCTURES else "block"
