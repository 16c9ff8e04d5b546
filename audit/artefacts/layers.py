"""What lies inside a file: its bytes, and whatever they unpack, decode or spell out to."""

from __future__ import annotations

import binascii
import gzip
import html
import io
import re
import struct
import zipfile
import zlib
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import unquote_to_bytes

DEEPEST = 4
"""How many wrappings are taken off, one inside the other."""

_LARGEST = 2**26
_ZLIB = re.compile(rb"[\x08\x18\x28\x38\x48\x58\x68\x78]")
_GZIP = b"\x1f\x8b\x08"
_PNG = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_ENTITY = re.compile(rb"&(?:#\d+|#[xX][0-9a-fA-F]+|[a-zA-Z]\w+);")
_PAIR = re.compile(rb"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_ESCAPE = re.compile(rb"\\(?:u\{?([0-9a-fA-F]{4,6})\}?|x([0-9a-fA-F]{2})|([0-7]{3}))")
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{12,}")
_HEX = re.compile(rb"(?:[0-9a-fA-F]{2}\s?){6,}")
_LETTERS = bytes([9, 10, 13, *range(32, 127)])
_STREAM = re.compile(rb"stream\r?\n.*?endstream", re.DOTALL)
_LITERAL = re.compile(rb"\(((?:[^()\\]|\\.)*)\)", re.DOTALL)
_MARKUP = re.compile(rb"<[^<>]*>")
_GROUPED = re.compile(rb"(?<=\d)(?:[,'_ ]|\xc2\xa0|\xe2\x80\xaf|\xe2\x80\x89)(?=\d{3}(?!\d))")


@dataclass(frozen=True)
class Layer:
    """Bytes, and how they were come by: ``("png", "zlib")``; empty for the file itself."""

    path: tuple[str, ...]
    content: bytes


def layers(content: bytes) -> Iterator[Layer]:
    """Yield a file's bytes and, each once, all that is wrapped in them."""
    seen: set[bytes] = set()
    waiting = [Layer((), content)]
    while waiting:
        layer = waiting.pop()
        mark = sha256(layer.content).digest()
        if layer.content and mark not in seen:
            seen.add(mark)
            yield layer
            waiting += _inner(layer)


def _inner(layer: Layer) -> Iterator[Layer]:
    if len(layer.path) == DEEPEST or layer.path[-1:] in (("points",), ("thousands",)):
        return
    spelled = _SPELLINGS if _is_text(layer.content) else {}
    for name, unwrap in {**_CONTAINERS, **spelled}.items():
        # What is taken off twice was taken off already, or is chance.
        if name not in layer.path:
            yield from (Layer((*layer.path, name), inner) for inner in unwrap(layer.content))


def _is_text(content: bytes) -> bool:
    """Tell whether most of it is letters, in one-byte or in longer codes."""
    sample = content[:4096]
    return 10 * len(sample.translate(None, _LETTERS)) <= 4 * len(sample)


def _inflated(content: bytes) -> Iterator[bytes]:
    for start in _ZLIB.finditer(content):
        place = start.start()
        if int.from_bytes(content[place : place + 2]) % 31 == 0:
            with suppress(zlib.error):
                # Most of what looks like a beginning is none, which a few bytes tell.
                if len(zlib.decompressobj().decompress(content[place : place + 200])) >= 8:
                    yield zlib.decompressobj().decompress(content[place:], _LARGEST)


def _gunzipped(content: bytes) -> Iterator[bytes]:
    for found in re.finditer(re.escape(_GZIP), content):
        with suppress(OSError, EOFError, zlib.error):
            yield gzip.GzipFile(fileobj=io.BytesIO(content[found.start() :])).read1(_LARGEST)


def _members(content: bytes) -> Iterator[bytes]:
    if content.startswith(b"PK\x03\x04"):
        with suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(content)) as archive:
            for name in archive.namelist():
                yield name.encode() + b"\n" + archive.read(name)


def _chunks(content: bytes) -> Iterator[bytes]:
    """Yield what a PNG says beside its picture, and what its data hold behind the last row."""
    if not content.startswith(_PNG):
        return
    place, data, words = len(_PNG), b"", b""
    while place + 8 <= len(content):
        length, name = int.from_bytes(content[place : place + 4]), content[place + 4 : place + 8]
        chunk = content[place + 8 : place + 8 + length]
        place += 12 + length
        if name == b"IDAT":
            data += chunk
        else:
            words += chunk + b"\n"
    yield words
    with suppress(zlib.error, struct.error):
        wide, high, depth, colour = struct.unpack(">IIBB", words[:10])
        stride = (wide * depth * _CHANNELS.get(colour, 4) + 7) // 8
        yield zlib.decompress(data)[high * (1 + stride) :]


def _points(content: bytes) -> Iterator[bytes]:
    """Yield the colours of a picture's points."""
    if content.startswith(_PNG):
        from PIL import Image

        with suppress(OSError, SyntaxError):
            yield Image.open(io.BytesIO(content)).tobytes()


def _decoded(content: bytes) -> Iterator[bytes]:
    """Yield what every run of base64 decodes to, wherever in it the first letter stands."""
    runs = [run.translate(bytes.maketrans(b"-_", b"+/")) for run in _BASE64.findall(content)]
    for start in range(4 if runs else 0):
        cut = (run[start:] for run in runs)
        yield b"\n".join(b64decode(run[: len(run) // 4 * 4]) for run in cut)


def _from_hex(content: bytes) -> Iterator[bytes]:
    runs = [b"".join(run.split()) for run in _HEX.findall(content)]
    for start in range(2 if runs else 0):
        cut = (run[start:] for run in runs)
        yield b"\n".join(binascii.unhexlify(run[: len(run) // 2 * 2]) for run in cut)


def _unquoted(content: bytes) -> Iterator[bytes]:
    if b"%" in content:
        yield unquote_to_bytes(content)


def _unescaped(content: bytes) -> Iterator[bytes]:
    r"""Yield text with ``\u1234``, ``\x12``, ``\123`` and ``&#12;`` in plain letters."""
    if _ESCAPE.search(content):
        yield _ESCAPE.sub(_letter, _PAIR.sub(_joined, content))
    if _ENTITY.search(content):
        yield html.unescape(content.decode("utf-8", "replace")).encode("utf-8", "replace")


def _joined(pair: re.Match[bytes]) -> bytes:
    """Return the letter beyond 16 bits that two escapes spell together."""
    return binascii.unhexlify(pair[1] + pair[2]).decode("utf-16-be").encode()


def _letter(escape: re.Match[bytes]) -> bytes:
    long, short, octal = escape.groups()
    code = int(long or short, 16) if long or short else int(octal, 8) & 0xFF
    return chr(code).encode("utf-8", "replace") if code <= 0x10FFFF else b"?"


def _between_streams(content: bytes) -> Iterator[bytes]:
    """Yield what a PDF says outside its streams: names, dates, titles."""
    if content.startswith(b"%PDF"):
        yield _STREAM.sub(b"", content)


def _letters(content: bytes) -> Iterator[bytes]:
    """Yield the letters of a PDF's strings, which are cut where they are kerned."""
    if b" Tf" in content or b"%PDF" in content:
        yield b"".join(_LITERAL.findall(content))
        yield b"\n".join(_LITERAL.findall(content))


def _plain(content: bytes) -> Iterator[bytes]:
    """Yield the text between tags, which may be cut by them."""
    if content.lstrip().startswith(b"<"):
        yield _MARKUP.sub(b"", content)


def _ungrouped(content: bytes) -> Iterator[bytes]:
    """Yield numbers without what divides their thousands."""
    if _GROUPED.search(content):
        yield _GROUPED.sub(b"", content)


_CONTAINERS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "zlib": _inflated,
    "gzip": _gunzipped,
    "zip": _members,
    "png": _chunks,
    "points": _points,
    "pdf": _between_streams,
}
_SPELLINGS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "base64": _decoded,
    "hex": _from_hex,
    "url": _unquoted,
    "escapes": _unescaped,
    "strings": _letters,
    "tags": _plain,
    "thousands": _ungrouped,
}
