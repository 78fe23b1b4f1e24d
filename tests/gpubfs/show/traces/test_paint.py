"""Colours that can be read, whatever a style asks for."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.color import Color
from rich.style import Style

from gpubfs.show.traces.files.picture import (
    BLACK,
    CONTRAST,
    DARK,
    LIGHT,
    WHITE,
    Scheme,
    contrast,
    painted,
)

colours = st.one_of(
    st.none(),
    st.just(Color.default()),
    st.integers(0, 255).map(Color.from_ansi),
    st.tuples(*[st.integers(0, 255)] * 3).map(lambda rgb: Color.from_rgb(*rgb)),
)
styles = st.builds(
    Style, color=colours, bgcolor=colours, dim=st.booleans(), reverse=st.booleans(), bold=st.none()
)


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
@given(style=styles)
@example(style=Style.parse("white"))
@example(style=Style.parse("black"))
@example(style=Style.parse("dim blue on blue"))
@example(style=Style.parse("dim reverse bright_yellow"))
def test_every_style_can_be_read(scheme: Scheme, style: Style) -> None:
    front, behind = painted(style, scheme)
    assert contrast(front, behind or scheme.paper) >= CONTRAST


def test_colours_that_can_be_read_stay_as_they_are() -> None:
    assert painted(Style.parse("#800000"), LIGHT)[0].hex == "#800000"
    assert painted(Style(), LIGHT) == (LIGHT.ink, None)
    assert painted(Style.parse("default on default"), DARK) == (DARK.ink, None)


def test_reverse_marks_by_exchanging_ink_and_paper() -> None:
    assert painted(Style.parse("reverse"), DARK) == (DARK.paper, DARK.ink)
    assert painted(Style.parse("reverse black on white"), LIGHT)[1] == BLACK


def test_dim_is_between_ink_and_paper() -> None:
    ink, _ = painted(Style.parse("dim"), LIGHT)
    assert contrast(ink, WHITE) < contrast(LIGHT.ink, WHITE)
