"""What providers say when they fail, told without the key."""

from __future__ import annotations

import pytest

from jupyter_linda.gateway.faults import as_fault, without_keys


@pytest.mark.parametrize("key", ["sk-demo-AAAA1111", "Zitronenbaum.77.Apfel"])
@pytest.mark.parametrize("has_begun", [True, False])
def test_a_fault_never_quotes_the_key_that_was_used(key, has_begun):
    fault = as_fault(RuntimeError(f"Incorrect API key provided: {key}."), model="m", has_begun=has_begun, key=key)
    assert key not in fault.message
    assert "[key]" in fault.message


def test_what_looks_like_a_key_is_taken_out_wherever_it_is_from():
    assert without_keys("Authorization: Bearer abc.def, or sk-proj-0123456789") == "Authorization: [key] or [key]"
