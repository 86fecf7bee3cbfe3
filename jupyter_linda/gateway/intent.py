"""What the user wants: a linear classifier over masked text and concepts, with an honest "not sure"."""

from __future__ import annotations

import base64
import json
import math
import re
from array import array
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from .concepts import concepts
from .masking import SIGNS, Masked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CHARACTER_WEIGHT = 1.0
WORD_WEIGHT = 0.8
CONCEPT_WEIGHT = 1.6
"""Euclidean norm of each group of features: training and use must agree."""

_WORDS = re.compile(r"[a-z']+|[\ue000-\uf8ff]|[\u4e00-\u9fff]|\d+|[?!:]")
_SPACES = re.compile(r"\s+")
_CJK_SPACE = re.compile(r"(?<=[\u4e00-\u9fff\ue000-\uf8ff])\s+|\s+(?=[\u4e00-\u9fff\ue000-\uf8ff])")


@dataclass(frozen=True)
class Guess:
    """The likeliest intents, best first, with probabilities that sum to one over all intents."""

    ranked: tuple[tuple[str, float], ...]

    @property
    def intent(self) -> str:
        """The likeliest intent."""
        return self.ranked[0][0]

    @property
    def probability(self) -> float:
        """Its probability."""
        return self.ranked[0][1]

    def of(self, *intents: str) -> float:
        """The summed probability of these intents."""
        return sum(share for intent, share in self.ranked if intent in intents)


def features(masked: Masked) -> dict[str, float]:
    """Sparse features: characters 1-4, words, concepts and their pairs; each group has its own norm."""
    text = _CJK_SPACE.sub("", _SPACES.sub(" ", masked.text.replace("？", "?").replace("！", "!").replace("：", ":")))
    characters = _characters(f"^{text}$")
    words = _WORDS.findall(text)
    pairs = {f"w {a} {b}" for a, b in zip(["^", *words], [*words, "$"], strict=True)}
    singles = {f"w {word}" for word in words if not "\u4e00" <= word <= "\u9fff"}
    found = concepts(text)
    kinds = {f"k {concept}" for concept in found} | {f"k {kind}" for kind, sign in SIGNS.items() if sign in text}
    ordered = sorted(kinds)
    couples = {f"{a}+{b}" for at, a in enumerate(ordered) for b in ordered[at + 1 :]}
    sequence = {f"o {a} {b}" for a, b in zip(["^", *found], [*found, "$"], strict=True)}
    length = {f"l {min(len(words) // 3, 6)}"}
    return {
        **_normalised(characters, CHARACTER_WEIGHT),
        **_normalised(pairs | singles, WORD_WEIGHT),
        **_normalised(kinds | couples | sequence | length, CONCEPT_WEIGHT),
    }


def _characters(text: str) -> set[str]:
    return {"g " + text[at : at + size] for size in (1, 2, 3, 4) for at in range(len(text) - size + 1)}


def _normalised(names: set[str], weight: float) -> dict[str, float]:
    share = weight / math.sqrt(len(names) or 1)
    return dict.fromkeys(names, share)


class Classifier:
    """Multinomial logistic regression whose weights were trained by tests/gateway/train_intents.py."""

    def __init__(self, *, intents: Sequence[str], rows: Mapping[str, Sequence[float]], bias: Sequence[float]) -> None:
        self._intents = tuple(intents)
        self._rows = rows
        self._bias = tuple(bias)

    def classify(self, masked: Masked) -> Guess:
        """Rank all intents for one request."""
        scores = list(self._bias)
        for name, value in features(masked).items():
            row = self._rows.get(name)
            if row is not None:
                for at, weight in enumerate(row):
                    scores[at] += value * weight
        top = max(scores)
        shares = [math.exp(score - top) for score in scores]
        total = sum(shares)
        ranked = sorted(zip(self._intents, (share / total for share in shares), strict=True), key=lambda pair: -pair[1])
        return Guess(ranked=tuple(ranked))


@cache
def trained() -> Classifier:
    """The shipped classifier; weights are 8-bit, one scale for all."""
    stored = json.loads(files("jupyter_linda.gateway").joinpath("intents.json").read_text(encoding="utf-8"))
    intents, scale = stored["intents"], float(stored["scale"])
    flat = array("b", base64.b64decode(stored["weights"]))
    width = len(intents)
    rows = {
        name: [scale * value for value in flat[at * width : (at + 1) * width]]
        for at, name in enumerate(stored["features"])
    }
    return Classifier(intents=intents, rows=rows, bias=stored["bias"])
