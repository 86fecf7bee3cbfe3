"""Outputs as text for a model."""

from __future__ import annotations

import base64

from hypothesis import given
from hypothesis import strategies as st

from jupyter_linda.tools.rendering import clean, images_of, output_text, outputs_text, shorten


def test_colours_and_overwritten_frames_are_gone():
    assert clean("\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link") == "red link"
    assert clean("  0%\r 50%\r100%\nnext\r\n") == "100%\nnext\n"


def test_an_image_is_a_placeholder_with_type_and_size():
    output = {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo=", "text/plain": "<Figure>"}}
    assert output_text(output) == "[image/png, 8 bytes]\n<Figure>"
    assert images_of([output]) == (("image/png", "iVBORw0KGgo="),)


def test_html_alone_is_a_placeholder():
    assert output_text({"output_type": "display_data", "data": {"text/html": "<b>x</b>"}}) == "[text/html, 8 bytes]"


def test_a_long_traceback_keeps_head_tail_and_the_error():
    lines = [f"frame {n}" for n in range(100)]
    text = output_text({"output_type": "error", "ename": "E", "evalue": "why", "traceback": lines})
    assert text.startswith("frame 0")
    assert "82 lines left out" in text
    assert text.endswith("frame 99\nE: why")


def test_base64_in_a_stream_is_a_placeholder():
    encoded = base64.b64encode(bytes(range(256))).decode()
    assert clean(f"data:image/png;base64,{encoded}") == "data:image/png;base64,[258 bytes of base64 data]"
    assert clean("ACGT" * 100) == "ACGT" * 100


@given(st.text())
def test_no_escape_byte_survives(text):
    assert "\x1b" not in clean(text)
    assert "\x1b" not in clean("\x1b" + text)


@given(st.text(max_size=500), st.integers(30, 200))
def test_shortening_keeps_head_and_tail(text, most):
    short = shorten(text, most)
    assert len(short) <= most + 60
    assert short[:20] == text[:20]
    assert short[-10:] == text[-10:]


def test_outputs_are_joined_and_bounded():
    outputs = [{"output_type": "stream", "text": "a\n"}, {"output_type": "stream", "text": ["b" * 9000, "end\n"]}]
    text = outputs_text(outputs, 100)
    assert text.startswith("a\nb")
    assert text.endswith("end")
