"""What fits into a window: for any conversation, and for those that matter most."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_linda.agent.window import FLOOR_TOKENS, LAST, Fit, Known, Unit, fit, room_for_summary, window_of
from jupyter_linda.errors import ProviderFault

WINDOW = 10_000


def sent(units: list[Unit], made: Fit) -> list[Unit]:
    return [unit for at, unit in enumerate(units) if at >= made.cut or unit.stays]


def real_size(units: list[Unit], made: Fit, fixed: int, known: Known) -> int:
    summary = known.tokens if made.cut == known.cut else room_for_summary(WINDOW)
    return (
        fixed
        + summary
        + sum(
            unit.tokens + sum(made.shares.get(call_id, tokens) for call_id, tokens in unit.results)
            for unit in sent(units, made)
        )
    )


def fitted(units: list[Unit], fixed: int, known: Known) -> tuple[Fit | None, ProviderFault | None]:
    try:
        return fit(units, fixed=fixed, window=WINDOW, known=known), None
    except ProviderFault as fault:
        return None, fault


@st.composite
def conversations(draw: st.DrawFn) -> tuple[list[Unit], Known]:
    count = draw(st.integers(1, 30))
    asked = draw(st.integers(0, count - 1))
    units = [
        Unit(
            f"m{at}",
            draw(st.integers(1, 3000)),
            tuple((f"c{at}.{n}", draw(st.integers(1, 6000))) for n in range(draw(st.integers(0, 3)))),
            is_pinned=draw(st.booleans()) and draw(st.booleans()) and draw(st.booleans()),
            is_asked=at == asked,
        )
        for at in range(count)
    ]
    cut = draw(st.integers(0, count))
    return units, Known(cut, draw(st.integers(1, 1250))) if cut else Known()


@given(conversations(), st.integers(0, 4000))
def test_it_is_never_over_the_window_and_what_must_stay_stays(conversation, fixed) -> None:
    units, known = conversation
    made, fault = fitted(units, fixed, known)
    if made is None:
        assert fault is not None
        assert fault.kind_of_fault == "context_overflow"
        assert fault.remedy
        # True: even the least that must go does not fit.
        least = sum(u.tokens + sum(min(t, FLOOR_TOKENS) for _, t in u.results) for u in units if u.stays)
        assert fixed + room_for_summary(WINDOW) + least > WINDOW or known.tokens + fixed + least > WINDOW
        return
    assert made.tokens == real_size(units, made, fixed, known) <= WINDOW
    ids = [unit.message_id for unit in sent(units, made)]
    assert {unit.message_id for unit in units if unit.stays} <= set(ids)
    assert ids == [unit.message_id for unit in units if unit.message_id in ids]  # in order, each once
    assert made.cut >= known.cut
    assert all(made.shares[call] >= FLOOR_TOKENS for call in made.shares)


@given(conversations(), st.integers(0, 4000))
def test_the_last_six_are_touched_only_when_nothing_else_helps(conversation, fixed) -> None:
    units, known = conversation
    made, _fault = fitted(units, fixed, known)
    if made is None:
        return
    keeps = max(known.cut, len(units) - LAST)
    if made.cut > keeps:
        # With all of them, and every result as short as can be, it would be too much.
        least = Fit(keeps, 0, {c: FLOOR_TOKENS for u in units for c, t in u.results if t > FLOOR_TOKENS})
        assert (
            min(
                real_size(units, least, fixed, known),
                real_size(units, Fit(made.cut - 1, 0, least.shares), fixed, known),
            )
            > WINDOW
        )
    if made.shares:
        assert real_size(units, Fit(made.cut, 0), fixed, known) > WINDOW


def test_up_to_three_quarters_nothing_changes() -> None:
    units = [Unit(f"m{at}", 100, is_asked=at == 69) for at in range(70)]
    assert fit(units, fixed=500, window=WINDOW) == Fit(0, 7500)
    assert fit(units, fixed=501, window=WINDOW).cut == 70 - LAST


def test_a_summary_is_not_made_again_for_every_message() -> None:
    """Nearly full by the last six alone: the one before them would gain little."""
    units = [Unit(f"m{at}", 1300, is_asked=at == 6) for at in range(7)]
    units[0] = Unit("m0", 100)
    assert fit(units, fixed=100, window=WINDOW).cut == 0


def test_old_results_are_shortened_before_new_ones() -> None:
    units = [Unit("m0", 10, is_asked=True), *(Unit(f"m{n}", 10, ((f"c{n}", 4000),)) for n in (1, 2, 3))]
    made = fit(units, fixed=100, window=WINDOW)
    assert made.cut == 0
    assert made.shares == {"c1": 10_000 - 100 - 40 - 8000}


def test_a_long_run_keeps_the_message_that_it_answers() -> None:
    units = [Unit("asked", 50, is_asked=True), *(Unit(f"m{n}", 400, ((f"c{n}", 600),)) for n in range(12))]
    made = fit(units, fixed=100, window=WINDOW)
    assert made.cut == 13 - LAST
    assert sent(units, made)[0].message_id == "asked"


@pytest.mark.parametrize(("asked", "pinned", "words"), [(9_500, 0, "alone has about 9,500"), (3_000, 7_000, "Unpin")])
def test_what_cannot_fit_is_said_with_its_size_and_what_to_do(asked, pinned, words) -> None:
    units = [*([Unit("p", pinned, is_pinned=True)] if pinned else []), Unit("a", asked, is_asked=True)]
    with pytest.raises(ProviderFault, match=r"too|alone") as caught:
        fit(units, fixed=1_000, window=WINDOW)
    assert words in f"{caught.value.message} {caught.value.remedy}"


@pytest.mark.parametrize(
    ("max_input", "max_output", "window"),
    [
        (None, None, 75_000),
        (200_000, 64_000, 75_000),
        (32_000, 8_000, 24_000),
        (8_192, 8_192, 6_144),
        (80_000, 4_000, 75_000),
    ],
)
def test_a_window_is_never_above_the_models_own_less_a_reply(max_input, max_output, window) -> None:
    assert window_of(75_000, max_input, max_output) == window
