"""The door while a request waits to be tried again, and before others answer in its place: what holds then counts."""

from __future__ import annotations

import asyncio

import pytest

from jupyter_linda.errors import ConsentNeeded, ProviderFault
from jupyter_linda.gateway.door import Door, Rules, preview_text
from jupyter_linda.gateway.levels import Privacy
from jupyter_linda.gateway.providers import AUTOMATIC
from jupyter_linda.gateway.redaction import Book
from jupyter_linda.gateway.sensitivity import UNKNOWN
from jupyter_linda.ports import Finished, ModelRequest, Retrying, Sending, TextDelta
from jupyter_linda.schemas import ModelInfo, Usage

REQUEST = ModelRequest(
    model="far/one", messages=[{"role": "user", "content": "hello"}], owner_id="local", chat_id="c", run_id="r"
)


class World:
    """Two providers elsewhere, none here; a model that fails once, and what may leave."""

    default_model = "far/one"

    def __init__(self):
        self.privacy = Privacy()
        self.agreed_always = {"far", "wide"}
        self.between = self.loading = lambda: None
        self.sent = []
        self.skipped = None
        self.going = 0
        self.here, self.keyless, self.listed, self.others = set(), set(), (), ()
        self.label = ""
        self.follows = ""
        """Another model that answers at the second try."""

    # ---- what the door asks

    def stays_here(self, model):
        return model in self.here

    def destination(self, model):
        return model.partition("/")[0]

    def models(self):
        return [
            ModelInfo(model_id=one, label="", provider=self.label, is_local=False, is_ready=True) for one in self.listed
        ]

    def check_key(self, model):
        if model in self.keyless:
            raise ProviderFault("auth", "no key")

    def fallbacks(self):
        return self.others

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
        self.loading()
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
        yield Sending(self.follows or request.model, False, "")
        self.sent.append(self.follows or request.model)
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


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda world: setattr(world, "privacy", Privacy(offline=True)), "offline"),
        (lambda world: setattr(world, "privacy", Privacy(terms=("Falcon",))), "changed meanwhile"),
        (lambda world: world.agreed_always.clear(), "not been allowed"),
    ],
)
def test_what_is_closed_while_a_request_is_made_ready_closes_its_first_try(change, word):
    world = World()
    world.loading = lambda: change(world)
    with pytest.raises(ProviderFault, match=word):
        world.ask()
    assert world.sent == []


def test_an_always_of_this_run_holds_until_it_is_taken_back():
    world = World()
    world.ask(agreed_always=frozenset({"far"}))
    world.privacy = Privacy(all_local=True)
    world.ask(agreed_always=frozenset({"far"}))
    assert world.sent == ["far/one"] * 4
    world.agreed_always.clear()
    for privacy in (Privacy(), Privacy(all_local=True)):
        world.privacy = privacy
        with pytest.raises(ConsentNeeded):
            world.ask(agreed_always=frozenset({"far"}))
    assert world.sent == ["far/one"] * 4


@pytest.mark.parametrize(
    ("leave", "told"),
    [
        ({"agreed": frozenset({"far"})}, "this answer's requests"),
        ({"agreed_always": frozenset({"far"})}, "this folder always"),
        ({}, "this folder may send"),
    ],
)
def test_a_try_tells_which_leave_it_had(leave, told):
    first = next(event for event in World().ask(**leave) if isinstance(event, Sending))
    assert told in first.reason
    assert told in first.details["route"]["reason"]


@pytest.mark.parametrize(("label", "who"), [("My gateway", "My gateway (far)"), ("Far", "far"), ("", "far")])
def test_who_is_asked_about_has_a_name_and_an_address(label, who):
    world = World()
    world.agreed_always.clear()
    world.listed, world.label = ("far/one",), label
    with pytest.raises(ConsentNeeded) as needed:
        world.ask()
    assert (needed.value.about, needed.value.who) == ("far", who)


@pytest.mark.parametrize(("count", "told"), [(0, "look"), (1, "look\n[1 picture]"), (2, "look\n[2 pictures]")])
def test_a_preview_says_how_many_pictures_go_along(count, told):
    message = {"role": "user", "content": "look", "images": [b""] * count}
    assert preview_text([message]) == f"── user ──\n{told}"


def test_a_yes_to_one_provider_while_all_is_local_is_none_to_the_next():
    world = World()
    world.privacy = Privacy(all_local=True)
    with pytest.raises(ConsentNeeded):
        world.ask()
    world.ask(agreed=frozenset({"far"}))
    assert world.sent == ["far/one", "far/one"]
    assert "all local" in world.skipped


def test_levels_made_stricter_while_a_request_waits_close_its_next_try():
    world = World()
    world.between = lambda: setattr(world, "privacy", Privacy(terms=("Falcon",)))
    with pytest.raises(ProviderFault, match="What may leave was changed meanwhile"):
        world.ask()
    assert world.sent == ["far/one"]


def test_a_request_made_for_a_model_here_goes_nowhere_else_when_its_address_changes():
    world = World()
    world.here = {"far/one"}
    world.between = lambda: world.here.clear()
    with pytest.raises(ProviderFault, match="does not run on this machine any more"):
        world.ask()
    assert world.sent == ["far/one"]


def test_a_try_names_who_gets_it():
    world = World()
    world.follows = "wide/two"
    assert [event.details["route"]["destination"] for event in world.ask() if isinstance(event, Sending)] == [
        "far",
        "wide",
    ]


def test_a_missing_key_is_told_before_anything_is_asked_unless_others_may_answer():
    world = World()
    world.agreed_always.clear()
    world.keyless = {"far/one"}
    with pytest.raises(ProviderFault, match="no key"):
        world.ask()
    world.others = ("wide/two",)
    with pytest.raises(ConsentNeeded):
        world.ask()


def test_automatic_passes_over_what_has_no_key_and_a_call_of_no_run_stays_here():
    world = World()
    world.listed = ("near/one", "far/one", "wide/two")
    world.here = {"near/one"}
    world.keyless = {"far/one"}
    translate = [{"role": "user", "content": "translate this: hello"}]
    world.ask(model=AUTOMATIC, messages=translate)
    assert world.sent == ["wide/two", "wide/two"]
    world.agreed_always.clear()
    with pytest.raises(ConsentNeeded):
        world.ask(model=AUTOMATIC, messages=translate)
    world.sent.clear()
    world.ask(model=AUTOMATIC, messages=translate, run_id="")
    assert world.sent == ["near/one", "near/one"]
