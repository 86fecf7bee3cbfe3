"""Two thousand spellings against a tree with ways out: none leads to what is closed (tests/bench/paths does more)."""

from __future__ import annotations

import collections
import random
import sys

import pytest

from tests.fakes.odd_paths import escape, plant, spelling


@pytest.mark.skipif(sys.platform == "win32", reason="the tree is made of symbolic links")
def test_no_spelling_leads_to_what_is_closed(tmp_path):
    folder = tmp_path.resolve()
    policy, chance = plant(folder), random.Random(7)
    counts = collections.Counter()
    for _ in range(2_000):
        path = spelling(chance, folder)
        what, why = escape(policy, path)
        assert what != "escaped", f"{path!r}: {why}"
        counts[what] += 1
    assert counts["read"] > 10, counts
    assert counts["refused"] > 500, counts
