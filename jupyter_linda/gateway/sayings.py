"""What the demo model says on its own: the banner, fixed small talk, questions, refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .conversation import Language

BANNER: dict[Language, str] = {
    "en": (
        "Demo model: it runs on this machine, needs no key, and is small. It understands short requests: list, "
        "open and "
        "read notebooks, read, insert (your code) and run a cell, list variables, describe a data frame, list, "
        "read and "
        "search files. It cannot write, explain or repair code, and its small talk is often wrong. For more, choose a "
        "larger model in the settings."
    ),
    "zh": (
        "演示模型：在本机运行，不需要密钥，很小。它懂简短的请求：列出、打开、阅读笔记本，读取、"
        "插入（代码由你给）和运行单元格，"
        "列出变量，描述数据框，列出、阅读和搜索文件。它不会写代码、解释代码或修代码；中文闲聊是固定的回答。"
        "需要更多能力，请在设置里选择更大的模型。"
    ),
}
"""Shown above a chat whose model is the demo model."""

WHAT_IT_DOES: dict[Language, dict[str, str]] = {
    "en": {
        "list_notebooks": "list the notebooks",
        "open_notebook": "open a notebook",
        "read_notebook": "read a notebook",
        "read_cell": "read a cell",
        "insert_cell": "insert a cell",
        "run_cell": "run a cell",
        "list_variables": "list the variables",
        "describe_dataframe": "describe a data frame",
        "search_files": "find text in files",
        "list_files": "list the files",
        "read_file": "read a file",
    },
    "zh": {
        "list_notebooks": "列出笔记本",
        "open_notebook": "打开笔记本",
        "read_notebook": "阅读笔记本",
        "read_cell": "读取单元格",
        "insert_cell": "插入单元格",
        "run_cell": "运行单元格",
        "list_variables": "列出变量",
        "describe_dataframe": "描述数据框",
        "search_files": "在文件里查找文字",
        "list_files": "列出文件",
        "read_file": "读取文件",
    },
}

_TALK: dict[Language, dict[str, str]] = {
    "en": {
        "greet": "Hello! I am Linda's demo model. I can list, open and read notebooks, insert and run cells, "
        "list variables, "
        "describe data frames and search files. What would you like?",
        "thanks": "You're welcome.",
        "bye": "Goodbye!",
        "help": "I am the small demo model. You can say, for example:\n"
        "- list my notebooks · open lakes.ipynb · what's in this notebook\n"
        "- show me cell 3 · insert a cell with `x = 1` · run the last cell\n"
        "- which variables are there · describe df\n"
        "- list the files · read notes.txt · find TODO in my files\n\n"
        "I cannot write, explain or repair code. A larger model can: choose one in the settings.",
        "cannot": "The demo model cannot do that: it only lists, opens and reads notebooks and files, inserts "
        "code you give, runs "
        "one cell at a time, lists variables and describes data frames. Nothing was changed. For more, choose a "
        "larger model "
        "in the settings.",
        "howto": "The demo model has no good answer to questions like this. Say “help” to see what it can do; "
        "for explanations, "
        "choose a larger model in the settings.",
        "chat": "I can only make small talk when the demo model's weights are installed: run `jupyter linda "
        "start` to fetch "
        "them (93 MB). Notebook requests work without; say “help” to see them.",
    },
    "zh": {
        "greet": "你好！我是 Linda 的演示模型。我可以列出、打开、阅读笔记本，插入和运行单元格，列出变量，"
        "描述数据框，搜索文件。需要我做什么？",
        "thanks": "不客气。",
        "bye": "再见！",
        "help": "我是小小的演示模型。你可以这样说：\n"
        "- 列出笔记本 · 打开 lakes.ipynb · 这个笔记本里有什么\n"
        "- 看看第三个单元格 · 插入一个单元格，内容是 `x = 1` · 运行最后一个单元格\n"
        "- 有哪些变量 · 描述 df\n"
        "- 列出文件 · 读 notes.txt · 在文件里找 TODO\n\n"
        "我不会写代码、解释代码或修代码；更大的模型可以，请在设置里选择。",
        "cannot": "演示模型做不到这件事：它只会列出、打开、阅读笔记本和文件，插入你给的代码，"
        "一次运行一个单元格，列出变量，描述数据框。"
        "什么都没有改动。需要更多能力，请在设置里选择更大的模型。",
        "howto": "演示模型答不好这类问题。说“帮助”可以看它会做什么；需要讲解，请在设置里选择更大的模型。",
        "chat": "我是演示模型，中文闲聊只有固定的回答。说“帮助”可以看我会做什么。",
    },
}

LLM_NOTE = "\n\n_(Small demo model: do not rely on this answer.)_"


def talk(kind: str, language: Language) -> str:
    """The fixed reply to one kind of talk."""
    return _TALK[language].get(kind, _TALK[language]["chat"])


def which_intent(choices: Sequence[str], language: Language) -> str:
    """The question when it is not clear what is wanted."""
    names = [WHAT_IT_DOES[language][choice] for choice in choices]
    if language == "zh":
        return f"我不太确定你的意思。你是想让我{'，还是'.join(names)}？请换个说法，或说“帮助”。"
    return f"I am not sure what you mean. Shall I {', or '.join(names)}? Please say it another way, or say “help”."


_QUESTIONS: dict[Language, dict[str, str]] = {
    "en": {
        "notebook": "Which notebook?",
        "cell": "Which cell of {path}?",
        "no_cell": "{path} has no such cell; it has {cells}. Which one do you mean?",
        "source": "What code should be in the new cell? Give it in backticks or after a colon; I cannot write "
        "code myself.",
        "frame": "Which data frame?",
        "text": "Which text shall I look for?",
        "file": "Which file?",
    },
    "zh": {
        "notebook": "哪个笔记本？",
        "cell": "{path} 的哪个单元格？",
        "no_cell": "{path} 里没有这个单元格，它有 {count} 个单元格。你指的是哪一个？",
        "source": "新单元格里放什么代码？请用反引号括起来，或写在冒号后面；我自己不会写代码。",
        "frame": "哪个数据框？",
        "text": "要找什么文字？",
        "file": "哪个文件？",
    },
}


def question(kind: str, language: Language, *, choices: Sequence[str] = (), path: str = "", count: int = 0) -> str:
    """A question for a missing argument, with the choices there are (at most 20 shown)."""
    cells = "1 cell" if count == 1 else f"{count} cells"
    text = _QUESTIONS[language][kind].format(path=path, count=count, cells=cells)
    lines = [f"- {choice}" for choice in choices[:20]]
    if len(choices) > 20:
        lines.append("- …")
    return "\n".join([text, *lines])
