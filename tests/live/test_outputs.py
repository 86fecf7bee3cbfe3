"""Outputs: collected, merged, bounded."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_linda.live.outputs import KEPT_BYTES, MOST_OUTPUTS, OutputCollector, bound_outputs, slim


def stream(text, name="stdout"):
    return "stream", {"name": name, "text": text}


@given(st.lists(st.text(max_size=40), max_size=40), st.integers(100, 1000))
def test_a_stream_keeps_its_head_and_tail_whatever_the_portions(texts, limit):
    collector = OutputCollector(limit)
    for text in texts:
        collector.take(*stream(text))
    whole = "".join(texts)
    kept = "".join(output["text"] for output in collector.outputs())
    if len(whole.encode(errors="replace")) <= limit // 4:
        assert kept == whole
    assert len(kept.encode(errors="replace")) <= limit + 100
    assert kept[:10].startswith(whole[: min(10, limit // 16)])
    assert kept[-5:] == whole[-5:]


def test_what_is_left_out_is_counted():
    collector = OutputCollector(1000)
    for _ in range(100):
        collector.take(*stream("x" * 100))
    text = collector.outputs()[0]["text"]
    left_out = int(text.split("… ")[1].split(" bytes")[0])
    assert left_out + text.count("x") == 10_000


def test_a_huge_image_becomes_a_note_and_small_ones_stay():
    collector = OutputCollector(10_000)
    for size in (100, 50_000):
        collector.take("display_data", {"data": {"image/png": "A" * size}, "metadata": {}})
    first, second = collector.outputs()
    assert first["data"]["image/png"] == "A" * 100
    assert "image/png" in second["data"]["text/plain"]
    assert "image/png" not in second["data"]


def test_a_loop_of_displays_is_bounded_and_errors_always_stay():
    collector = OutputCollector(10_000_000)
    for number in range(MOST_OUTPUTS + 50):
        collector.take("display_data", {"data": {"text/plain": str(number)}, "metadata": {}})
    collector.take("error", {"ename": "E", "evalue": "v", "traceback": ["t"]})
    outputs = collector.outputs()
    assert len(outputs) == MOST_OUTPUTS + 2
    assert outputs[-2]["output_type"] == "error"
    assert "50 more outputs" in outputs[-1]["text"]


def test_alternating_streams_do_not_grow_without_bound():
    collector = OutputCollector(10_000)
    for number in range(5000):
        collector.take(*stream(f"{number}\n", "stdout" if number % 2 else "stderr"))
    outputs = collector.outputs()
    assert len(outputs) <= MOST_OUTPUTS + 1
    assert "4999" in json.dumps(outputs)


@pytest.mark.parametrize("wait", [True, False])
def test_clearing(wait):
    collector = OutputCollector(1000)
    collector.take(*stream("a"))
    collector.take("clear_output", {"wait": wait})
    assert len(collector.outputs()) == (1 if wait else 0)
    collector.take(*stream("b"))
    assert [output["text"] for output in collector.outputs()] == ["b"]


def test_outputs_of_a_tab_are_bounded_the_same_way():
    outputs = bound_outputs([{"output_type": "stream", "name": "stdout", "text": ["a" * 5000, "end"]}], 1000)
    assert outputs[0]["text"].endswith("end")
    assert len(outputs[0]["text"]) < 1100


def display(**data):
    return {
        "output_type": "display_data",
        "metadata": {},
        "data": {name.replace("_", "/"): v for name, v in data.items()},
    }


def test_a_reading_names_large_outputs_and_carries_small_ones():
    small, large = display(image_png="A" * 100), display(image_png="A" * 400_000, text_plain="<Figure>")
    cell = {"cell_type": "code", "id": "c", "source": "x", "outputs": [small, large]}
    first, second = slim([cell])[0]["outputs"]
    assert first == small
    assert second["data"] == {"text/plain": "[image/png, 300000 bytes]\n<Figure>"}
    assert len(cell["outputs"][1]["data"]["image/png"]) == 400_000, "the notebook itself is left alone"


def test_a_reading_of_a_huge_notebook_fits_a_frame():
    streams = [{"output_type": "stream", "name": "stdout", "text": ["x" * 150_000]} for _ in range(100)]
    cells = [
        {"cell_type": "code", "id": f"c{n}", "source": "x", "outputs": [output]} for n, output in enumerate(streams)
    ]
    cells.append(
        {"cell_type": "markdown", "id": "m", "source": "y", "attachments": {"f.png": {"image/png": "A" * 9_000_000}}}
    )
    assert len(json.dumps(slim(cells))) < 5_000_000
    assert KEPT_BYTES < 5_000_000
