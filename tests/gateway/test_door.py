"""The door while a request waits to be tried again, and before others answer in its place: what holds then counts."""

from __future__ import annotations

import asyncio

import pytest

from jupyter_linda.errors import ConsentNeeded, ProviderFault
from jupyter_linda.gateway.door import Door, Rules
from jupyter_linda.gateway.levels import Privacy
from jupyter_linda.gateway.redaction import Book
from jupyter_linda.gateway.sensitivity import UNKNOWN
from jupyter_linda.ports import Finished, ModelRequest, Retrying, Sending, TextDelta
from jupyter_linda.schemas import Usage

REQUEST = ModelRequest(
    model="far/one", messages=[{"role": "user", "content": "hello"}], owner_id="local", chat_id="c", run_id="r"
)


class World:
    """Two providers elsewhere, none here; a model that fails once, and what may leave."""

    default_model = "far/one"

    def __init__(self):
        self.privacy = Privacy()
        self.agreed_always = {"far", "wide"}
        self.between = lambda: None
        self.sent = []
        self.skipped = None
        self.going = 0

    # ---- what the door asks

    def stays_here(self, _model):
        return False

    def destination(self, model):
        return model.partition("/")[0]

    def models(self):
        return []

    def check_key(self, _model):
        pass

    def known_keys(self):
        return []

    async def providers(self, _owner):
        return frozenset(self.agreed_always)

    async def passed(self, _request, _model):
        self.going += 1

    async def prompt(self, _request, _model):
        return Usage(input_tokens=7, is_estimated=True)

    def ended(self, _request):
        self.going = 0

    async def load(self, _chat_id):
        return Book()

    async def keep(self, _chat_id, _book):
        pass

    # ---- the model behind it

    async def stream(self, request):
        yield Sending(request.model, False, "")
        self.sent.append(request.model)
        self.between()
        self.skipped = await request.may_go_to("wide/two")
        yield Retrying("server", "failed", 1.0, request.model)
        yield Sending(request.model, False, "")
        self.sent.append(request.model)
        yield TextDelta("hi")
        yield Finished("stop")

    def ask(self, **fields):
        door = Door(self, self, Rules(lambda: self.privacy, lambda path: (path,), lambda *_: UNKNOWN), self, self, self)

        async def work():
            request = REQUEST if not fields else ModelRequest(**{**vars(REQUEST), **fields})
            return [event async for event in door.stream(request)]

        try:
            return asyncio.run(work())
        finally:
            assert self.going == 0, "nothing is on its way any more"


def test_what_is_written_down_of_a_try_has_its_prompt():
    world = World()
    assert [event.takes.input_tokens for event in world.ask() if isinstance(event, Sending)] == [7, 7]
    assert world.sent == ["far/one", "far/one"]
    assert world.skipped == ""


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda world: setattr(world, "privacy", Privacy(offline=True)), "offline"),
        (lambda world: setattr(world, "privacy", Privacy(all_local=True)), "all local"),
        (lambda world: world.agreed_always.clear(), "not been allowed"),
    ],
)
def test_what_is_closed_while_a_request_waits_closes_its_next_try(change, word):
    world = World()
    world.between = lambda: change(world)
    with pytest.raises(ProviderFault, match=word) as closed:
        world.ask()
    assert closed.value.kind_of_fault == "no_model"
    assert world.sent == ["far/one"]
    assert word in world.skipped


def test_a_yes_to_one_provider_while_all_is_local_is_none_to_the_next():
    world = World()
    world.privacy = Privacy(all_local=True)
    with pytest.raises(ConsentNeeded):
        world.ask()
    world.ask(agreed=frozenset({"far"}))
    assert world.sent == ["far/one", "far/one"]
    assert "all local" in world.skipped
