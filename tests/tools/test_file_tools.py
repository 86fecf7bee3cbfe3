"""The file tools."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import time
from types import SimpleNamespace

import pytest

from jupyter_linda.errors import KernelUnavailable, LindaError, NotFound, StaleRevision, ToolFailed, ToolRetry
from jupyter_linda.ports import ToolResult, Unknown
from jupyter_linda.tools.file import list_files, read_file, search_files, write_file
from jupyter_linda.tools.file_changes import copy_file, move_file, patch_file
from jupyter_linda.tools.kernel import list_variables
from jupyter_linda.tools.notebook import read_notebook


def test_listing_names_folders_first_and_sizes(root, bench):
    (root / "b").mkdir()
    (root / "a.txt").write_text("xyz")
    result = bench.run(list_files)
    assert result.text == "b/\na.txt  3 bytes"
    assert result.data["files"][1] == {"path": "a.txt", "is_folder": False, "size_bytes": 3}
    assert result.title == "Listed the notebook folder, 2 entries"
    (root / "b" / "one.txt").touch()
    assert bench.run(list_files, path="b").title == "Listed b, 1 entry"


def test_listing_a_long_folder_says_what_is_left_out(root, bench):
    for number in range(510):
        (root / f"{number:03}.txt").touch()
    result = bench.run(list_files)
    assert "(10 more are not shown" in result.text
    assert result.data["truncated"] is True


def test_listing_what_is_not_a_folder_is_told(root, bench):
    (root / "a.txt").touch()
    with pytest.raises(NotFound, match="a file"):
        bench.run(list_files, path="a.txt")
    with pytest.raises(NotFound):
        bench.run(list_files, path="none")


def test_reading_a_range_names_the_next_line_and_the_version(root, bench):
    (root / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 11)))
    result = bench.run(read_file, path="a.txt", start_line=3, max_lines=2)
    assert result.data["text"] == "line 3\nline 4\n"
    assert "lines 3-4 of 10" in result.text
    assert "start_line 5" in result.text
    assert result.title == "Read a.txt, 10 lines"


def test_reading_past_the_end_says_how_long_it_is(root, bench):
    (root / "a.txt").write_text("x\n")
    with pytest.raises(ToolRetry, match="has 1 line;"):
        bench.run(read_file, path="a.txt", start_line=9)


def test_an_empty_file_reads_as_empty(root, bench):
    (root / "a.txt").touch()
    assert bench.run(read_file, path="a.txt").data["text"] == ""


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("\ufeff表".encode("utf-16"), "utf-16"),
        ("\ufeffa表".encode(), "utf-8-sig"),
        ("中文资料，销售额".encode("gb18030"), "gb18030"),
        ("un café à Genève, déjà vu, très bien".encode("cp1252"), "cp1252"),
    ],
)
def test_other_encodings_are_recognised(root, bench, content, encoding):
    (root / "a.txt").write_bytes(content)
    result = bench.run(read_file, path="a.txt")
    assert result.data["encoding"] == encoding
    assert result.data["text"].lstrip("\ufeff") == content.decode(encoding).lstrip("\ufeff")


def test_a_named_encoding_is_used_and_a_wrong_one_is_told(root, bench):
    (root / "a.txt").write_bytes("日本".encode("shift_jis"))
    assert bench.run(read_file, path="a.txt", encoding="shift_jis").data["text"] == "日本"
    with pytest.raises(ToolRetry, match="no encoding"):
        bench.run(read_file, path="a.txt", encoding="latin-x")
    with pytest.raises(ToolRetry, match="not utf-8"):
        bench.run(read_file, path="a.txt", encoding="utf-8")


def test_a_binary_file_is_refused_with_its_kind_and_size(root, bench):
    (root / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0" + bytes(range(256)) * 4)
    with pytest.raises(ToolFailed, match=r"PNG image, 1\.0 kB") as caught:
        bench.run(read_file, path="a.png")
    assert caught.value.kind_of_failure == "binary"


def test_a_new_file_is_created_with_its_folders(root, bench):
    result = bench.run(write_file, path="out/a.md", content="# T\n")
    assert (root / "out/a.md").read_text() == "# T\n"
    assert (result.diffs[0].old, result.diffs[0].new) == ("", "# T\n")
    assert result.data["created"] is True


def test_a_file_is_replaced_only_as_it_was_read(root, bench):
    (root / "a.txt").write_text("one\n")
    with pytest.raises(ToolRetry, match="exists"):
        bench.run(write_file, path="a.txt", content="two\n")
    version = bench.run(read_file, path="a.txt").data["version"]
    (root / "a.txt").write_text("changed by the user\n")
    with pytest.raises(StaleRevision):
        bench.run(write_file, path="a.txt", content="two\n", replaces=version)
    version = bench.run(read_file, path="a.txt").data["version"]
    bench.run(write_file, path="a.txt", content="two\n", replaces=version)
    assert (root / "a.txt").read_text() == "two\n"


def test_line_endings_and_encoding_of_a_replaced_file_are_kept(root, bench):
    (root / "a.txt").write_bytes("\ufeffa\r\nb\r\n".encode())
    version = bench.run(read_file, path="a.txt").data["version"]
    bench.run(write_file, path="a.txt", content="c\nd\n", replaces=version)
    assert (root / "a.txt").read_bytes() == "\ufeffc\r\nd\r\n".encode()


def test_notebooks_are_not_written_as_files(bench):
    with pytest.raises(ToolRetry, match="insert_cell"):
        bench.run(write_file, path="a.ipynb", content="{}")


def test_a_preview_shows_what_would_change(root, bench):
    (root / "a.txt").write_text("one\n")
    preview = bench.preview(write_file, path="a.txt", content="two\n", replaces="x")
    assert preview.sentence == "Change the file a.txt."
    assert (preview.diffs[0].old, preview.diffs[0].new) == ("one\n", "two\n")


def test_after_a_crash_a_write_is_looked_up_by_content(root, bench):
    assert bench.find(write_file, path="a.txt", content="two\n") is None
    (root / "a.txt").write_text("two\n")
    assert isinstance(bench.find(write_file, path="a.txt", content="two\n"), ToolResult)
    version = bench.run(read_file, path="a.txt").data["version"]
    assert bench.find(write_file, path="a.txt", content="three\n", replaces=version) is None
    (root / "a.txt").write_text("by somebody else\n")
    assert isinstance(bench.find(write_file, path="a.txt", content="three\n", replaces=version), Unknown)


def test_searching_finds_lines_in_files_and_cells(root, bench):
    (root / "sub").mkdir()
    (root / "sub/a.py").write_text("x = 1\nTotal = x\n")
    (root / "n.ipynb").write_text('{"cells": [{"id": "c1", "cell_type": "code", "source": ["a\\n", "total = 2"]}]}')
    (root / "bin.dat").write_bytes(b"total\0\0")
    result = bench.run(search_files, query="total")
    assert result.data["matches"] == [
        {"path": "n.ipynb", "line": 2, "text": "total = 2", "cell_id": "c1"},
        {"path": "sub/a.py", "line": 2, "text": "Total = x"},
    ]
    assert result.data["truncated"] is False
    assert bench.run(search_files, query="total", name="*.py", is_case_sensitive=True).data["matches"] == []


def test_searching_takes_the_query_literally_unless_told(root, bench):
    (root / "a.txt").write_text("a.b\naxb\n")
    assert len(bench.run(search_files, query="a.b").data["matches"]) == 1
    assert len(bench.run(search_files, query="a.b", is_regex=True).data["matches"]) == 2


@pytest.mark.parametrize("query", ["(a+)+$", "(a|a)*b", ".*.*.*.*x", r"(a)\1", "("])
def test_a_pattern_that_could_run_away_is_refused(bench, query):
    with pytest.raises(ToolRetry):
        bench.run(search_files, query=query, is_regex=True)


@pytest.mark.parametrize("query", ["-*-*-*x", "-{0,99}" * 8 + "x", "-?" * 60 + "-" * 60 + "x", "(-|-)" * 60 + "x"])
def test_a_pattern_that_runs_long_is_given_up_and_nobody_waits_for_it(root, bench, query, monkeypatch):
    monkeypatch.setattr("jupyter_linda.tools.searching.PATTERN_TIME_S", 0.5)
    (root / "a.txt").write_text(("-" * 1000 + "\n") * 20)
    moments = []

    async def search():
        async def tick():
            while True:
                moments.append(time.monotonic())
                await asyncio.sleep(0.02)

        ticking = asyncio.ensure_future(tick())
        with contextlib.suppress(ToolRetry):  # some of these are found out to match nothing, and quickly
            await bench.call(search_files, query=query, is_regex=True)
        ticking.cancel()

    asyncio.run(search())
    assert moments[-1] - moments[0] < 5
    assert max((after - before for before, after in itertools.pairwise(moments)), default=0.0) < 0.4


def test_a_pattern_that_was_given_up_is_told(root, bench, monkeypatch):
    monkeypatch.setattr("jupyter_linda.tools.searching.PATTERN_TIME_S", 0.3)
    (root / "a.txt").write_text("-" * 1000)
    with pytest.raises(ToolRetry, match="given up"):
        bench.run(search_files, query="(-|-)" * 60 + "x", is_regex=True)


def test_a_search_with_too_many_matches_says_so(root, bench):
    (root / "a.txt").write_text("x\n" * 60)
    result = bench.run(search_files, query="x", max_matches=5)
    assert len(result.data["matches"]) == 5
    assert result.data["truncated"] is True


def test_a_search_goes_on_behind_what_is_too_large_and_names_it(root, bench):
    (root / "a.csv").write_text("x\n" * 1_200_000)
    (root / "b.txt").write_text("x\n")
    cell = {"id": "c1", "cell_type": "code", "source": "x", "outputs": [{"text": "y" * 3_000_000}]}
    (root / "c.ipynb").write_text(json.dumps({"cells": [cell]}))
    result = bench.run(search_files, query="x")
    assert [match["path"] for match in result.data["matches"]] == ["b.txt", "c.ipynb"]
    assert (result.data["truncated"], result.data["passed_over"]) == (False, ["a.csv"])
    assert "a.csv" in result.text
    assert result.title == "Searched for 'x', 2 matches, 1 file too large"
    assert "c.ipynb, cell c1, line 1: x" in result.text
    assert "a.csv" in bench.run(search_files, query="nowhere").text


def test_a_search_skips_foreign_folders(root, bench):
    for folder in ("node_modules", "myvenv", "src"):
        (root / folder).mkdir()
        (root / folder / "a.txt").write_text("x\n")
    (root / "myvenv/pyvenv.cfg").touch()
    assert [m["path"] for m in bench.run(search_files, query="x").data["matches"]] == ["src/a.txt"]


@pytest.fixture
def folder(root):
    (root / "sub").mkdir()
    (root / "sub.ipynb").mkdir()


@pytest.mark.parametrize("path", ["sub", "sub/", "./sub", "", "."])
def test_a_folder_is_no_file_and_that_is_said(root, bench, folder, path):
    words = r"is a folder, not a file|The path is empty"
    for tool, more in (
        (read_file, {}),
        (write_file, {"content": "x"}),
        (write_file, {"content": "x", "replaces": "0" * 16}),
        (patch_file, {"old_text": "a", "new_text": "b"}),
        (copy_file, {"to": "copy"}),
    ):
        with pytest.raises((NotFound, ToolRetry), match=words):
            bench.run(tool, path=path, **more)
    assert sorted(entry.name for entry in root.iterdir()) == ["sub", "sub.ipynb"]


@pytest.mark.parametrize("tool", [read_notebook, list_variables])
def test_a_folder_is_no_notebook_and_that_is_said(bench, folder, tool):
    with pytest.raises((NotFound, KernelUnavailable), match=r"'sub\.ipynb'"):
        bench.run(tool, path="sub.ipynb")
    with pytest.raises(ToolRetry, match="is not a notebook"):
        bench.run(tool, path="sub")


@pytest.mark.parametrize("path", ["a.txt/b.txt", "a.txt/b/c.txt"])
def test_a_file_in_place_of_a_folder_is_told(root, bench, path):
    (root / "a.txt").write_text("x")
    for tool, more in (
        (read_file, {}),
        (write_file, {"content": "x"}),
        (list_files, {}),
        (search_files, {"query": "x"}),
    ):
        with pytest.raises(LindaError, match=r"'a\.txt/b") as caught:
            bench.run(tool, path=path, **more)
        assert str(root) not in caught.value.message
        assert "Errno" not in caught.value.message


@pytest.mark.parametrize(
    "encoding", ["latin-x", "utf_8_nope", "", "rot13", "hex", "base64", "zlib", "idna\0", "x" * 40]
)
def test_an_encoding_that_is_none_is_told_with_some_that_are(root, bench, encoding):
    (root / "a.txt").write_bytes("日本".encode("shift_jis"))
    if not encoding:
        assert bench.run(read_file, path="a.txt", encoding=encoding).data["encoding"]
        return
    with pytest.raises(ToolRetry, match="Try utf-8, gb18030") as caught:
        bench.run(read_file, path="a.txt", encoding=encoding)
    assert len(caught.value.message) < 300


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "utf-16", "utf-32", "utf-7", "punycode", "idna", "gb18030",
                                      "unicode_escape", "raw_unicode_escape", "utf-8-sig", "cp1252", "undefined"])  # fmt: skip
@pytest.mark.parametrize(
    "content", [b"\xff\xfe\xfd", b"\x81\x8d\x90", b"\\x", b"a" * 7 + b"\xe4", b"+\xff-", b"\\ud800"]
)
def test_bytes_that_are_not_in_the_named_encoding_are_told(root, bench, encoding, content):
    (root / "a.txt").write_bytes(content)
    said = []
    try:
        text = bench.run(read_file, path="a.txt", encoding=encoding).text
    except ToolRetry as error:
        said, text = [error.message], ""
    assert all(encoding in message and "codec" not in message for message in said)
    text.encode()  # nothing that cannot be stored


def test_a_very_long_name_of_an_encoding_is_refused_by_its_length(root, bench):
    with pytest.raises(ToolRetry, match="at most 40 characters"):
        bench.run(read_file, path="a.txt", encoding="x" * 5000)


@pytest.mark.parametrize("query", ["(?R)", "(?0)", "(a)(?1)", "(?<n>a)(?&n)", "(?P<n>a)(?P>n)", "a{1000000}{1000000}"])
def test_patterns_that_call_themselves_or_repeat_too_often_are_refused_before_they_are_compiled(root, bench, query):
    (root / "a.txt").write_text("aaa")
    with pytest.raises(ToolRetry, match="all memory"):
        bench.run(search_files, query=query, is_regex=True)
    assert bench.run(search_files, query="a{2,3}", is_regex=True).data["matches"]


def test_a_name_that_no_file_system_takes_is_refused_in_words(root, bench):
    (root / "m.txt").write_text("x")
    with pytest.raises(ToolRetry, match="shorter"):
        bench.run(write_file, path="x" * 300 + ".txt", content="a")
    with pytest.raises(ToolRetry, match="shorter"):
        bench.run(move_file, path="m.txt", to="名" * 100)
    assert bench.journal.entries == {}


@pytest.mark.parametrize("text", ['{"path": "a.txt", "max_lines": %s}' % ("9" * 5000), "[" * 100_000])
def test_arguments_beyond_all_measure_are_refused_in_words_of_ours(text):
    with pytest.raises(ToolRetry, match="hold a number too long, or are nested too deeply") as refused:
        read_file.parse(text)
    assert "set_int_max_str_digits" not in refused.value.message


def test_a_file_that_would_have_to_be_waited_for_is_said_and_left_out_of_a_search(root, bench, monkeypatch):
    (root / "log").write_text("found")

    @contextlib.contextmanager
    def nothing_yet(_real, **_options):
        yield SimpleNamespace(read=lambda _size: None)

    monkeypatch.setattr("jupyter_linda.tools.file.open_checked", nothing_yet)
    with pytest.raises(ToolFailed, match="gives nothing to read now"):
        bench.run(read_file, path="log")
    assert bench.run(search_files, query="found").data["matches"] == []
