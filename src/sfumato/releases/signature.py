"""`Signature`: who published a release, with an Ed25519 key in a PEM file.

Keys are read, made and used here and nowhere else, by the package cryptography, which is loaded
when it is first needed: files are loaded and drawn without it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import SignatureError, Worded, typed

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

Key = str | os.PathLike[str] | bytes
"""A PEM file by its path, or what is in one as bytes."""

# A key that signs other things too must not be led to sign a release among them.
_CONTEXT = b"sfumato release 1\n"
_LARGEST = 2**16  # bytes; the longest key there is has a few hundred


@dataclass(frozen=True)
class Signature:
    """An Ed25519 signature, and the public key it was made with, both in hexadecimal digits.

    Examples
    --------
    >>> Signature(key="9b41", value="5f0c").key
    '9b41'
    """

    key: str
    value: str


def signed_bytes(document: Mapping[str, Any]) -> bytes:
    r"""Return what is signed: all that a document says, but for its signature.

    It depends on what the document says alone, and neither on the order of its names nor on white
    space.

    Examples
    --------
    >>> signed_bytes({"version": 1, "label": "Größe", "signature": None}).decode()
    'sfumato release 1\n{"label":"Größe","version":1}'
    """
    said = {name: value for name, value in document.items() if name != "signature"}
    text = json.dumps(
        said, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return _CONTEXT + text.encode()


def sign(document: Mapping[str, Any], key: Key, password: str | None = None) -> Signature:
    """Sign a document with a private key."""
    private = _private_key(key, password)
    public = private.public_key().public_bytes_raw().hex()
    return Signature(public, private.sign(signed_bytes(document)).hex())


def verify(document: Mapping[str, Any], signature: Signature | None, key: Key) -> None:
    """Refuse a document unless the holder of `key` signed just this."""
    public = read_public_key(key)
    if signature is None:
        raise SignatureError(
            "This release is not signed.",
            "Anybody could have written it.",
            "Ask whoever published it for a signed file.",
        )
    if public.public_bytes_raw().hex() != signature.key:
        raise SignatureError(
            f"This release was signed with another key: {signature.key}.",
            "Whoever holds that one vouches for it, and not the holder of yours.",
            "Get the public key of the publisher from the publisher.",
        )
    if not _fits(public, signature, document):
        raise SignatureError(
            "This release was changed after it was signed, or its signature was.",
            "Its numbers and its guarantee are not those that the holder of the key published.",
            "Get the file again from its publisher.",
        )


def create_key(
    private: str | os.PathLike[str],
    public: str | os.PathLike[str],
    *,
    password: str | None = None,
) -> None:
    """Make a pair of keys: one to sign releases with, and one to hand out.

    Parameters
    ----------
    private
        A new file for the private key, which only you can read. Whoever has it can sign in your
        name.
    public
        A new file for the public key, which everybody may have.
    password
        What to lock the private key with.

    Examples
    --------
    >>> import sfumato as sf
    >>> from tempfile import TemporaryDirectory
    >>> people = sf.testing.city(people=500)
    >>> ages = sf.histplot(people, x="age", bounds=(0, 100), budget=1.0)
    >>> with TemporaryDirectory() as folder:
    ...     sf.create_key(f"{folder}/key.pem", f"{folder}/public.pem")
    ...     file = ages.sign(f"{folder}/key.pem").save(f"{folder}/ages.json")
    ...     sf.load(file).verify(f"{folder}/public.pem").label
    'histogram of age'
    """
    _require_cryptography()
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    if password == "":
        raise SignatureError(
            "A password has at least one letter.",
            "A key locked with nothing looks safe and is not.",
            "Give one, or leave it out.",
        )
    key, pem = Ed25519PrivateKey.generate(), form.Encoding.PEM
    lock = form.BestAvailableEncryption(password.encode()) if password else form.NoEncryption()
    secret = key.private_bytes(pem, form.PrivateFormat.PKCS8, lock)
    shown = key.public_key().public_bytes(pem, form.PublicFormat.SubjectPublicKeyInfo)
    _write_new((Path(private), secret, 0o600), (Path(public), shown, 0o644))


def _write_new(*files: tuple[Path, bytes, int]) -> None:
    """Write new files with these rights, all or none, and never over another."""
    made: list[Path] = []
    try:
        for path, content, mode in files:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            made.append(path)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
    except OSError:
        for path in made:
            with suppress(OSError):
                path.unlink()
    else:
        return
    raise SignatureError(
        f"Cannot write {' and '.join(repr(str(path)) for path, _, _ in files)} as new files.",
        "A key that is there already is never written over: what it signed could no longer be "
        "told from what others did.",
        "Name two files that do not exist yet, in a folder that you may write to.",
    )


def _fits(public: Ed25519PublicKey, signature: Signature, document: Mapping[str, Any]) -> bool:
    from cryptography.exceptions import InvalidSignature

    try:
        public.verify(bytes.fromhex(signature.value), signed_bytes(document))
    except InvalidSignature:
        return False
    return True


def is_locked(key: Key) -> bool:
    """Tell whether a private key needs a password."""
    return b"-----BEGIN ENCRYPTED PRIVATE KEY-----" in _content(key)


def _private_key(key: Key, password: str | None) -> Ed25519PrivateKey:
    _require_cryptography()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    content, locked = _content(key), is_locked(key)
    if locked != (password is not None):
        raise _password_needed(key) if locked else _password_idle(key)
    secret = password.encode() if password else None
    with suppress(ValueError, TypeError, UnsupportedAlgorithm):
        found = load_pem_private_key(content, secret)
        if isinstance(found, Ed25519PrivateKey):
            return found
    raise SignatureError(
        f"{_name(key)} holds no Ed25519 private key in PEM"
        f"{', or is locked with another password' if locked else ''}.",
        "Releases are signed with keys of that kind alone, so that readers need no choice.",
        ("Make one: ", _MAKE, "."),
    )


def read_public_key(key: Key) -> Ed25519PublicKey:
    """Return the public key in a PEM file."""
    _require_cryptography()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    content = _content(key)
    with suppress(ValueError, UnsupportedAlgorithm):
        found = load_pem_public_key(content)
        if isinstance(found, Ed25519PublicKey):
            return found
    if b"PRIVATE KEY-----" in content:
        raise SignatureError(
            f"{_name(key)} holds a private key.",
            "It signs releases; the public key, which verifies them, is all that readers need.",
            "Name the file of the public key.",
        )
    raise SignatureError(
        f"{_name(key)} holds no Ed25519 public key in PEM.",
        "Releases are signed with keys of that kind alone, so that readers need no choice.",
        "Ask whoever published the release for the public key.",
    )


_MAKE = Worded(
    "sf.create_key('key.pem', 'public.pem')", in_shell="sfumato key create key.pem public.pem"
)


def _content(key: Key) -> bytes:
    if isinstance(key, bytes):
        return key
    path = Path(key)
    with suppress(OSError, ValueError):
        if path.is_file() and path.stat().st_size <= _LARGEST:
            return path.read_bytes()
    raise SignatureError(
        f"There is no key at {str(path)!r}.",
        "Nothing can be signed or verified without one.",
        ("Check the path, or make a pair: ", _MAKE, "."),
    )


def _name(key: Key) -> str:
    """Name a key by its file; what is in one is never shown."""
    return "The given text" if isinstance(key, bytes) else repr(str(Path(key)))


def _password_needed(key: Key) -> SignatureError:
    file = "key.pem" if isinstance(key, bytes) else str(Path(key))
    return SignatureError(
        f"{_name(key)} is locked with a password.",
        "Without it nobody can sign in your name, not even you.",
        (
            "Write ",
            Worded(
                f"release.sign({file!r}, password=…)",
                in_shell=f"sfumato sign … --key {typed(file)} on a terminal, or send the password "
                "on standard input",
            ),
            ".",
        ),
    )


def _password_idle(key: Key) -> SignatureError:
    return SignatureError(
        f"{_name(key)} is not locked with a password.",
        "Whoever reads the file can sign in your name, whatever password you type.",
        ("Leave it out, or make a key that is locked: ", _MAKE, "."),
    )


def _require_cryptography() -> None:
    try:
        import cryptography  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except ImportError:
        pass
    else:
        return
    raise SignatureError(
        "Signatures need the package cryptography, which is not installed.",
        "Releases are loaded and drawn without it, but signatures cannot be verified.",
        "Install it: pip install cryptography (the extra 'sign' of sfumato).",
    )
