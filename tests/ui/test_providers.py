"""A provider connected, used, edited and disconnected in the panel, by a person's cookie and never by the token."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.fakes.provider import says
from tests.ui.lab import Lab, running

KEY = "sk-typed-by-a-person-0123456789"


@pytest.fixture(scope="module")
def lab(tmp_path_factory, browser):
    """Nothing is connected."""
    with running(Lab(tmp_path_factory.mktemp("home"))) as lab:
        yield lab


def open_settings(panel):
    panel.button("More views").click()
    panel.root.get_by_role("menuitem", name="Models and settings").click()
    expect(panel.root.get_by_role("heading", name="Connected providers")).to_be_visible(timeout=20_000)


def test_a_provider_is_connected_tested_used_and_disconnected(open_panel, provider, lab):
    provider.script("are you there", says("Here I am."))
    panel = open_panel()
    changes = []
    panel.page.on(
        "request",
        lambda request: (
            changes.append(request) if "/providers/" in request.url and request.method in ("PUT", "DELETE") else None
        ),
    )
    panel.root.get_by_role("button", name="Connect a provider").first.click()
    form = panel.root.locator("form.linda-Form")
    form.get_by_label("Provider", exact=True).fill("openai")
    form.get_by_label("Name shown to you").fill("My Models")
    form.get_by_label("Key").fill(KEY)
    form.get_by_label("Address, if it is not the usual one").fill("http://127.0.0.1:9/v1")
    form.get_by_label("Models, one a line").fill("scripted")
    form.get_by_role("button", name="Test").click()
    expect(form.get_by_role("status")).to_contain_text("✕", timeout=60_000)
    form.get_by_label("Address, if it is not the usual one").fill(provider.base_url)
    form.get_by_role("button", name="Test").click()
    expect(form.get_by_role("status")).to_contain_text("✓", timeout=60_000)
    assert not (lab.data_dir / "providers.json").exists()  # a test saves nothing
    form.get_by_role("button", name="Save").click()
    expect(form).to_have_count(0)
    saved = json.loads((lab.data_dir / "providers.json").read_text())["providers"]
    assert saved["my-models"]["base_url"] == provider.base_url
    assert KEY not in (lab.data_dir / "providers.json").read_text()

    open_settings(panel)
    row = panel.root.get_by_role("listitem").filter(has_text="My Models")
    expect(row).to_contain_text("key set")
    panel.root.get_by_label("Model of new chats").select_option("my-models/scripted")
    panel.button("Chats").click()
    panel.new_chat()
    panel.ask("are you there")
    panel.expect_text("Here I am.")
    assert provider.authorizations[-1] == f"Bearer {KEY}"

    open_settings(panel)
    panel.button("Disconnect My Models").click()
    expect(row).to_have_count(0)
    assert json.loads((lab.data_dir / "providers.json").read_text())["providers"] == {}
    assert KEY not in "".join(path.read_text() for path in lab.data_dir.glob("*.json"))
    expect(panel.root.get_by_label("Model of new chats").locator("option[value='my-models/scripted']")).to_have_count(0)
    assert [request.method for request in changes] == ["PUT", "DELETE"]
    for request in changes:
        headers = request.all_headers()
        assert "authorization" not in headers
        assert headers["x-xsrftoken"]
        assert lab.token not in request.url
    assert panel.errors == []
