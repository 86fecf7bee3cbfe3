"""The demo model as a `ports.Model`: calls, answers, questions, small talk."""

import pytest

from jupyter_linda.errors import ProviderFault
from jupyter_linda.gateway import sayings
from jupyter_linda.gateway.local import DemoModel

from .demo_chat import THREE, DemoChat, cells
from .measure import OFFER


def test_lists_notebooks_and_tells_which_are_open():
    chat = DemoChat(notebook=None)
    assert chat.say("what notebooks are there?") == ("list_notebooks", {})
    told = chat.answer({"notebooks": [{"path": "a.ipynb", "is_open": True}, {"path": "b/c.ipynb", "is_open": False}]})
    assert told == "2 notebooks:\n- a.ipynb (open)\n- b/c.ipynb"


def test_answers_in_chinese_when_asked_in_chinese():
    chat = DemoChat(notebook=None)
    assert chat.say("有哪些笔记本？") == ("list_notebooks", {})
    assert chat.answer({"notebooks": [{"path": "a.ipynb", "is_open": False}]}) == "有 1 个笔记本：\n- a.ipynb"


def test_finds_a_notebook_named_without_its_path():
    chat = DemoChat(notebook=None)
    assert chat.say("open the sales notebook") == ("list_notebooks", {})
    listed = {"notebooks": [{"path": "lakes.ipynb", "is_open": True}, {"path": "2024/sales.ipynb", "is_open": False}]}
    assert chat.answer(listed) == ("open_notebook", {"path": "2024/sales.ipynb"})
    assert chat.answer({"path": "2024/sales.ipynb", "opened": True}) == "2024/sales.ipynb is open."


def test_asks_which_notebook_when_two_fit_and_takes_the_answer():
    chat = DemoChat(notebook=None)
    chat.say("open the sales notebook")
    listed = {"notebooks": [{"path": "sales_a.ipynb"}, {"path": "sales_b.ipynb"}, {"path": "lakes.ipynb"}]}
    question = chat.answer(listed)
    assert question == "Which notebook?\n- sales_a.ipynb\n- sales_b.ipynb"
    assert chat.say("sales_b.ipynb") == ("open_notebook", {"path": "sales_b.ipynb"})


def test_says_when_no_browser_can_show_the_notebook():
    chat = DemoChat()
    chat.say("open lakes.ipynb")
    assert "no browser" in chat.answer({"path": "lakes.ipynb", "opened": False})


def test_counts_cells_from_one_and_reads_the_notebook_for_the_id_first():
    chat = DemoChat()
    assert chat.say("show me cell 2") == ("read_notebook", {"path": "lakes.ipynb"})
    assert chat.answer(THREE) == ("read_cell", {"path": "lakes.ipynb", "cell_id": "id1"})
    told = chat.answer({**THREE["cells"][1], "path": "lakes.ipynb", "outputs_text": "7"})
    assert told == "Cell 2 says:\n\n```python\nx = 1\n```\n\nIts output:\n\n```\n7\n```"


def test_runs_the_last_cell_and_tells_the_error():
    chat = DemoChat()
    chat.say("运行最后一个单元格")
    assert chat.answer(THREE) == ("run_cell", {"path": "lakes.ipynb", "cell_id": "id2"})
    told = chat.answer(
        {"cell_id": "id2", "status": "error", "text": "", "error": "ZeroDivisionError: division by zero"}
    )
    assert told == "第 3 个单元格运行出错：\n\n```\nZeroDivisionError: division by zero\n```"


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ({"status": "ok", "text": "42"}, "Cell 2 ran. Its result:\n\n```\n42\n```"),
        ({"status": "ok", "text": ""}, "Cell 2 ran without output."),
        ({"status": "busy", "text": ""}, "Cell 2 did not run: the kernel is busy."),
        ({"status": "kernel_died"}, "Cell 2 killed its kernel: the kernel died while running it."),
        ({"status": "error", "error": {"ename": "KeyError", "evalue": "'a'"}}, "KeyError: 'a'"),
        (
            {"status": "error", "text": "Traceback …\nKeyError: 'a'", "error": {"ename": "KeyError", "evalue": "'a'"}},
            "Cell 2 ended with an error:\n\n```\nKeyError: 'a'\n```",
        ),
        (
            {"status": "error", "text": "before", "error": {"ename": "KeyError", "evalue": "'a'"}},
            "Cell 2 ended with an error:\n\n```\nKeyError: 'a'\n```",
        ),
    ],
)
def test_tells_how_a_run_ended(result, words):
    chat = DemoChat()
    chat.say("run cell 2")
    chat.answer(THREE)
    assert words in chat.answer({"cell_id": "id1", **result})


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ("search the files for needle", "“needle” was not found.\nToo large to be searched: big.csv"),
        ("搜索 needle", "没有找到“needle”。\n太大、没有搜索的文件：big.csv"),
    ],
)
def test_what_was_not_searched_is_told(request_, words):
    chat = DemoChat()
    assert chat.say(request_)[0] == "search_files"
    assert chat.answer({"matches": [], "truncated": False, "passed_over": ["big.csv"]}) == words


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ("run cell 2", "This was not allowed, so I did not do it: The person said no."),
        ("运行第二个单元格", "这一步没有得到允许，所以没有做：您拒绝了。"),
    ],
)
def test_a_no_is_told_in_the_language_of_the_request(request_, words):
    chat = DemoChat()
    chat.say(request_)
    chat.answer(THREE)
    assert chat.answer(problem={"kind": "refused", "message": "The person said no."}) == words


def test_a_text_cell_is_not_run():
    chat = DemoChat()
    chat.say("run the first cell")
    assert chat.answer(THREE) == "Cell 1 is text; there is no code to run."


def test_this_cell_is_the_one_in_the_context():
    assert DemoChat(cell="id7").say("run this cell") == ("run_cell", {"path": "lakes.ipynb", "cell_id": "id7"})


def test_it_is_the_cell_that_was_just_inserted():
    chat = DemoChat()
    chat.say("insert a cell with `x = 1`")
    chat.answer({"path": "lakes.ipynb", "cell_id": "new", "index": 3})
    assert chat.say("run it") == ("run_cell", {"path": "lakes.ipynb", "cell_id": "new"})


def test_asks_which_cell_with_the_choices_and_takes_the_answer():
    chat = DemoChat()
    assert chat.say("run a cell")[0] == "read_notebook"
    question = chat.answer(THREE)
    assert question.startswith("Which cell of lakes.ipynb?")
    assert "2. [code] x = 1" in question
    chat.say("the second")
    assert chat.answer(THREE) == ("run_cell", {"path": "lakes.ipynb", "cell_id": "id1"})


def test_says_that_there_is_no_such_cell():
    chat = DemoChat()
    chat.say("run cell 9")
    assert chat.answer(THREE).startswith("lakes.ipynb has no such cell; it has 3 cells.")
    chat = DemoChat()
    chat.say("run cell 9")
    assert chat.answer(cells(("code", "x = 1"))).startswith("lakes.ipynb has no such cell; it has 1 cell.")


def test_no_leaves_the_question_alone():
    chat = DemoChat()
    chat.say("run a cell")
    chat.answer(THREE)
    assert chat.say("no") == "All right, I leave it."


def test_another_request_instead_of_an_answer_is_taken_as_such():
    chat = DemoChat()
    chat.say("run a cell")
    chat.answer(THREE)
    assert chat.say("list my notebooks") == ("list_notebooks", {})


def test_inserts_at_the_end_and_says_it_was_not_run():
    chat = DemoChat()
    inserted = ("insert_cell", {"path": "lakes.ipynb", "index": -1, "source": "print(1)", "cell_type": "code"})
    assert chat.say("add a cell at the end: print(1)") == inserted
    told = chat.answer({"path": "lakes.ipynb", "cell_id": "new", "index": 3})
    assert told == "Inserted as cell 4 in lakes.ipynb. It has not been run."


def test_inserts_below_the_active_cell():
    chat = DemoChat(cell="id1")
    chat.say("insert a cell with `y = 2`")
    assert chat.answer(THREE)[1]["index"] == 2


def test_inserts_before_a_named_cell():
    chat = DemoChat()
    chat.say("在第二个单元格之前插入一个单元格：y = 2")
    assert chat.answer(THREE)[1] == {"path": "lakes.ipynb", "index": 1, "source": "y = 2", "cell_type": "code"}


def test_inserts_and_then_runs_when_both_are_asked_for():
    chat = DemoChat()
    chat.say("insert a cell with `1 + 1` and run it")
    assert chat.answer({"path": "lakes.ipynb", "cell_id": "new", "index": 3}) == (
        "run_cell",
        {"path": "lakes.ipynb", "cell_id": "new"},
    )
    assert chat.answer({"cell_id": "new", "status": "ok", "text": "2"}) == "Cell 4 ran. Its result:\n\n```\n2\n```"


def test_asks_for_the_code_and_inserts_it_exactly():
    chat = DemoChat()
    assert "?" in chat.say("add a new cell")
    name, arguments = chat.say("```python\nfor i in range(3):\n    print(i)\n```")
    assert (name, arguments["source"]) == ("insert_cell", "for i in range(3):\n    print(i)")


def test_describes_the_only_frame_when_none_is_named():
    chat = DemoChat()
    assert chat.say("describe the data frame") == ("list_variables", {"path": "lakes.ipynb"})
    variables = [{"name": "x", "type": "int", "summary": "1"}, {"name": "lakes", "type": "DataFrame", "summary": "3x2"}]
    asked = chat.answer({"variables": variables})
    assert asked == ("describe_dataframe", {"path": "lakes.ipynb", "name": "lakes"})
    columns = [{"name": "area", "dtype": "float64", "nulls": 1}, {"name": "name", "dtype": "object", "nulls": 0}]
    told = chat.answer({"name": "lakes", "rows": 3, "columns": columns})
    assert told == "`lakes` has 3 rows and 2 columns:\n- area: float64, 1 missing\n- name: object"


def test_tells_one_variable_when_its_value_is_asked():
    chat = DemoChat()
    assert chat.say("what is the value of total")[0] == "list_variables"
    variables = [{"name": "total", "type": "int", "summary": "12"}, {"name": "x", "type": "int", "summary": "1"}]
    assert chat.answer({"variables": variables}) == "`total`: int, 12"


def test_searches_with_the_argument_name_the_tool_has():
    assert DemoChat().say("find TODO in my files") == ("search_files", {"text": "TODO"})
    offer = [{"type": "function", "function": {"name": "search_files", "parameters": {"properties": {"query": {}}}}}]
    chat = DemoChat(tools=offer)
    assert chat.say("find TODO in my files") == ("search_files", {"query": "TODO"})
    found = {"matches": [{"path": "a.py", "line": 3, "text": "# TODO: x"}], "truncated": True}
    told = chat.answer(found)
    assert told == "“TODO”, 1 match:\n- a.py:3: # TODO: x\nThere are more; the list is cut."


def test_reads_a_file():
    chat = DemoChat()
    assert chat.say("read notes.txt") == ("read_file", {"path": "notes.txt"})
    assert chat.answer({"path": "notes.txt", "text": "a ``` b"}) == "notes.txt says:\n\n````\na ``` b\n````"


def test_a_failed_call_is_told_honestly_and_not_tried_again():
    chat = DemoChat()
    chat.say("read notes.txt")
    told = chat.answer(problem={"kind": "NotFound", "message": "There is no notes.txt.", "remedy": "List the files."})
    assert told == "That did not work: There is no notes.txt. List the files."


def test_a_refusal_is_told_honestly():
    chat = DemoChat()
    chat.say("插入一个单元格：x = 1")
    told = chat.answer(problem={"kind": "refused", "message": "用户拒绝了。"})
    assert told == "这一步没有得到允许，所以没有做：用户拒绝了。"


def test_a_result_without_data_counts_as_failed():
    chat = DemoChat()
    chat.say("list my notebooks")
    assert chat.answer(None, text="The server is gone.") == "That did not work: The server is gone."


def test_a_tool_that_is_not_on_offer_is_not_called():
    reads = [tool for tool in OFFER if tool["function"]["name"] != "run_cell"]
    chat = DemoChat(tools=reads)
    chat.say("run cell 2")
    assert "run_cell is not available" in chat.answer(THREE)


@pytest.mark.parametrize(
    "text", ["hello", "thanks!", "write me a function", "delete cell 3", "don't run cell 3", "help"]
)
def test_talk_calls_no_tool(text):
    assert isinstance(DemoChat().say(text), str)


def test_chinese_small_talk_has_fixed_replies():
    assert DemoChat().say("你好") == sayings.talk("greet", "zh")
    assert DemoChat().say("谢谢") == "不客气。"


class FakeTalker:
    def __init__(self, *, fault=None):
        self.fault = fault
        self.heard = []

    async def reply(self, messages, *, max_tokens):
        self.heard.append((messages, max_tokens))
        if self.fault:
            raise self.fault
        for piece in ("Fine", ", thanks."):
            yield piece

    async def quote(self, text, instruction):
        return "blue whale"


def test_english_small_talk_is_the_language_models_and_bounded():
    talker = FakeTalker()
    assert DemoChat(model=DemoModel(talker=talker)).say("how are you doing today?") == "Fine, thanks."
    messages, max_tokens = talker.heard[0]
    assert messages[-1] == {"role": "user", "content": "how are you doing today?"}
    assert max_tokens == 120


def test_without_the_engine_small_talk_says_how_to_get_it():
    fault = ProviderFault("no_model", "xllamacpp is not installed.", remedy="pip install 'jupyter_linda[local]'")
    told = DemoChat(model=DemoModel(talker=FakeTalker(fault=fault))).say("how are you doing today?")
    assert told.endswith("pip install 'jupyter_linda[local]'")


def test_without_weights_small_talk_says_how_to_get_them():
    assert "jupyter linda start" in DemoChat().say("how are you doing today?")


def test_the_language_model_may_quote_what_to_search_for_when_the_rules_find_nothing():
    assert DemoChat(model=DemoModel(talker=FakeTalker())).say("search my files") == (
        "search_files",
        {"text": "blue whale"},
    )
    assert DemoChat().say("search my files") == "Which text shall I look for?"


def test_the_same_prompt_gives_the_same_call():
    assert DemoChat().say("run cell 2") == DemoChat().say("run cell 2")


def test_an_empty_prompt_gets_help():
    assert DemoChat().say("") == sayings.talk("help", "en")
