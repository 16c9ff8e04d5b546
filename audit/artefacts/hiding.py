"""Files with a canary put where a careless writer might put it; the search must find each."""

# Matplotlib leaves its keyword arguments untyped.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import gzip
import json
import pickle
import sqlite3
import struct
import zlib
from base64 import b64encode
from collections.abc import Callable
from contextlib import closing
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import numpy as np

from artefacts.canaries import ONE

TEXT = ONE.mark
NUMBERS: tuple[float, ...] = tuple(ONE.columns()["wait"])
NUMBER = NUMBERS[5]
CODE = float(ONE.columns()["code"][3])


def _drawn(kind: str, *, title: str = "", metadata: dict[str, str] | None = None) -> bytes:
    """Return a picture by Matplotlib, with words in it or beside it."""
    from matplotlib.figure import Figure

    buffer, page = BytesIO(), Figure(figsize=(3, 2))
    page.add_axes((0.1, 0.1, 0.8, 0.7)).plot([1, 2], [3, 4])
    page.text(0.1, 0.9, title, parse_math=False)
    page.savefig(buffer, format=kind, metadata=metadata)
    return buffer.getvalue()


def _with_chunk(name: bytes, content: bytes) -> bytes:
    png = _drawn("png")
    check = zlib.crc32(name + content)
    chunk = struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)
    return png[:33] + chunk + png[33:]


def _in_points() -> bytes:
    from sfumato.render.plane import encode_png

    colours = np.zeros((20, 40, 4), dtype=np.uint8)
    colours.ravel()[: 8 * len(NUMBERS[:50])] = np.frombuffer(
        struct.pack("<50d", *NUMBERS[:50]), dtype=np.uint8
    )
    return encode_png(colours)


def _in_picture_in_svg() -> bytes:
    inside = _with_chunk(b"tEXt", b"Comment\0" + TEXT.encode())
    return b'<svg><image href="data:image/png;base64,' + b64encode(inside) + b'"/></svg>'


def _deleted_row() -> bytes:
    """Return a database with a row that was deleted and whose page was not yet used again."""
    with TemporaryDirectory() as folder:
        place = Path(folder) / "x"
        with closing(sqlite3.connect(place)) as connection:
            connection.execute("PRAGMA secure_delete = OFF")
            connection.execute("CREATE TABLE t (note TEXT)")
            connection.executemany(
                "INSERT INTO t VALUES (?)", [(f"{TEXT}{i}",) for i in range(500)]
            )
            connection.execute("DELETE FROM t")
            connection.commit()
        return place.read_bytes()


def _page(words: str) -> bytes:
    return f"<html><body><p>{words}</p></body></html>".encode()


def _cut(text: str) -> bytes:
    letters = "".join(f"<tspan>{letter}</tspan>" for letter in text)
    return f"<svg><text>{letters}</text></svg>".encode()


PLACES: dict[str, Callable[[], bytes]] = {
    "a comment in an SVG": lambda: b"<svg><!-- " + TEXT.encode() + b" --></svg>",
    "a title of an SVG": lambda: _drawn("svg", metadata={"Title": TEXT}),
    "an SVG, letter by letter": lambda: _cut(TEXT),
    "a picture in an SVG": _in_picture_in_svg,
    "the text of a PNG": lambda: _with_chunk(b"tEXt", b"Comment\0" + TEXT.encode()),
    "the compressed text of a PNG": lambda: _with_chunk(
        b"zTXt", b"Comment\0\0" + zlib.compress(TEXT.encode())
    ),
    "the base64 text of a PNG": lambda: _with_chunk(
        b"iTXt", b"Comment\0\0\0\0\0" + b64encode(TEXT.encode() * 3)
    ),
    "the points of a PNG": _in_points,
    "the end of a PNG": lambda: _drawn("png") + TEXT.encode(),
    "the keywords of a PDF": lambda: _drawn("pdf", metadata={"Keywords": TEXT}),
    "the words of a PDF": lambda: _drawn("pdf", title=ONE.person),
    "a stream of a PDF": lambda: (
        b"%PDF-1.4\nstream\n"
        + zlib.compress(b"BT (note) Tj " + repr(NUMBER).encode())
        + b"\nendstream"
    ),
    "HTML": lambda: _page(TEXT),
    "HTML, as entities": lambda: _page("".join(f"&#{ord(letter)};" for letter in TEXT)),
    "HTML, in capitals": lambda: _page(TEXT.upper()),
    "an address": lambda: _page(f'<a href="?q={quote(TEXT)}">'),
    "JSON": lambda: json.dumps({"note": TEXT}, ensure_ascii=False).encode(),
    "JSON, escaped": lambda: json.dumps({"note": TEXT}).encode(),
    "JSON, as a number": lambda: json.dumps({"mean": NUMBER}).encode(),
    "JSON, as bits in base64": lambda: json.dumps(
        {"data": b64encode(struct.pack("<xd", NUMBER)).decode()}
    ).encode(),
    "JSON, as hexadecimal digits": lambda: json.dumps({"mean": NUMBER.hex()}).encode(),
    "JSON, as bits in digits": lambda: json.dumps(struct.pack(">d", NUMBER).hex()).encode(),
    "CSV, rounded": lambda: "\n".join(f"{number:.7g}" for number in NUMBERS[:60]).encode(),
    "CSV, in UTF-16": lambda: TEXT.encode("utf-16"),
    "CSV, in Latin-1": lambda: ONE.person.encode("latin-1"),
    "a printed table, by thousands": lambda: b"sum " + f"{CODE:,.0f}".encode(),
    "a log, backwards": lambda: b"note " + TEXT[::-1].encode(),
    "a packed log": lambda: gzip.compress(TEXT.encode()),
    "a packed picture in a page": lambda: _page(
        b64encode(zlib.compress(TEXT.encode() * 9)).decode()
    ),
    "a pickle": lambda: pickle.dumps({"cache": NUMBER}),
    "an array of float64": lambda: np.array(NUMBERS[:9]).tobytes(),
    "an array of float64, turned": lambda: np.array(NUMBERS[:9]).astype(">f8").tobytes(),
    "an array of float32": lambda: np.array(NUMBERS[:9]).astype("<f4").tobytes(),
    "an array of int64": lambda: b"abc" + np.array([CODE]).astype(">i8").tobytes(),
    "an archive of arrays": lambda: _archive(note=np.array(NUMBERS[:9])),
    "a deleted row of a database": _deleted_row,
}
"""Where a canary is put, and the file with it."""


def _archive(**arrays: Any) -> bytes:
    buffer = BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def missed() -> list[str]:
    """Return the places where the search does not find what was put there."""
    search = ONE.search
    return [place for place, content in PLACES.items() if not search(content())]
