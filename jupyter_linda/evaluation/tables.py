"""Tasks about data in files: clean, count, merge, compare, describe, also in Chinese."""

from __future__ import annotations

import json
import re

from .checks import (
    changed_files,
    missing_words,
    not_looked,
    tried,
    unwanted_words,
    wrong_numbers,
    wrong_table,
)
from .tasks import LOOKING_ONLY, Left, Task

# ---- clean -----------------------------------------------------------------------------------------

_RAW = """name,age,city
 Ada ,36,London
Grace,45,New York
Ada,36, London
Alan,,Wilmslow
Edsger,72,Nuenen
 Grace,45,New York
Barbara,n/a,Los Angeles
Edsger ,71,Nuenen
"""
_CLEAN = [
    ["name", "age", "city"],
    ["Ada", "36", "London"],
    ["Grace", "45", "New York"],
    ["Edsger", "72", "Nuenen"],
    ["Edsger", "71", "Nuenen"],
]


def check_cleaned(left: Left) -> str:
    """Exactly the rows that should be left; the raw file is as it was."""
    return changed_files(left, "clean.csv") or wrong_table(left, "clean.csv", _CLEAN)


# ---- count, and ask about values ---------------------------------------------------------------------

ROWS = 137


def _orders() -> str:
    """Orders; notes of some hold a line break, so that lines are not rows."""
    rows = []
    for number in range(1, ROWS + 1):
        note = '"call first,\nthen ring"' if number % 31 == 0 else "none"
        rows.append(f"{1000 + number},{number * 7 % 50 + 1},{note}\n")
    return "order,quantity,note\n" + "".join(rows)


def check_counted(left: Left) -> str:
    """The number of rows, after a look."""
    reason = changed_files(left) or tried(left, "write") or not_looked(left, "orders.csv")
    return reason or wrong_numbers(left.last, ROWS)


_CITIES = ("Lyon", "Turin", "Ghent", "Porto")
_AMOUNTS = {"Lyon": 3, "Turin": 11, "Ghent": 7, "Porto": 5}


def _sales() -> tuple[str, str, int]:
    """The table, the best city and its sum: many small sales beat the few large ones that catch the eye."""
    rows, totals = [], dict.fromkeys(_CITIES, 0)
    for number in range(160):
        city = _CITIES[(number * 5 + number // 7) % 4]
        amount = 300 if city == "Porto" and number % 40 == 2 else _AMOUNTS[city] * (number % 9 + 1)
        totals[city] += amount
        rows.append(f"{number + 1},{city},{amount}\n")
    best = max(totals, key=lambda city: totals[city])
    return "sale,city,amount\n" + "".join(rows), best, totals[best]


SALES, BEST_CITY, BEST_TOTAL = _sales()


def check_best_city(left: Left) -> str:
    """That city, that sum, and no other."""
    others = [city for city in _CITIES if city != BEST_CITY]
    reason = changed_files(left) or tried(left, "write") or not_looked(left, "sales.csv")
    reason = reason or missing_words(left.last, BEST_CITY) or unwanted_words(left.last, *others)
    return reason or wrong_numbers(left.last, BEST_TOTAL)


# ---- merge, find duplicates --------------------------------------------------------------------------

_CUSTOMERS = "id,name\n7,Miriam\n3,Olu\n11,Jin\n"
_BOUGHT = "order,customer,amount\n501,3,20.50\n502,11,8.00\n503,7,15.25\n504,3,4.75\n505,99,12.00\n"
_MERGED = [
    ["order", "name", "amount"],
    ["501", "Olu", "20.50"],
    ["502", "Jin", "8.00"],
    ["503", "Miriam", "15.25"],
    ["504", "Olu", "4.75"],
    ["505", "", "12.00"],
]


def check_merged(left: Left) -> str:
    """Every order with its customer's name."""
    return changed_files(left, "merged.csv") or wrong_table(left, "merged.csv", _MERGED)


_CONTACTS = """name,nick
Rosa,redbird
Emil,quietfox
Tove,Redbird
Ines,longroad
Paul,quietfox2
Nils,bluecup
Vera,BLUECUP
Otto,longroads
"""


def check_duplicates(left: Left) -> str:
    """The two nicknames that stand there twice, and no near miss."""
    reason = changed_files(left) or tried(left, "write") or not_looked(left, "contacts.csv")
    reason = reason or missing_words(left.last, "redbird", "bluecup")
    return reason or unwanted_words(left.last, "quietfox", "longroad")


# ---- outliers, a large file's head ---------------------------------------------------------------------


def _readings() -> str:
    rows = []
    for minute in range(60):
        value = {17: 97.5, 44: -40.0}.get(minute, round(20 + (minute * 37 % 11) / 10, 1))
        rows.append(f"07:{minute:02d},{value}\n")
    return "time,celsius\n" + "".join(rows)


def check_outliers(left: Left) -> str:
    """The times of the two outliers with their values, and no others."""
    reason = changed_files(left) or tried(left, "write") or not_looked(left, "readings.csv")
    times = set(re.findall(r"\b07:\d\d\b", left.last))
    if not reason and times != {"07:17", "07:44"}:
        return f"the reply names {', '.join(sorted(times)) or 'no time'} and not 07:17 and 07:44"
    return reason or missing_words(left.last, "97.5", "-40|−40")


_COLUMNS = ("station", "sampled_at", "depth_cm", "nitrate", "quality")
LARGE_ROWS = 6000
MOST_READ_CHARS = 6000


def _measurements() -> str:
    rows = [
        f"S{n % 40:02d};2026-03-{n % 28 + 1:02d};{n % 300};{n % 97 / 10};{'ok' if n % 13 else 'late'}\n"
        for n in range(LARGE_ROWS)
    ]
    return ";".join(_COLUMNS) + "\n" + "".join(rows)


def check_head(left: Left) -> str:
    """The columns in their order and the separator, from little of the file."""
    reason = changed_files(left) or tried(left, "write", "run") or not_looked(left, "measurements.csv")
    places = [left.last.find(name) for name in _COLUMNS]
    if not reason and (-1 in places or places != sorted(places)):
        return "the reply does not give the five columns in their order"
    read = sum(len(str(call.get("result", ""))) for call in left.calls)
    if not reason and read > MOST_READ_CHARS:
        return f"she read {read:,} characters, where {MOST_READ_CHARS:,} are more than enough"
    return reason or missing_words(left.last, "semicolon|;")


# ---- write JSON ----------------------------------------------------------------------------------------

_STOCK = "item,shelf,count\nbolts,A,120\nnuts,B,75\nwashers,A,310\nhinges,C,18\nscrews,B,260\n"
_SUMMARY = {"items": 5, "total": 783, "fullest": "washers"}


def check_summary(left: Left) -> str:
    """Exactly that JSON."""
    if reason := changed_files(left, "summary.json"):
        return reason
    try:
        found = json.loads(left.files.get("summary.json", b""))
    except ValueError:
        return "there is no summary.json that can be read"
    return "" if found == _SUMMARY else f"summary.json holds {json.dumps(found)[:200]}"


# ---- Chinese -------------------------------------------------------------------------------------------

_MONTHS = "月份,销售额\n一月,5120\n二月,4380\n三月,6975\n四月,6790\n"
LEAST_CHINESE = 0.5


def check_chinese(left: Left) -> str:
    """The month and the sum, told in Chinese."""
    said = left.last
    reason = changed_files(left) or tried(left, "write") or not_looked(left, "销售.csv")
    letters = [sign for sign in said if sign.isalpha()]
    chinese = [sign for sign in letters if "\u4e00" <= sign <= "\u9fff"]
    if not reason and len(chinese) <= LEAST_CHINESE * len(letters):
        return "the reply is not in Chinese"
    if not reason and not re.search(r"三月|3\s*月", said):
        return "the reply does not name the month 三月"
    reason = reason or unwanted_words(said, "一月", "二月", "四月")
    return reason or ("" if "6975" in said.replace(",", "").replace("，", "") else "the reply does not give 6975")


TASKS = (
    Task(
        "clean-a-table",
        "Write {folder}/clean.csv from {folder}/raw.csv: blanks around values taken out, rows without an age (empty or "
        "n/a) left out, and of rows that are then the same only the first kept. Same header, same order. Leave raw.csv "
        "as it is, and leave no other file.",
        {"raw.csv": _RAW},
        check_cleaned,
    ),
    Task(
        "count-rows",
        "How many rows of data has {folder}/orders.csv, without the header? Reply with the number only.",
        {"orders.csv": _orders()},
        check_counted,
    ),
    Task(
        "best-city",
        "Which city in {folder}/sales.csv has the highest sum of amounts, and what is that sum? Reply with one short "
        "sentence that names that city and its sum, and no other city or number.",
        {"sales.csv": SALES},
        check_best_city,
    ),
    Task(
        "merge-tables",
        "Write {folder}/merged.csv with the columns order,name,amount: every row of {folder}/orders.csv in its order, "
        "with the customer's name from {folder}/customers.csv, empty where there is none. Leave no other file.",
        {"orders.csv": _BOUGHT, "customers.csv": _CUSTOMERS},
        check_merged,
    ),
    Task(
        "find-duplicates",
        "Which nicknames in {folder}/contacts.csv does more than one person have, capital letters aside? Reply with "
        "those nicknames only.",
        {"contacts.csv": _CONTACTS},
        check_duplicates,
    ),
    Task(
        "describe-outliers",
        "Which readings in {folder}/readings.csv are outliers? Reply with the time and value of each of them, and of "
        "no other reading.",
        {"readings.csv": _readings()},
        check_outliers,
    ),
    Task(
        "use-the-head",
        "{folder}/measurements.csv is large: look at its first lines only. What are its columns, in order, and what "
        "separates them? Run no code.",
        {"measurements.csv": _measurements()},
        check_head,
        policy=LOOKING_ONLY,
    ),
    Task(
        "write-a-summary",
        "Write {folder}/summary.json about {folder}/stock.csv, an object with `items` (how many items there are), "
        "`total` (the sum of their counts) and `fullest` (the item with the highest count). Leave no other file.",
        {"stock.csv": _STOCK},
        check_summary,
    ),
    Task(
        "work-in-chinese",
        "{folder}/销售.csv 里哪个月的销售额最高？是多少？请用中文回答一句话，只说那个月和它的销售额。",
        {"销售.csv": _MONTHS},
        check_chinese,
    ),
)
