"""A kind of exercise that asks for a graph: a small one that is hard for a technique."""

from pathlib import Path

import gpubfs
from gpubfs.grading import (
    POSITIVE,
    TEXT,
    Case,
    Exercise,
    ExerciseKind,
    Failure,
    UnreadableError,
    exercise_kind,
)


@exercise_kind("hard-graph")
class HardGraph(ExerciseKind):
    """Take an edge list, on which a search must count at least as much as a case asks for."""

    suffix = ".txt"
    fields = {"technique": TEXT, "vertices": POSITIVE}
    given = {"counter": TEXT, "least": POSITIVE}

    def __init__(self, exercise: Exercise, file: Path) -> None:
        super().__init__(exercise, file)
        try:
            self.graph = gpubfs.graph(f"file:{file}")
        except gpubfs.GraphError as error:
            raise UnreadableError(error.message, error.hint) from None
        if self.graph.vertices > exercise.fields["vertices"]:
            raise UnreadableError(f"the graph has {self.graph.vertices} vertices: too many")

    @classmethod
    def validate(cls, exercise: Exercise, path: Path) -> None:
        """Refuse a technique that does not exist."""
        if exercise.fields["technique"] not in gpubfs.techniques():
            raise gpubfs.UsageError(f"{path}: technique does not exist", "gpubfs list names them")

    def grade_case(self, case: Case, seed: int) -> Failure | None:
        """Search the graph, and compare a counter."""
        name, least = case.given["counter"], case.given["least"]
        counted = gpubfs.run(self.exercise.fields["technique"], self.graph).counters[name]
        if counted >= least:
            return None
        words = f"a search of the graph has fewer {name} than it should"
        return Failure("result", words, expected=f"at least {least}", got=str(counted))
