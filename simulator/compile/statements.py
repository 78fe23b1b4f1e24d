"""Statements: one method a node of the tree; here lanes part and meet again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from simulator.compile.active_lanes import Region
from simulator.compile.declarations import DeclarationEmitter
from simulator.compile.frames import LoopFrame
from simulator.compile.possible_spin_loops import may_listen
from simulator.compile.spin_loops import may_wait
from simulator.compile.structures import Members
from simulator.compile.values import Value
from simulator.ir import tree
from simulator.ir.events import CONDITION, EXIT, TURN_COST, WAIT_COST, Operand
from simulator.ir.types import Struct
from simulator.source import Span


class StatementEmitter(DeclarationEmitter):
    """Everything that is done.

    `waits` holds, for the loops around the current statement that may wait for other threads, their
    number in the plan and the names of their lanes and of what tells one run from the next.
    """

    waits: list[tuple[int, str, str]]

    def run_all(self, statements: tuple[tree.Statement, ...]) -> None:
        """Run statements until none is reachable."""
        for statement in statements:
            if self.dead:
                return
            self.run(statement)

    def run(self, node: tree.Statement) -> None:
        """Run one statement for the active lanes."""
        with self._standing(node.span):
            getattr(self, f"_run_{type(node).__name__}")(node)

    @contextmanager
    def _standing(self, span: Span) -> Iterator[None]:
        """Compile what stands at `span`: in builds for traces, a basic block of its own."""
        outer = self.span, self.statement
        if self.build.steps:
            self.close()
        self.span = self.statement = span
        yield
        if self.build.steps:
            self.close()
        self.span, self.statement = outer

    def _run_Block(self, node: tree.Block) -> None:
        self.run_all(node.body)

    def _run_Empty(self, node: tree.Empty) -> None:
        pass

    def _run_Evaluate(self, node: tree.Evaluate) -> None:
        self.value(node.expression)
        self.count_statement()

    # Branches.

    def _run_If(self, node: tree.If) -> None:
        test = self.keep("test", self.value(node.test))
        self.count_statement()
        if test.constant is not None:
            taken = node.then if test.constant else node.other
            if taken is not None:
                self.run(taken)
            return
        self.log(Operand(CONDITION, self.site("branch", node.test.span)), test.code)
        self.close()
        if test.scalar:
            self._uniform_if(test, node)
        else:
            self._divergent_if(test, node)

    def _uniform_if(self, test: Value, node: tree.If) -> None:
        self.put(f"if {test.code}:")
        then, then_dead = self._branch(node.then, "", self.region.lanes)
        shrunk, dead = then.shrunk, False
        if node.other is not None:
            self.put("else:")
            other, other_dead = self._branch(node.other, "", self.region.lanes)
            shrunk, dead = shrunk or other.shrunk, then_dead and other_dead
        if dead:
            self.dead = True
        if shrunk:
            self.changed()
            self.guard()

    def _branch(self, node: tree.Statement, selection: str, lanes: str) -> tuple[Region, bool]:
        """Run one side of a branch in a region of its own; whether all its lanes leave."""
        outer = self.region.lanes
        self.writer.indent += 1
        self.enter(selection, lanes)
        if selection:
            self.put(f"{lanes} = {outer}[{selection}]")
        self.run(node)
        dead, self.dead = self.dead, False
        if dead:
            self.close()
            self.put(f"{lanes} = nobody")
            self.region.shrunk = True
        region = self.leave()
        self.put("pass")
        self.writer.indent -= 1
        return region, dead

    def _divergent_if(self, test: Value, node: tree.If) -> None:
        picked, lanes = self.writer.fresh("pick"), self.writer.fresh("lanes")
        self.put(f"{picked} = {test.code}.nonzero()[0]")
        self.put(f"if {picked}.size:")
        then, then_dead = self._branch(node.then, picked, lanes)
        if node.other is None:
            if then_dead:
                self._without(test, picked)
            elif then.shrunk:
                self._rejoin(picked, lanes, f"{self.region.lanes}[(~{test.code}).nonzero()[0]]")
            return
        others, other_lanes = self.writer.fresh("pick"), self.writer.fresh("lanes")
        if then.shrunk:
            self.put("else:")
            self.put(f"    {lanes} = nobody")
        self.put(f"{others} = (~{test.code}).nonzero()[0]")
        self.put(f"if {others}.size:")
        other, other_dead = self._branch(node.other, others, other_lanes)
        if then_dead and other_dead:
            self.dead = True
        elif then.shrunk or other.shrunk:
            if other.shrunk:
                self.put("else:")
                self.put(f"    {other_lanes} = nobody")
            left = lanes if then.shrunk else f"{self.region.lanes}[{picked}]"
            right = other_lanes if other.shrunk else f"{self.region.lanes}[{others}]"
            self._meet(left, right)

    def _without(self, test: Value, picked: str) -> None:
        """The lanes that took the branch are gone; the others go on."""
        self.put(f"if {picked}.size:")
        self.writer.indent += 1
        self.put(f"{picked} = (~{test.code}).nonzero()[0]")
        self.shrink(picked)
        self.writer.indent -= 1
        self.guard()

    def _rejoin(self, picked: str, lanes: str, others: str) -> None:
        """Some of the lanes that took the branch are gone."""
        self.put(f"if {picked}.size:")
        self.writer.indent += 1
        self.put(f"{self.region.lanes} = union({lanes}, {others})")
        self.writer.indent -= 1
        self.changed()
        self.guard()

    def _meet(self, left: str, right: str) -> None:
        self.put(f"{self.region.lanes} = union({left}, {right})")
        self.changed()
        self.guard()

    # Loops.

    def _run_Loop(self, node: tree.Loop) -> None:
        self.run_all(node.start)
        self.close()
        outer, lanes = self.region, self.writer.fresh("lanes")
        self.put(f"{lanes} = {outer.lanes}")
        waits = self._may_wait(node, lanes)
        self.put("while True:")
        self.writer.indent += 1
        region = self.enter(None, lanes)
        loop = LoopFrame(region, self.writer.fresh("waiting"))
        self.frame.loops.append(loop)
        self._turn(node, loop, lanes)
        self.frame.loops.pop()
        if waits:
            self.waits.pop()
        self.leave()
        self.writer.indent -= 1
        if loop.returned:
            self.frame.asked = True
            self.put(f"{outer.lanes} = {outer.lanes}[~{self.frame.gone}[{outer.lanes}]]")
            self.changed()
            self.guard()

    def _may_wait(self, node: tree.Loop, lanes: str) -> bool:
        """Note that a loop may wait for other threads; whether it does nothing else.

        A gang that comes by twice shows the same `visit` if it is in the same run of the loop.
        """
        self.plan.listens |= may_listen(node)
        if not may_wait(node):
            return False
        self.kernel_frame.asked = True  # who still waits, and who has returned
        visit = self.writer.fresh("visit")
        self.put(f"{visit} = []")
        self.waits.append((len(self.plan.waits), lanes, visit))
        self.plan.waits.append(_head_of(node))
        return True

    def _turn(self, node: tree.Loop, loop: LoopFrame, lanes: str) -> None:
        region = loop.region
        self.writer.put(lambda: [f"if not {lanes}.size:", "    break"] if region.shrunk else [])
        self.writer.put(lambda: [f"{loop.continues} = []"] if loop.continued else [])
        if node.kind != "do":
            self._loop_test(node)
        self.run(node.body)
        self._end_of_body(loop, lanes)
        if self.dead:
            self.dead = False
            self.close()
            self.put("break")
            return
        if node.step is not None:
            self.run(tree.Evaluate(node.step, span=node.step.span))
        if node.kind == "do":
            self._loop_test(node)
        self.close()
        number, watched, visit = self.waits[-1] if self.waits else (-1, lanes, "None")
        cost = WAIT_COST if watched == lanes and number >= 0 else TURN_COST
        self.put(f"budget -= {lanes}.size + {cost}")
        self.put("if budget < 0:")
        self.put(f"    budget = yield ('turn', {number}, {watched}, ({cost}, {visit}))")

    def _end_of_body(self, loop: LoopFrame, lanes: str) -> None:
        """Lanes that said `continue` come back before the step."""
        if not loop.continued:
            return
        self.close()
        if self.dead:
            self.put(f"{lanes} = nobody")
        self.dead = False
        self.unguard()
        self.put(f"if {loop.continues}:")
        self.put(f"    {lanes} = union({lanes}, *{loop.continues})")
        self.changed()
        self.guard()

    def _loop_test(self, node: tree.Loop) -> None:
        if node.test is None:
            return
        with self._standing(node.test.span):
            test = self.keep("test", self.value(node.test))
            self.count_statement()
            if test.constant is None:
                self.log(Operand(CONDITION, self.site("branch", node.test.span)), test.code)
                self.close()
                self._leave_loop(test)
            elif not test.constant:
                self.close()
                self.put("break")

    def _leave_loop(self, test: Value) -> None:
        """Lanes whose test is false leave; those that stay keep their cached values."""
        if test.scalar:
            self.put(f"if not {test.code}:")
            self.put("    break")
            self.region.last = None
            return
        count, picked = self.writer.fresh("count"), self.writer.fresh("pick")
        self.put(f"{count} = count_nonzero({test.code})")
        self.put(f"if {count} != {self.region.lanes}.size:")
        self.writer.indent += 1
        self.put(f"if not {count}:")
        self.put("    break")
        self.put(f"{picked} = {test.code}.nonzero()[0]")
        shrunk = self.region.shrunk
        self.shrink(picked)
        self.region.shrunk = shrunk
        self.writer.indent -= 1

    # Leaving.

    def _run_Break(self, node: tree.Break) -> None:
        self.count_statement()
        self.dead = True

    def _run_Continue(self, node: tree.Continue) -> None:
        self.count_statement()
        self.close()
        loop = self.frame.loops[-1]
        loop.continued = True
        self.put(f"{loop.continues}.append({self.region.lanes})")
        for switch in self.frame.switches:
            if switch.depth == len(self.frame.loops):
                switch.continued = True
                self.put(f"{switch.continues}.append({self.region.lanes})")
        self.dead = True

    def _run_Return(self, node: tree.Return) -> None:
        frame = self.frame
        if node.value is not None and isinstance(node.value.type, Struct):
            self._return_members(self.members_of(node.value), node)
        elif node.value is not None:
            value = self.note(
                f"{frame.function.name}()", self.keep("result", self.value(node.value))
            )
            if frame.result is not None:
                self.write(frame.result, value)
            else:
                frame.value = value
        self.count_statement()
        if frame.function.kind != "__global__" and not frame.facts.early_return:
            return
        if self.build.steps and frame is self.kernel_frame:
            self.log(Operand(EXIT, self.site("exit", node.span)), "None")
        self.close()
        line = f"{frame.gone}[{self.region.lanes}] = True"
        self.writer.put(lambda: [line] if frame.asked else [])
        for loop in self.frame.loops:
            loop.returned = True
        for switch in self.frame.switches:
            switch.returned = True
        self.dead = True

    def _return_members(self, members: Members, node: tree.Return) -> None:
        structure = self.frame.structure
        if structure is None:
            self.frame.members = {n: self.keep(n, v) for n, v in members.items()}
            return
        self.store_members(structure, members, node.span)


def _head_of(node: tree.Loop) -> Span:
    """Where a loop says how long it goes on."""
    return node.test.span if node.test is not None else node.span
