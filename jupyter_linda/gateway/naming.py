"""Which notebook or file a person means when they name it loosely."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .masking import Masked

_STOP_BEFORE_NOTEBOOK_TEXT = (
    "this the my a an current open active whole same that entire jupyter your our new other which what any some "
    "every all selected one another first last named called and or of in opened "
)
_STOP_BEFORE_NOTEBOOK = frozenset(_STOP_BEFORE_NOTEBOOK_TEXT.split())


def other_notebook(masked: Masked) -> str | None:
    """A notebook named in passing without its file name ("in the sales notebook", 销售笔记本里的)."""
    english = re.search(
        r"(?:in|of|from|on)\s+(?:the |my |our )?([a-z0-9_-]+(?: [a-z0-9_-]+)?)\s+(?:notebook|nb|ipynb)(?![a-z])",
        masked.text,
    )
    if english:
        words = [word for word in english[1].split() if word not in _STOP_BEFORE_NOTEBOOK]
        return " ".join(words) or None
    chinese = re.search(
        r"(?:^|[在从把将行看读跑出示下])\s*([\u4e00-\u9fffa-z0-9_-]{1,10}?)\s*(?:那个|这个|的|那本)?\s*(?:笔记本"
        r"|notebook)\s*(?:里|中|的|第)",
        masked.text,
    )
    if chinese and not re.fullmatch(
        r"(?:这|往|到|向|给|于|请|帮我|加|写|插|当前|那|我|所有|全部|整|本|个|的|现在|打开|里|看|一)+", chinese[1]
    ):
        return chinese[1]
    return None


_GLOSSARY_TEXT = """
sales 销售|lakes 湖泊 湖|lake 湖泊 湖|weather 天气|penguins 企鹅|report 报告|data 数据|analysis 分析|model 模型
test 测试|demo 演示|orders 订单|customers 客户 顾客|finance 财务|stock 股票|stocks 股票|housing 房价 房屋 住房
iris 鸢尾花|cleaning 清洗|training 训练|budget 预算|tour 导览 教程|tutorial 教程|students 学生
experiment 实验|intro 入门 介绍
"""
_ENTRIES = [entry.split() for entry in re.split(r"[|\n]", _GLOSSARY_TEXT)]
_GLOSSARY = {words[0]: words[1:] for words in _ENTRIES if words}
"""Words of file names and what they are called in Chinese."""
_GENERIC_TEXT = "notebook untitled copy the my ipynb open one data file new version "
_GENERIC = frozenset(_GENERIC_TEXT.split())


def matching_paths(text: str, paths: Sequence[str]) -> list[str]:
    """The paths whose names best fit the words of a request; several on a tie, none when nothing fits."""
    lowered = text.lower()
    scored = [(_fit(lowered, path), path) for path in paths]
    best = max((score for score, _ in scored), default=0.0)
    return [path for score, path in scored if score == best] if best > 0 else []


def _fit(text: str, path: str) -> float:
    name = re.sub(r"\.[a-z]+$", "", path.lower().rsplit("/", 1)[-1])
    if re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", text):
        return 100.0 + len(name)
    said = set(re.findall(r"[a-z0-9]+", text))
    tokens = re.findall(r"[a-z]+|\d+|[\u4e00-\u9fff]+", name)
    return sum(_token_fit(token, said, text) for token in tokens)


def _token_fit(token: str, said: set[str], text: str) -> float:
    if not token.isascii():
        parts = [token[at : at + size] for size in range(len(token), 1, -1) for at in range(len(token) - size + 1)]
        longest = next((part for part in parts if part in text), "")
        english = [word for word, meanings in _GLOSSARY.items() if word in said and any(m in token for m in meanings)]
        return float(len(longest) * 3 or (4 if english else 0))
    if token in _GENERIC:
        return 0.5 if token in said else 0.0
    if token in said:
        return 3.0 + len(token)
    if any(_is_near(token, word) for word in said):
        return 2.0 + len(token) / 2
    return 4.0 if any(meaning in text for meaning in _GLOSSARY.get(token, ())) else 0.0


def _is_near(token: str, word: str) -> bool:
    """Plural or singular, a prefix of at least four letters, or one letter off in a long word."""
    if len(token) < 4 or len(word) < 4 or word in _GENERIC:
        return token.rstrip("s") == word.rstrip("s") and len(token) > 2
    if token.startswith(word) or word.startswith(token) or token.rstrip("s") == word.rstrip("s"):
        return True
    if abs(len(token) - len(word)) > 1 or min(len(token), len(word)) < 5:
        return False
    shared = 0
    while shared < min(len(token), len(word)) and token[shared] == word[shared]:
        shared += 1
    return any(token[shared + a :] == word[shared + b :] for a, b in ((1, 1), (1, 0), (0, 1)))


def folder_name(masked: Masked) -> str:
    """A folder named in a request to list files ("in the data folder"); "" for the root."""
    match = re.search(
        r"(?:in|of|under|inside|from|browse|ls|dir) (?:the |my )?([A-Za-z0-9_./-]+?)/? ?(?:folder|directory"
        r"|dir)(?![a-z])"
        r"|(?:^|\s)(?:ls|dir) ([A-Za-z0-9_./-]+)$"
        r"|what's (?:in|inside) (?:the |my )?([A-Za-z0-9_./-]+) (?:folder|directory)|(?:files"
        r"|csvs) in ([A-Za-z0-9_./-]+)$"
        r"|([A-Za-z0-9_./-]+)\s*(?:文件夹|目录)",
        masked.raw.strip().rstrip("?.!？。"),
        re.IGNORECASE,
    )
    name = next((group for group in match.groups() if group), "") if match else ""
    return "" if name.lower() in _NOT_FOLDERS else name.strip("/")


_NOT_FOLDERS_TEXT = "this the my current working project root same here it all "
_NOT_FOLDERS = frozenset(_NOT_FOLDERS_TEXT.split())
