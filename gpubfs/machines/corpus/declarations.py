"""A CUDA file as a list of the declarations of its namespaces, by their braces alone."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gpubfs.machines.corpus.words import Word, names_in, words_of

#: Words with parentheses that belong to a declaration and are no function's name.
_ATTRIBUTES = frozenset(
    """__align__ alignas __attribute__ __declspec __launch_bounds__ __cluster_dims__ decltype
    noexcept explicit __block_size__ __maxnreg__ requires""".split()
)
#: Words that are never a declaration's name.
_KEYWORDS = frozenset(
    """void bool char short int long signed unsigned float double auto const volatile static extern
    inline struct class union enum typedef typename template return operator""".split()
)
_LABELS = frozenset(["public", "private", "protected"])
_AGGREGATES = frozenset(["struct", "class", "union", "enum"])
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
#: What may stand behind the parentheses of a function's parameters.
_GOES_ON = frozenset(["{", ";", ":", ",", "=", "[", ".", "-", "(", "const", "noexcept", "<"])
_DIRECTIVE = re.compile(r"#\s*(\w*)\s*(.*)", re.DOTALL)
_DEFINITION = re.compile(r"(\w+)(\([^)]*\))?(.*)", re.DOTALL)
_INCLUDED = re.compile(r"""[<"]([^>"\n]+)[>"]""")


@dataclass(frozen=True)
class Declaration:
    """One declaration or directive of a file.

    Attributes
    ----------
    kind : str
        function, type, variable, call (of a macro), using, define, include, conditional, pragma or
        directive.
    start, end : int
        The characters of the text that it takes.
    names : frozenset of str
        What it declares.
    uses : frozenset of str
        All words in it.
    head : frozenset of str
        The words of it up to its body or its value.
    body : bool
        Whether it has a body in braces.
    """

    kind: str
    start: int
    end: int
    names: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    head: frozenset[str] = frozenset()
    body: bool = False
    words: Sequence[Word] = field(default=(), repr=False, compare=False)

    @property
    def name(self) -> str:
        """One of its names."""
        return min(self.names, default="")


def declarations(text: str) -> list[Declaration]:
    r"""Return what a text declares, and its directives, those inside of declarations as well.

    Examples
    --------
    >>> text = "#define N 8\nnamespace a { int f(int x) { return x; } struct S { int a; } s; }"
    >>> [(one.kind, sorted(one.names)) for one in declarations(text)]
    [('define', ['N']), ('function', ['f']), ('type', ['S', 's'])]
    """
    words = list(words_of(text))
    return list(_declared(words))


def _declared(words: list[Word]) -> Iterator[Declaration]:
    at = 0
    while at < len(words):
        word = words[at]
        if word.kind == "directive":
            yield directive(word)
            at += 1
        elif word.text in (";", "}") or (entered := _entered(words, at)) == at:
            at += 1
        elif entered > at:
            at = entered
        else:
            end = max(_Extent(words, at).end(), at + 1)
            yield _declaration(words[at:end])
            yield from (directive(one) for one in words[at:end] if one.kind == "directive")
            at = end


def members(one: Declaration) -> list[Declaration]:
    """Return what a structure or class declares in its braces.

    Examples
    --------
    >>> (found,) = declarations("struct S { public: int a; S() : a(1) { } int b() const; };")
    >>> [(member.kind, member.name) for member in members(found)]
    [('variable', 'a'), ('function', 'S'), ('function', 'b')]
    """
    texts = [word.text for word in one.words]
    if one.kind != "type" or "enum" in one.head or "{" not in texts:
        return []
    opening = texts.index("{")
    closing = len(texts) - 1 - texts[::-1].index("}") if "}" in texts else len(texts)
    inside = one.words[opening + 1 : closing]
    labels = {
        i + more
        for i, (word, sign) in enumerate(itertools.pairwise(inside))
        for more in (0, 1)
        if word.text in _LABELS and sign.text == ":"
    }
    return list(_declared([word for i, word in enumerate(inside) if i not in labels]))


def _entered(words: list[Word], at: int) -> int:
    """Return where the inside of a namespace or of `extern "C" {` begins; -1 where none does."""
    texts = [word.text for word in words[at : at + 12]]
    if texts[:1] == ["extern"] and len(texts) > 2 and words[at + 1].kind == "string":
        return at + 3 if texts[2] == "{" else -1
    if texts[:1] == ["inline"]:
        texts = texts[1:]
        at += 1
    if texts[:1] != ["namespace"] or "{" not in texts:
        return -1
    brace = texts.index("{")
    return -1 if {"=", ";", "("} & set(texts[:brace]) else at + brace + 1


class _Extent:
    """Finds the end of the declaration that begins at a word."""

    def __init__(self, words: list[Word], first: int) -> None:
        self._words = words
        self._first = first
        self._depth = 0
        self._depths: list[int] = []
        self._called = self._valued = False

    def end(self) -> int:
        at = self._first = template_end(self._words, self._first)
        while at < len(self._words):
            word = self._words[at]
            if word.kind == "directive":
                self._condition(word)
            elif word.text in _OPENING:
                self._open(at)
            elif word.text in _CLOSING:
                if self._depth == 0:
                    return at
                self._depth -= 1
                if self._depth == 0 and self._ends(at):
                    return at + 1
            elif self._depth == 0 and word.text == ";":
                return at + 1
            elif self._depth == 0 and word.text == "=" and self._words[at - 1].text != "operator":
                self._valued = True
            at += 1
        return at

    def _condition(self, word: Word) -> None:
        """Count the brackets of one branch of a condition only."""
        name = _directive_name(word)
        if name.startswith("if"):
            self._depths.append(self._depth)
        elif name in ("else", "elif"):
            self._depth = self._depths[-1] if self._depths else 0
        elif self._depths and name == "endif":
            self._depths.pop()

    def _open(self, at: int) -> None:
        before = self._words[at - 1].text if at > self._first else ""
        if self._words[at].text == "(" and self._depth == 0 and before not in _ATTRIBUTES:
            self._called = True
        self._depth += 1

    def _ends(self, at: int) -> bool:
        """Whether the bracket that has just been closed ends the declaration."""
        after = self._words[at + 1].text if at + 1 < len(self._words) else ""
        if self._words[at].text == "}":
            return self._called and not self._valued and after not in (",", "{")
        macro = self._words[at].text == ")" and self._words[self._first + 1].text == "("
        first = self._words[self._first].text
        return macro and after not in _GOES_ON and first not in _ATTRIBUTES


def template_end(words: Sequence[Word], at: int) -> int:
    """Return where the declaration behind `template <…>` begins."""
    while at + 1 < len(words) and words[at].text == "template" and words[at + 1].text == "<":
        angles = brackets = 0
        at += 1
        while at < len(words):
            text = words[at].text
            brackets += (text in _OPENING) - (text in _CLOSING)
            if brackets == 0:
                angles += (text == "<") - (text == ">")
            at += 1
            if angles == 0:
                break
    return at


def _directive_name(word: Word) -> str:
    match = _DIRECTIVE.match(word.text)
    return match[1] if match else ""


def directive(word: Word) -> Declaration:
    """Return a directive as a declaration."""
    match = _DIRECTIVE.match(word.text)
    assert match is not None
    name, rest = match[1], match[2]
    if name == "define" and (found := _DEFINITION.match(rest)):
        uses = names_in(found[3])
        return Declaration("define", word.start, word.end, frozenset([found[1]]), uses)
    if name == "include":
        included = _INCLUDED.match(rest)
        names = frozenset([included[1]]) if included else frozenset()
        return Declaration("include", word.start, word.end, names)
    conditional = name.startswith(("if", "el", "end"))
    kind = "conditional" if conditional else "pragma" if name == "pragma" else "directive"
    return Declaration(kind, word.start, word.end)


def _declaration(words: list[Word]) -> Declaration:
    start, end = words[0].start, words[-1].end
    uses = frozenset(word.text for word in words if word.kind == "word")
    inner = [one for one in words[template_end(words, 0) :] if one.kind != "directive"]
    outside = list(_outside(inner))
    head = outside[: _first_of(outside, ("{", "="))]
    kind, names = _kind(inner, outside, head)
    names -= _KEYWORDS - {"operator"}
    body = any(word.text == "{" for word in outside)
    return Declaration(
        kind, start, end, names, uses, frozenset(word.text for word in head), body, words
    )


def _outside(words: Sequence[Word]) -> Iterator[Word]:
    """Yield the words that stand in no brackets, and the brackets that open there."""
    depth = 0
    for word in words:
        if word.text in _CLOSING:
            depth -= 1
        elif depth == 0:
            yield word
        if word.text in _OPENING:
            depth += 1


def _first_of(words: Sequence[Word], texts: Sequence[str]) -> int:
    return next((i for i, word in enumerate(words) if word.text in texts), len(words))


def _kind(words: list[Word], outside: list[Word], head: list[Word]) -> tuple[str, frozenset[str]]:
    """Return what is declared, and the names."""
    texts = [word.text for word in head]
    if not texts:
        return "directive", frozenset()
    if texts[0] in ("using", "static_assert", "namespace"):
        return _using(texts, words)
    if "typedef" in texts:
        return "type", _declarators(outside) | _pointed(words)
    if (name := function_name(head)) is not None:
        called = len(words) > 1 and words[0].text == name and words[1].text == "("
        return ("call" if called and words[-1].text == ")" else "function"), frozenset([name])
    if _AGGREGATES & set(texts):
        return "type", _aggregate(words, outside, texts)
    return "variable", _declarators(outside)


def _using(texts: list[str], words: list[Word]) -> tuple[str, frozenset[str]]:
    if texts[0] == "static_assert":
        return "assertion", frozenset()
    if "namespace" in texts:
        return "using", frozenset()
    names = [word.text for word in words if word.kind == "word"]
    aliased = any(word.text == "=" for word in words)
    return "type" if aliased else "using", frozenset(names[1:2] if aliased else names[-1:])


def function_name(head: Sequence[Word]) -> str | None:
    """Return the name before the parameters in the head of a declaration; None without any."""
    for at, (before, word) in enumerate(itertools.pairwise(head)):
        if word.text == "(":
            if before.text in _ATTRIBUTES:
                continue
            operator = any(one.text == "operator" for one in head)
            return "operator" if operator else _specialised(head[: at + 1])
        if word.text == "operator":
            return "operator"
    return None


def _specialised(words: Sequence[Word]) -> str | None:
    """Return the last name, before its `<…>` in a specialisation; None where another word is."""
    angles = 0
    for word in reversed(words):
        angles += (word.text == ">") - (word.text == "<")
        if angles == 0 and word.text != "<":
            return word.text if word.kind == "word" else None
    return None


def _declarators(outside: Sequence[Word]) -> frozenset[str]:
    """Return the names before a comma, a semicolon, a value or brackets, none of a value."""
    signs = (",", ";", "=", "[", "{", "(")
    names, in_value = set(), False
    for one, sign in itertools.pairwise(outside):
        in_value = (in_value or one.text == "=") and one.text != ","
        if not in_value and one.kind == "word" and sign.text in signs:
            names.add(one.text)
    return frozenset(names)


def _pointed(words: Sequence[Word]) -> frozenset[str]:
    """Return the name in `(*name)(…)`."""
    texts = [word.text for word in words]
    return frozenset(
        texts[i + 2] for i in range(len(texts) - 3) if texts[i] == "(" and texts[i + 1] == "*"
    )


def _aggregate(words: list[Word], outside: list[Word], texts: list[str]) -> frozenset[str]:
    """Return a structure's name, or an enumeration's with its constants, and declared variables."""
    first = next(i for i, text in enumerate(texts) if text in _AGGREGATES)
    tags = [t for t in texts[first + 1 :] if t not in _ATTRIBUTES and t[:1].isidentifier()]
    tag = next((t for t in tags if t not in _AGGREGATES), "")
    names = _declarators(outside) | {tag}
    if texts[first] == "enum":
        names |= {word.text for word in words if word.kind == "word"}
    return names - {""}
