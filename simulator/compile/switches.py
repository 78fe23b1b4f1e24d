"""Switches: each lane enters at its label, and those that fall through join those that enter.

The body is cut at its labels into sections. A section that nobody falls into is like a branch; one
that lanes may fall into goes on in the region of the section before, joined by those that enter.
`break` ends a lane's way through the sections, `continue` and `return` take it away for longer.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from simulator.compile.frames import SwitchFrame
from simulator.compile.statements import StatementEmitter
from simulator.compile.values import Value, dtype_name
from simulator.ir import tree
from simulator.ir.events import TARGET, Operand


@dataclass
class _Section:
    """A run of labels, whose values it has, and the statements up to the next label."""

    values: list[int] = field(default_factory=list)
    default: bool = False
    body: list[tree.Statement] = field(default_factory=list)


class SwitchEmitter(StatementEmitter):
    """Statements, `switch` among them."""

    def _run_Switch(self, node: tree.Switch) -> None:
        selector = self.keep("selector", self.value(node.selector))
        self.count_statement()
        sections = self._sections(node.body)
        frame = SwitchFrame(len(self.frame.loops), self.writer.fresh("continued"))
        self.frame.switches.append(frame)
        self.writer.put(lambda: [f"{frame.continues} = []"] if frame.continued else [])
        if selector.constant is not None:
            self._known_switch(int(selector.constant), sections)
        else:
            self._unknown_switch(selector, sections, node)
        self.frame.switches.pop()
        self._behind_switch(frame)

    def _sections(self, body: tree.Block) -> list[_Section]:
        """The body cut at its labels; what it declares without a value is bound first of all."""
        sections: list[_Section] = []
        previous: tree.Statement | None = None
        for child in body.body:
            if isinstance(child, tree.Case):
                if not isinstance(previous, tree.Case):
                    sections.append(_Section())
                if isinstance(child.value, tree.Literal):
                    sections[-1].values.append(int(child.value.value))
                else:
                    sections[-1].default = True
            elif isinstance(child, tree.Declaration) and child.value is None and not child.values:
                self.run(child)
            elif sections:
                sections[-1].body.append(child)
            previous = child
        return sections

    def _known_switch(self, selector: int, sections: list[_Section]) -> None:
        """All lanes go to one label, which is known now: only what follows it is compiled."""
        default = next((at for at, s in enumerate(sections) if s.default), len(sections))
        first = next((at for at, s in enumerate(sections) if selector in s.values), default)
        if first == len(sections):
            return
        self.close()
        outer, lanes = self.region.lanes, self.writer.fresh("lanes")
        self.put(f"{lanes} = {outer}")
        self.enter("", lanes)
        for section in sections[first:]:
            self.run_all(tuple(section.body))
        self.leave()
        self.dead = False

    def _unknown_switch(self, selector: Value, sections: list[_Section], node: tree.Switch) -> None:
        target = self._target(selector, sections)
        self.log(Operand(TARGET, self.site("branch", node.selector.span)), target)
        self.note(node.selector.span.text, selector)
        self.close()
        falling = False
        for number, section in enumerate(sections):
            entering = f"({target} == {number}).nonzero()[0]"
            if falling:
                self._join(entering)
            else:
                self._enter_section(entering)
            self.run_all(tuple(section.body))
            falling, self.dead = not self.dead, False
            if not falling:
                self.leave()
        if falling:
            self.leave()

    def _target(self, selector: Value, sections: list[_Section]) -> str:
        """A name for the number of the section that each lane enters."""
        otherwise = next((at for at, s in enumerate(sections) if s.default), len(sections))
        pairs = [(value, at) for at, section in enumerate(sections) for value in section.values]
        values, numbers = (
            (tuple(column) for column in zip(*pairs, strict=True)) if pairs else ((), ())
        )
        table, target = self.writer.fresh("labels"), self.writer.fresh("target")
        kind = dtype_name(selector.type)
        self.prologue.append(f"{table} = label_table({values!r}, {numbers!r}, {kind})")
        self.put(f"{target} = labels_of({self.spread(selector).code}, {table}, {otherwise})")
        return target

    def _enter_section(self, entering: str) -> None:
        """Begin a section that nobody falls into."""
        picked, lanes = self.writer.fresh("pick"), self.writer.fresh("lanes")
        outer = self.region.lanes
        self.put(f"{picked} = {entering}")
        self.enter(picked, lanes)
        self.put(f"{lanes} = {outer}[{picked}]")
        self.guard()

    def _join(self, entering: str) -> None:
        """Go on with those that fall through and those that enter here."""
        self.close()
        self.unguard()
        region = self.region
        assert region.parent is not None
        self.put(f"{region.lanes} = union({region.lanes}, {region.parent.lanes}[{entering}])")
        self.changed()
        self.guard()

    def _behind_switch(self, frame: SwitchFrame) -> None:
        """Lanes that left for a loop's next turn, or for good, do not go on here."""
        lanes = self.region.lanes
        if frame.continued:
            self.put(f"{lanes} = without({lanes}, {frame.continues})")
        if frame.returned:
            self.frame.asked = True
            self.put(f"{lanes} = {lanes}[~{self.frame.gone}[{lanes}]]")
        if frame.continued or frame.returned:
            self.changed()
            self.guard()
