"""Pictures of tool results in what a provider gets: after the results, the newest, for models that see."""

from __future__ import annotations

from jupyter_linda.gateway.pictures import MOST_PICTURES, can_see, with_pictures

ASKED = {"role": "assistant", "content": None, "tool_calls": [{"id": "a"}, {"id": "b"}]}


def result(call_id, *names):
    images = [["image/png", name] for name in names]
    return {
        "role": "tool",
        "tool_call_id": call_id,
        "name": "read_cell",
        "content": "words",
        "images": images,
        "data": 1,
    }


def content(name):
    return f"BASE64-{name}"


def test_pictures_come_after_all_results_of_a_reply():
    messages = [{"role": "user", "content": "hi"}, ASKED, result("a", "p1"), result("b", "p2"), {"role": "assistant"}]
    made = with_pictures(messages, content)
    assert [message["role"] for message in made] == ["user", "assistant", "tool", "tool", "user", "assistant"]
    text, *pictures = made[4]["content"]
    assert "from read_cell" in text["text"]
    assert "not orders" in text["text"]
    assert [part["image_url"]["url"] for part in pictures] == [
        "data:image/png;base64,BASE64-p1",
        "data:image/png;base64,BASE64-p2",
    ]
    assert made[2] == {"role": "tool", "tool_call_id": "a", "name": "read_cell", "content": "words"}


def test_a_model_that_does_not_see_gets_the_words_alone():
    made = with_pictures([ASKED, result("a", "p1")], None)
    assert made == [ASKED, {"role": "tool", "tool_call_id": "a", "name": "read_cell", "content": "words"}]


def test_only_the_newest_are_loaded_and_sent():
    loaded = []
    messages = [result(str(at), f"p{at}") for at in range(20)]
    made = with_pictures(messages, lambda name: loaded.append(name) or name)
    assert len(loaded) == MOST_PICTURES
    assert loaded[0] == "p19"
    assert len(made[-1]["content"]) == 1 + MOST_PICTURES


def test_litellm_says_who_sees_and_silence_means_no():
    import litellm

    assert can_see(litellm, "openai/gpt-4o")
    assert not can_see(litellm, "openai/scripted")
    assert not can_see(object(), "anything")


def test_nobody_is_asked_over_the_network_who_sees(monkeypatch):
    import litellm

    asked = []
    monkeypatch.setattr(litellm, "supports_vision", lambda model: asked.append(model))
    monkeypatch.setitem(litellm.model_cost, "ollama/seer", {"supports_vision": True})
    assert not can_see(litellm, "ollama/mine")
    assert not can_see(litellm, "ollama_chat/mine")
    assert can_see(litellm, "ollama/seer")
    assert asked == []
