"""How many names of people an installed spaCy pipeline finds in what data scientists write: recall, precision, speed.

Needs spaCy and a pipeline (`--pipeline`). A name counts as found when none of its letters is left.
"""

from __future__ import annotations

import argparse
import re
import sys
import time

from jupyter_linda.errors import ProviderFault
from jupyter_linda.gateway.redaction_names import NameFinder
from tests.bench.report import Report, main

MARK = re.compile("«(.+?)»")

TEXTS = {
    "prose": """
Please ask «Maria Gonzalez» whether the March export is complete.
«Tom Becker» and «Yuki Tanaka» reviewed the notebook on Friday.
According to Dr. «Amara Okafor», the control group was too small.
I talked to «Priya Raman» about the churn model yesterday.
The ticket was opened by «Lars Holmgren» after the release.
Thanks to «Chen Wei» for the cleaned survey data.
«Fatima Al-Sayed» will present the results in Lyon.
Our contact at the hospital is «Jean-Pierre Moreau».
The data set was collected by «Olga Petrova» in 2021.
Could you send this to «Samuel Adeyemi» before noon?
«Hannah» said that the baseline is wrong.
Ask «Kim Min-jun» for access to the warehouse.
The complaint came from Mrs. «Eleanor Whitfield».
«Rahul Mehta»'s branch has the fix.
We agreed with «Anneke de Vries» to drop the outliers.
«Diego Fernández» left the company in May.
Both «Noor Rahman» and «Ivan Sokolov» signed the consent form.
The patient, «Robert Callahan», was seen twice.
Reply to «Sofia Rossi» that the numbers are final.
My colleague «Thabo Nkosi» wrote the loader.
""",
    "notes and comments": """
# TODO(«Maria»): check the join keys before Monday
# written by «Tom Becker», 2024-03-01
"Survey of employees, contact «Priya Raman», room 4"
## Meeting notes: «Lars Holmgren», «Chen Wei», finance team
- [ ] ask «Amara Okafor» for the raw counts
* «Hannah Stein» (statistics): p-values are not corrected
df = load("q3")  # «Samuel Adeyemi» wants this by region
"Interview with «Olga Petrova» about onboarding"
author: «Yuki Tanaka»
Reviewed-by: «Diego Fernández»
""",
    "rows": """
name: «Eleanor Whitfield», age: 54, city: Leeds
«Rahul Mehta»,41,Pune,premium
«Anneke de Vries»;29;Utrecht;basic
{"customer": "«Noor Rahman»", "total": 129.5}
0    «Ivan Sokolov»    1987    Kazan
1    «Sofia Rossi»    1990    Turin
2    «Thabo Nkosi»    1979    Durban
('«Robert Callahan»', 'cardiology', 3)
""",
    "no names": """
The random forest was better than the gradient boosting model.
Run the Gauss filter, then fit a Poisson regression.
import pandas as pd
df.groupby("region")["amount"].mean().plot.bar()
Berlin, Paris and Lagos have the highest churn.
The Monte Carlo estimate converges after 10,000 draws.
Use the Student t test for the two groups.
Revenue at Acme grew by 12 % in Q3.
for name, group in frame.items(): print(name, len(group))
ValueError: could not convert string to float: 'n/a'
""",
}


def measure(chosen: argparse.Namespace) -> Report:
    """Every line by itself, as cells and messages are."""
    find = NameFinder([chosen.pipeline])
    try:
        find("A first text loads the pipeline.")
    except ProviderFault as fault:
        sys.exit(f"{fault.message} {fault.remedy}")
    report = Report("names")
    letters, spent = 0, 0.0
    for kind, lines in TEXTS.items():
        wanted = found = taken = wrong = 0
        for line in filter(None, lines.split("\n")):
            text = MARK.sub(r"\1", line)
            started = time.perf_counter()
            spans = [(start, end) for _, start, end in find(text)]
            spent += time.perf_counter() - started
            letters += len(text)
            names = _places(line)
            wanted += len(names)
            found += sum(all(any(a <= at < b for a, b in spans) for at in range(*name)) for name in names)
            taken += len(spans)
            wrong += sum(not any(a < end and start < b for start, end in names) for a, b in spans)
        if wanted:
            report.add(f"recall, {kind} ({wanted} names)", found / wanted, "")
        report.add(f"taken for a name and none, {kind} ({taken} found)", wrong, "")
    report.add("speed, on short texts", letters / spent / 1e6, "MB/s")
    return report


def _places(marked: str) -> list[tuple[int, int]]:
    """(start, end) of each name in the text without marks."""
    return [(at.start() - 2 * count, at.end() - 2 * count - 2) for count, at in enumerate(MARK.finditer(marked))]


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pipeline", default="en_core_web_sm", help="the spaCy pipeline to measure")


if __name__ == "__main__":
    raise SystemExit(main(measure, _options))
