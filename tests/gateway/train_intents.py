"""Trains the demo model's intent classifier from training_*.txt; prints cross-validation; writes the weights.

Run `python -m tests.gateway.train_intents [--write]` at the root of the repository; needs numpy.
"""

import base64
import hashlib
import itertools
import json
import random
import re
import sys
from collections import Counter
from pathlib import Path

from jupyter_linda.gateway import concepts as concepts_module
from jupyter_linda.gateway import intent as intents_module
from jupyter_linda.gateway import masking

HERE = Path(__file__).parent
TARGET = Path(intents_module.__file__).with_name("intents.json")
SOURCES = ("training_en.txt", "training_zh.txt")
MOST_PER_FAMILY = 14
TALK = ("greet", "thanks", "bye", "help", "chat", "howto", "cannot")


def expand(line, rng):
    """All readings of {a|b}, or a fixed sample of them."""
    parts = re.split(r"\{([^{}]*\|[^{}]*)\}", line)
    options = [part.split("|") if at % 2 else [part] for at, part in enumerate(parts)]
    total = 1
    for option in options:
        total *= len(option)
    if total <= 200:
        every = ["".join(choice) for choice in itertools.product(*options)]
        rng.shuffle(every)
    else:
        every = list({"".join(rng.choice(option) for option in options) for _ in range(60)})
        every.sort()
        rng.shuffle(every)
    return [re.sub(r"\s+", " ", text).strip() for text in every[:MOST_PER_FAMILY]]


def examples():
    """(text, intent, family, weight)"""
    rng = random.Random(7)
    found, family = [], 0
    for source in SOURCES:
        intent = ""
        for line in (HERE / source).read_text(encoding="utf-8").splitlines():
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            if re.fullmatch(r"\[[a-z_]+\]", line):
                intent = line[1:-1]
                continue
            family += 1
            texts = expand(line, rng)
            found += [(text, intent, family, len(texts) ** -0.4) for text in texts]
    return found


def digest():
    """sha256 of the examples and of what turns them into features; layout of the code does not count."""
    patterns = {concept: pattern.pattern for concept, pattern in concepts_module._PATTERNS.items()}
    code = [masking._PATTERN.pattern, masking._TRADITIONAL, masking._SIMPLIFIED, masking._LEADING, patterns]
    whole = b"".join((HERE / source).read_bytes() for source in SOURCES)
    return hashlib.sha256(whole + repr(code).encode()).hexdigest()


class Trainer:
    def __init__(self, rows, *, l2=2e-4, steps=220, dropout=0.3):
        import numpy as np

        self.np = np
        self.intents = sorted({row[1] for row in rows})
        self.l2, self.steps, self.dropout = l2, steps, dropout
        self.features = [intents_module.features(masking.mask(row[0])) for row in rows]
        families = Counter()
        for names, _family in {(name, row[2]) for row, f in zip(rows, self.features, strict=True) for name in f}:
            families[names] += 1
        self.names = sorted(name for name, count in families.items() if count >= 2)
        self.index = {name: at for at, name in enumerate(self.names)}
        self.matrix = np.zeros((len(rows), len(self.names)), dtype=np.float32)
        for at, found in enumerate(self.features):
            for name, value in found.items():
                if name in self.index:
                    self.matrix[at, self.index[name]] = value
        self.labels = np.array([self.intents.index(row[1]) for row in rows])
        weights = np.array([row[3] for row in rows], dtype=np.float32)
        counts = np.array([weights[self.labels == k].sum() for k in range(len(self.intents))])
        self.weights = weights * (counts.mean() / counts[self.labels]) ** 0.35
        self.families = np.array([row[2] for row in rows])

    def fit_many(self, seeds=(11, 12, 13)):
        """The mean of several runs: what was dropped in one was kept in another."""
        runs = [self.fit(seed=seed) for seed in seeds]
        return sum(run[0] for run in runs) / len(runs), sum(run[1] for run in runs) / len(runs)

    def fit(self, chosen=None, seed=11):
        np = self.np
        x = self.matrix if chosen is None else self.matrix[chosen]
        y = self.labels if chosen is None else self.labels[chosen]
        w = self.weights if chosen is None else self.weights[chosen]
        w = (w / w.sum()).astype(np.float32)
        k, d = len(self.intents), x.shape[1]
        target = np.eye(k, dtype=np.float32)[y]
        theta, bias = np.zeros((d, k), np.float32), np.zeros(k, np.float32)
        m, v = np.zeros_like(theta), np.zeros_like(theta)
        mb, vb = np.zeros_like(bias), np.zeros_like(bias)
        rng = np.random.default_rng(seed)
        for step in range(1, self.steps + 1):
            # Whole features are dropped at random, so that no single word decides.
            kept = (rng.random(d) > self.dropout).astype(np.float32) / (1 - self.dropout)
            active = theta * kept[:, None]
            scores = x @ active + bias
            scores -= scores.max(axis=1, keepdims=True)
            shares = np.exp(scores)
            shares /= shares.sum(axis=1, keepdims=True)
            off = (shares - target) * w[:, None]
            grad, gradb = (x.T @ off) * kept[:, None] + self.l2 * theta, off.sum(axis=0)
            rate = 0.15 if step < self.steps * 0.6 else 0.04
            m, v = 0.9 * m + 0.1 * grad, 0.99 * v + 0.01 * grad**2
            mb, vb = 0.9 * mb + 0.1 * gradb, 0.99 * vb + 0.01 * gradb**2
            c1, c2 = 1 - 0.9**step, 1 - 0.99**step
            theta -= rate * (m / c1) / (np.sqrt(v / c2) + 1e-6)
            bias -= rate * (mb / c1) / (np.sqrt(vb / c2) + 1e-6)
        return theta, bias

    def validate(self, folds=5, show=True):
        np = self.np
        families = sorted(set(self.families.tolist()))
        random.Random(3).shuffle(families)
        good = total = good_kind = acted_wrong = 0.0
        wrong = Counter()
        for fold in range(folds):
            held = np.isin(self.families, families[fold::folds])
            theta, bias = self.fit(~held)
            guess = (self.matrix[held] @ theta + bias).argmax(axis=1)
            truth, w = self.labels[held], self.weights[held]
            good += w[guess == truth].sum()
            total += w.sum()
            talk = np.array([name in TALK for name in self.intents])
            good_kind += w[(guess == truth) | (talk[guess] & talk[truth])].sum()
            acted_wrong += w[(guess != truth) & ~talk[guess]].sum()
            for g, t, weight in zip(guess, truth, w, strict=True):
                if g != t and not (talk[g] and talk[t]):
                    wrong[(self.intents[t], self.intents[g])] += weight
        if show:
            for (truth, guess), weight in wrong.most_common(25):
                print(f"  {truth:20} -> {guess:20} {weight:.1f}")
        return good / total, good_kind / total, acted_wrong / total

    def store(self, theta, bias):
        np = self.np
        keep = np.abs(theta).max(axis=1) > 0.12
        scale = float(np.abs(theta).max()) / 127
        packed = np.round(theta[keep] / scale).astype(np.int8)
        TARGET.write_text(
            json.dumps(
                {
                    "sources_sha256": digest(),
                    "intents": self.intents,
                    "scale": scale,
                    "bias": [round(float(b), 4) for b in bias],
                    "features": [name for name, kept in zip(self.names, keep, strict=True) if kept],
                    "weights": base64.b64encode(packed.tobytes()).decode(),
                },
                ensure_ascii=False,
            )
            + "\n",
            encoding="utf-8",
        )
        return int(keep.sum())


def main():
    rows = examples()
    print(len(rows), "examples", len({row[2] for row in rows}), "families", Counter(row[1] for row in rows))
    trainer = Trainer(rows)
    print(len(trainer.names), "features")
    if "--validate" in sys.argv:
        print("by family: right, right with all talk as one, acting wrong without thresholds:", trainer.validate())
    if "--write" in sys.argv:
        print(trainer.store(*trainer.fit_many()), "features kept", TARGET.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
