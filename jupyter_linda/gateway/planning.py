"""The demo model's next step, decided from the prompt alone: understand the request, then go on with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from . import answers, sayings
from .concepts import concepts
from .decision import decide
from .masking import mask
from .request import Call, Chat, Request, Say, Step
from .steps import STEPS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .conversation import Turn
    from .intent import Classifier

MOST_CALLS = 6
"""Calls of one turn after which something must be wrong."""

_YES = re.compile(
    r"(?:yes|yep|yeah|yup|sure|ok|okay|please do|do it|go ahead|right|correct|y|是的?|对的?|好的?|嗯+|可以|行"
    r"|没错|系)[ .!。！]*"
)
_NO = re.compile(r"(?:no|nope|never ?mind|cancel|forget it|stop|n|不是?|不用了?|算了|取消|没事)[ .!。！]*")
_VERBS = frozenset(
    {"run", "open", "read", "add", "find", "describe", "list", "howto", "delete", "edit", "mend", "coding"}
)


def plan(
    turn: Turn, *, properties: Mapping[str, frozenset[str]], classifier: Classifier, filled: str | None = None
) -> Step:
    """The next step; `properties` are the argument names of each tool on offer."""
    if turn.done and turn.done[-1].problem is not None:
        return Say(answers.problem(turn.done[-1], turn.language))
    understood = understand(turn, properties=properties, classifier=classifier, filled=filled)
    if not isinstance(understood, Request):
        return understood
    step = STEPS[understood.intent](understood)
    if not isinstance(step, Call):
        return step
    if step.tool not in properties:
        return Say(answers.not_offered(step.tool, turn.language))
    is_repeated = any(done.name == step.tool and done.arguments == step.arguments for done in turn.done)
    if is_repeated or len(turn.done) >= MOST_CALLS:
        return Say(sayings.talk("cannot", turn.language))
    return step


def understand(
    turn: Turn, *, properties: Mapping[str, frozenset[str]], classifier: Classifier, filled: str | None = None
) -> Request | Say | Chat:
    """What is wanted, or what to say when that is no tool's work."""
    if turn.before:
        answer = _as_answer(turn, properties=properties, classifier=classifier)
        if answer is not None:
            return answer
    masked = mask(turn.text, variables=turn.situation.variables)
    if not masked.text:
        return Chat("help")
    decision = decide(masked, classifier.classify(masked))
    if decision.kind == "talk":
        return Chat(decision.intent)
    if decision.kind == "ask":
        return Say(sayings.which_intent(decision.choices or (decision.intent,), turn.language), is_question=True)
    return Request(decision.intent, (masked,), turn, properties, filled)


def _as_answer(turn: Turn, *, properties: Mapping[str, frozenset[str]], classifier: Classifier) -> Request | Say | None:
    """The message as an answer to the question we asked, or None when it is a request of its own."""
    earlier = tuple(mask(text) for text in turn.before)
    decision = decide(earlier[-1], classifier.classify(earlier[-1]))
    if decision.kind == "talk":
        return None
    text = turn.text.strip().lower()
    if _NO.fullmatch(text):
        return Say("好，那就不做了。" if turn.language == "zh" else "All right, I leave it.")
    if _YES.fullmatch(text):
        return Request(decision.intent, earlier, turn, properties, "")
    masked = mask(turn.text)
    is_short = len(re.findall(r"[a-z']+|[\ue000-\uf8ff]|[\u4e00-\u9fff]", masked.text)) <= 8
    if decision.kind == "ask" or (not is_short and not masked.of("code")) or _VERBS & set(concepts(masked.text)):
        return None
    guess = classifier.classify(masked)
    if guess.of("thanks", "bye", "greet", "help") > 0.6 and not masked.pieces:
        return None
    return Request(decision.intent, (masked, *earlier), turn, properties, "")
