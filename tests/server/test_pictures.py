"""A picture in a notebook's output reaches a model that sees, and no other."""

from __future__ import annotations

import base64
import json

import pytest

from jupyter_linda.schemas import ProviderInput
from tests.fakes.notebooks import code_cell, notebook
from tests.fakes.provider import Use, says, uses

PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 60).decode()


@pytest.mark.parametrize(("model", "sees"), [("gpt-4o", True), ("scripted", False)])
async def test_a_picture_goes_along_with_the_cell_that_was_read(api, provider, jp_root_dir, model, sees):
    shown = [{"output_type": "display_data", "data": {"image/png": PIXEL, "text/plain": "<Figure>"}, "metadata": {}}]
    (jp_root_dir / "p.ipynb").write_text(json.dumps(notebook(code_cell("plot()", "a", outputs=shown))))
    wish = ProviderInput(kind="openai", base_url=provider.base_url, models=(model,), key="sk-test-0123456789")
    api.linda.services().providers.put("fake", wish)
    api.linda.services().providers.choose_default(f"fake/{model}")
    provider.script("look at the picture", uses(Use("read_cell", {"path": "p.ipynb", "cell_id": "a"})), says("Seen."))
    chat_id = await api.new_chat()
    await api.send(chat_id, "look at the picture")
    view = await api.until(chat_id)
    assert view["runs"][-1]["state"] == "done", view["runs"]
    sent = json.dumps(provider.requests[-1]["messages"])
    assert (f"data:image/png;base64,{PIXEL}" in sent) == sees
    assert "[image/png," in sent, "the words are there for every model"
