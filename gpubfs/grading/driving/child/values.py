"""What was read of device memory: a list that answers as the NumPy array does of a real host.

A driver's process has no NumPy. A list of one 0 would be true and unlike 0, and a loop that asks it
whether to go on would go on for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import eq, ge, gt, le, lt, ne
from typing import Any

Compare = Callable[[Any, Any], Any]


def _comparison(compare: Compare) -> Any:
    """The method that compares each element with a number, or with the one in its place."""

    def method(self: Values, other: object) -> Any:
        if isinstance(other, list | tuple) and len(other) == len(self):
            return Values(map(compare, self, list(other)))
        if isinstance(other, int | float):
            return Values(compare(one, other) for one in self)
        return NotImplemented

    return method


class Values(list[Any]):
    """Some elements.

    Of one element, the truth value and the whole number are the element's own; a comparison with a
    number is one of each element.

    Examples
    --------
    >>> none = Values([0])
    >>> bool(none), bool(none == 0), int(none), none.item(), none.any()
    (False, True, 0, 0, False)
    >>> Values([1, 2, 0]) > 0
    [True, True, False]
    """

    @property
    def size(self) -> int:
        """How many elements there are."""
        return len(self)

    @property
    def shape(self) -> tuple[int]:
        """Their number, as NumPy says it."""
        return (len(self),)

    @property
    def flat(self) -> Values:
        """The elements."""
        return self

    def item(self, place: int | None = None) -> Any:
        """The only element, or that at a place."""
        return self._only("item") if place is None else self[place]

    def tolist(self) -> list[Any]:
        """The elements in a plain list."""
        return list(self)

    def any(self) -> bool:
        """Whether any element is not 0."""
        return any(self)

    def all(self) -> bool:
        """Whether no element is 0."""
        return all(self)

    def sum(self) -> Any:
        """What the elements add up to."""
        return sum(self)

    def max(self) -> Any:
        """The largest element."""
        return max(self)

    def min(self) -> Any:
        """The smallest element."""
        return min(self)

    def _only(self, what: str) -> Any:
        if len(self) != 1:
            raise ValueError(f"{what} of {len(self)} elements is not one: say which one, as [0]")
        return self[0]

    def __bool__(self) -> bool:
        return bool(self._only("the truth value"))

    def __int__(self) -> int:
        return int(self._only("the number"))

    __index__ = __int__

    def __float__(self) -> float:
        return float(self._only("the number"))

    __eq__ = _comparison(eq)
    __ne__ = _comparison(ne)
    __lt__ = _comparison(lt)
    __le__ = _comparison(le)
    __gt__ = _comparison(gt)
    __ge__ = _comparison(ge)
