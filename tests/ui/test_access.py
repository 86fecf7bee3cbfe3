"""For everybody: axe-core, keyboard only, Chinese, dark and narrow; and no script from any content ever runs."""

from __future__ import annotations

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.fakes.provider import Use, says, uses
from tests.ui.panel import Panel

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "[c](javascript:alert(1))",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "```html\n<script>alert(1)</script>\n```",
    "<button onclick=alert(1)>b</button>",
    "$$\\href{javascript:alert(1)}{x}$$",
    "user name: <b onmouseover=alert(1)>ana</b>",
    "<script>alert(1)</script>",
]


def violations(panel: Panel) -> list[str]:
    found = Axe().run(panel.page, context="#linda-panel").response["violations"]
    return [f"{item['id']}: {node['html'][:160]}" for item in found for node in item["nodes"]]


def theme(panel: Panel, name: str) -> None:
    panel.page.evaluate("name => window.jupyterapp.commands.execute('apputils:change-theme', { theme: name })", name)
    panel.page.wait_for_selector(f"[data-jp-theme-name='{name}']", state="attached")


@pytest.mark.parametrize(
    ("name", "width"), [("JupyterLab Light", 1400), ("JupyterLab Dark", 1400), ("JupyterLab Light", 640)]
)
def test_axe_finds_nothing_in_a_chat_with_cards_and_a_question(open_panel, provider, name, width):
    provider.script(
        "everything at once",
        uses(
            Use("list_files", {"path": ""}),
            Use("write_file", {"path": "axe.txt", "content": "1"}, index=1),
            text="Looking.\n\n```python\nx = 1\n```",
        ),
        says("Done, **well** done."),
    )
    panel = open_panel(width=width)
    theme(panel, name)
    panel.new_chat()
    panel.ask("everything at once")
    expect(panel.button("Allow once")).to_be_visible(timeout=30_000)
    assert violations(panel) == []
    panel.button("No").click()
    panel.expect_text("Done, well done.")
    assert violations(panel) == []
    theme(panel, "JupyterLab Light")


@pytest.mark.parametrize(("width", "least", "most"), [(1400, 310, 340), (640, 210, 240)])
def test_the_panel_first_opens_wide_enough_to_read_where_there_is_room(open_panel, width, least, most):
    box = open_panel(width=width).root.bounding_box()
    assert box is not None
    assert least <= box["width"] <= most


def test_axe_finds_nothing_in_the_other_views(open_panel):
    panel = open_panel()
    for view in ("Chats", "Waiting", "Permissions"):
        panel.root.get_by_role("navigation").get_by_role("button", name=view).first.click()
        assert violations(panel) == [], view
    for view in ("Models", "Readiness", "Tasks", "Usage"):
        panel.button("More views").click()
        panel.root.get_by_role("menuitem", name=view).or_(
            panel.root.get_by_role("menuitemradio", name=view)
        ).first.click()
        panel.page.wait_for_timeout(500)
        assert violations(panel) == [], view


def test_a_question_is_answered_with_the_keyboard_alone(open_panel, provider):
    provider.script("keys only", uses(Use("write_file", {"path": "keys.txt", "content": "1"})), says("Typed."))
    panel = open_panel()
    panel.new_chat()
    panel.box.focus()
    panel.page.keyboard.type("keys only")
    panel.page.keyboard.press("Enter")
    expect(panel.button("Allow once")).to_be_visible(timeout=30_000)
    for _ in range(40):
        panel.page.keyboard.press("Shift+Tab")
        if panel.page.evaluate("document.activeElement.textContent") == "Allow once":
            break
    panel.page.keyboard.press("Enter")
    panel.expect_text("Typed.")
    assert (panel.lab.root / "keys.txt").exists()


@pytest.mark.parametrize("place", ["reply", "message", "file name", "tool result", "title"])
def test_case_pi_03_no_script_runs_in_any_place(open_panel, provider, place, lab):
    everything = "\n\n".join(HOSTILE)
    name = "<img src=x onerror=alert(1)>.txt"
    (lab.root / name).write_text(everything)
    key = f"hostile {place}"
    provider.script(
        key, uses(Use("read_file", {"path": name}), Use("list_files", {"path": ""}, index=1)), says(everything, size=7)
    )
    panel = open_panel()
    alerts: list[str] = []
    panel.page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    panel.new_chat()
    panel.ask(
        f"{key}\n\n{everything}"
        if place == "message"
        else f"<img src=x onerror=alert(2)> {key}"
        if place == "title"
        else key
    )
    panel.expect_text("user name: ana")
    for card in panel.log.locator(".linda-Tool-line").all():
        card.click()
    if place == "title":
        panel.button("All chats").click()
    panel.page.wait_for_timeout(500)
    assert alerts == []
    assert panel.root.locator("script, iframe, [onerror], [onload], [onclick], [onmouseover]").count() == 0
    assert panel.root.locator("a[href^='javascript:'], a[href^='data:']").count() == 0


def test_the_panel_speaks_chinese(browser, lab, open_panel):
    panel = open_panel()
    panel.page.evaluate(
        "() => window.jupyterapp.serviceManager.settings.save('jupyter-linda:panel', JSON.stringify({ language: 'zh_CN' }))"
    )
    panel.page.reload()
    panel.page.wait_for_selector(".jp-Launcher", timeout=60_000)
    panel.show()
    expect(panel.root.get_by_role("button", name="对话").first).to_be_visible()
    panel.page.evaluate(
        "() => window.jupyterapp.serviceManager.settings.save('jupyter-linda:panel', JSON.stringify({ language: 'en' }))"
    )


def test_remote_pictures_wait_for_a_click(open_panel, provider):
    provider.script("a picture", says("Look: ![cat](https://pictures.example/cat.png)"))
    panel = open_panel()
    asked: list[str] = []
    panel.page.on("request", lambda request: asked.append(request.url) if "pictures.example" in request.url else None)
    panel.new_chat()
    panel.ask("a picture")
    panel.expect_text("Look:")
    panel.page.wait_for_timeout(500)
    assert asked == []


def test_the_empty_state_offers_three_things_about_the_open_notebook(open_panel, notebook):
    made = nbformat.read(notebook, 4)
    assert made.cells
    panel = open_panel(notebook)
    panel.new_chat()
    suggestions = panel.root.locator(".linda-Empty button")
    expect(suggestions).to_have_count(3)
    assert notebook.name in panel.root.inner_text()
