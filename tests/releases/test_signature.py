"""Signatures: what is signed, by whom, and that nothing can be changed afterwards."""

from __future__ import annotations

import json
import math
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric import ec, ed448, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

import sfumato as sf
from releases.scored import scored
from releases.test_histogram_release import release as histogram
from sfumato.errors import SfumatoError, SignatureError
from sfumato.privacy.payment import Payment
from sfumato.releases import document, signature
from sfumato.releases.signature import Signature, signed_bytes

SAVED = sorted((Path(__file__).parent / "saved").iterdir())
PAID = (Payment("0f" * 16, 3, "a1" * 32),)


def private_pem(key: Any, password: bytes | None = None) -> bytes:
    lock = form.BestAvailableEncryption(password) if password else form.NoEncryption()
    return key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, lock)


def public_pem(key: Any) -> bytes:
    shown = form.PublicFormat.SubjectPublicKeyInfo
    return key.public_key().public_bytes(form.Encoding.PEM, shown)


KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PRIVATE, PUBLIC = private_pem(KEY), public_pem(KEY)
SIGNED = {
    **{path.stem: sf.load(path).sign(PRIVATE) for path in SAVED},
    "paid": histogram(paid=PAID).sign(PRIVATE),
    "signed within": scored(pca=scored().pca.sign(PRIVATE)).sign(PRIVATE),
}


def refusal(act: Callable[[], object]) -> str:
    """What is said about it, which carries no other error."""
    with pytest.raises(SignatureError) as problem:
        act()
    assert problem.value.__context__ is None and problem.value.__cause__ is None
    return str(problem.value)


@pytest.mark.parametrize("made", SIGNED.values(), ids=SIGNED)
def test_a_signature_survives_saving_and_loading_to_the_byte(made, tmp_path):
    first = made.save(tmp_path / "first.json")
    loaded = sf.load(first)
    assert loaded == made and loaded.signature is not None
    assert loaded.verify(PUBLIC) is loaded
    assert loaded.save(tmp_path / "again.json").read_bytes() == first.read_bytes()


def test_a_release_that_is_not_signed_is_written_as_before(tmp_path):
    for path in SAVED:
        signed = sf.load(path).sign(PRIVATE)
        plain = replace(signed, signature=None).save(tmp_path / "plain.json")
        assert plain.read_bytes() == path.read_bytes()
        with_it = json.loads(signed.save(tmp_path / "signed.json").read_bytes())
        assert with_it.keys() - json.loads(path.read_bytes()).keys() == {"signature"}


def test_components_keep_their_own_signature_and_payment_within_a_score_plot():
    pca = replace(scored().pca, paid=PAID).sign(PRIVATE)
    plot = scored(pca=pca).sign(private_pem(Ed25519PrivateKey.generate()))
    again = document.read(json.loads(json.dumps(plot.to_dict())))
    assert again.pca.paid == PAID
    again.pca.verify(PUBLIC)
    assert "another key" in refusal(lambda: again.verify(PUBLIC))


def believed(content: bytes) -> bool:
    """Tell whether a reader who has the public key would believe a file."""
    try:
        document.read(document.parsed(content)).verify(PUBLIC)
    except SfumatoError:
        return False
    return True


def says(content: bytes) -> Any:
    """What a file says, but for the spaces in it; nothing for what is no JSON."""
    try:
        return repr(json.loads(content))
    except ValueError:
        return None


@pytest.mark.parametrize(("kind", "others"), [("paid", b" 0"), ("scoreplot", b"")])
def test_one_byte_changed_is_refused_unless_it_says_the_same(kind, others, tmp_path):
    made = SIGNED[kind]
    whole = made.save(tmp_path / "signed.json").read_bytes()
    assert believed(whole)
    spaces = 0
    for place, byte in enumerate(whole):
        for other in (byte ^ 1, *others):
            if other == byte:
                continue
            changed = whole[:place] + bytes([other]) + whole[place + 1 :]
            same = says(changed) == says(whole)
            assert believed(changed) == same, (place, changed[max(0, place - 20) : place + 20])
            spaces += same
    if made.indent:
        assert spaces > 50  # an indent is no part of what is said


def leaves(plain: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    inner = plain.items() if isinstance(plain, dict) else enumerate(plain)
    for name, value in inner:
        if isinstance(value, dict | list):
            yield from leaves(value, (*path, name))
        else:
            yield (*path, name), value


def altered(value: Any) -> Any:
    """The value that differs least from this one."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case float():
            return math.nextafter(value, math.inf)
        case str():
            return value + "1"
        case _:
            return 1


def changes(plain: dict[str, Any]) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """The document with each of its values changed as little as can be."""
    for path, value in leaves(plain):
        copy = deepcopy(plain)
        place = copy
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = altered(value)
        yield path, copy


@pytest.mark.parametrize("made", SIGNED.values(), ids=SIGNED)
def test_one_value_changed_as_little_as_can_be_is_refused(made):
    tried = list(changes(made.to_dict()))
    assert len(tried) > 20
    for path, plain in tried:
        assert not believed(json.dumps(plain).encode()), path


def test_a_signature_of_the_guarantee_alone_would_be_noticed(monkeypatch):
    """The twin that leaves out the numbers: the test above sees it."""
    whole = signature.signed_bytes

    def without_values(plain: dict[str, Any]) -> bytes:
        return whole({name: value for name, value in plain.items() if name != "values"})

    monkeypatch.setattr(signature, "signed_bytes", without_values)
    plain = histogram().sign(PRIVATE).to_dict()
    assert believed(json.dumps(plain).encode())
    accepted = {path[0] for path, each in changes(plain) if believed(json.dumps(each).encode())}
    assert accepted == {"values"}


def test_what_is_signed_can_be_worked_out_without_sfumato(tmp_path):
    """As a page of the documentation says it, for readers in any language."""
    path = SIGNED["heatmap"].save(tmp_path / "signed.json")
    plain = json.loads(path.read_text(encoding="utf-8"))
    told = plain.pop("signature")
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(told["key"]))
    key.verify(bytes.fromhex(told["value"]), b"sfumato release 1\n" + text.encode())


FIRST = {
    "boxplot": "3d79584a93de4c01",
    "choropleth": "18c8f7c17592bd0e",
    "distribution": "0454c88ceefd773a",
    "heatmap": "e11b9f3e119a73fe",
    "histogram": "20619093072af4d8",
    "means": "fbdb13b52d8eca0f",
    "pairplot": "3de30a13dfcaba01",
    "pca": "8dff304feed6db01",
    "quantiles": "b451b17254a54516",
    "regional_means": "2aaf411d14a7e3d2",
    "scoreplot": "fd05f90efd4a5fed",
}
"""Of what is signed in each saved file, the beginning of its SHA-256."""


def test_what_is_signed_never_changes():
    """Or what was signed with an earlier version would be refused by this one."""
    digests = {path.stem: signed_bytes(sf.load(path).to_dict()) for path in SAVED}
    assert {kind: sha256(each).hexdigest()[:16] for kind, each in digests.items()} == FIRST


def test_neither_spaces_nor_the_order_of_names_matter():
    plain = SIGNED["histogram"].to_dict()
    turned = dict(reversed(plain.items()))
    assert believed(json.dumps(turned, indent=7, ensure_ascii=True).encode())


def test_a_signature_by_another_key_is_refused_and_so_is_none():
    other = Ed25519PrivateKey.generate()
    signed = histogram().sign(private_pem(other))
    said = refusal(lambda: signed.verify(PUBLIC))
    assert "another key" in said and other.public_key().public_bytes_raw().hex() in said
    # Whoever writes our key beside their signature is not believed either.
    assert signed.signature is not None
    posing = replace(signed.signature, key=KEY.public_key().public_bytes_raw().hex())
    assert "changed" in refusal(lambda: replace(signed, signature=posing).verify(PUBLIC))
    assert "not signed" in refusal(lambda: histogram().verify(PUBLIC))
    signed.sign(PRIVATE).verify(PUBLIC)


def test_a_signature_of_other_words_is_refused():
    """A key that signs other things signs no release by it."""
    text = signed_bytes(histogram().to_dict()).partition(b"\n")[2]
    public = KEY.public_key().public_bytes_raw().hex()
    for message in (text, b"sfumato release 2\n" + text):
        made = histogram(signature=Signature(public, KEY.sign(message).hex()))
        assert "changed" in refusal(lambda made=made: made.verify(PUBLIC))


STRANGERS = {
    "RSA": rsa.generate_private_key(65537, 2048),
    "Ed448": ed448.Ed448PrivateKey.generate(),
    "curve": ec.generate_private_key(ec.SECP256R1()),
}


@pytest.mark.parametrize("stranger", STRANGERS.values(), ids=STRANGERS)
def test_keys_of_other_kinds_are_refused(stranger):
    assert "no Ed25519" in refusal(lambda: histogram().sign(private_pem(stranger)))
    assert "no Ed25519" in refusal(lambda: SIGNED["histogram"].verify(public_pem(stranger)))


@pytest.mark.parametrize("content", [b"", b"pie", PUBLIC[:-40], b"\0" * 99, PRIVATE[:60]])
def test_what_is_no_key_is_refused_and_not_shown(content, tmp_path):
    path = tmp_path / "some key.pem"
    path.write_bytes(content)
    assert "some key.pem' holds no Ed25519" in refusal(lambda: histogram().sign(path))
    assert "some key.pem' holds" in refusal(lambda: SIGNED["histogram"].verify(str(path)))
    assert "The given text holds" in refusal(lambda: histogram().sign(content))


def test_a_file_that_is_no_key_file_is_refused(tmp_path):
    (tmp_path / "large.pem").write_bytes(PUBLIC + b"\n" * 2**16)
    for name in ("nowhere.pem", ".", "large.pem", "a\0b"):
        assert "There is no key" in refusal(lambda name=name: histogram().sign(tmp_path / name))


def test_a_private_key_does_not_verify_and_a_public_one_does_not_sign():
    assert "a private key" in refusal(lambda: SIGNED["histogram"].verify(PRIVATE))
    assert "no Ed25519 private key" in refusal(lambda: histogram().sign(PUBLIC))


def test_a_locked_key_needs_its_password_and_no_message_holds_it(tmp_path):
    place = tmp_path / "key.pem"
    sf.create_key(place, tmp_path / "public.pem", password="Größe 7")
    assert signature.is_locked(place) and not signature.is_locked(PRIVATE)
    histogram().sign(place, password="Größe 7").verify(tmp_path / "public.pem")
    said = [
        refusal(lambda: histogram().sign(place)),
        refusal(lambda: histogram().sign(place, password="größe 7")),
        refusal(lambda: histogram().sign(place, password="")),
        refusal(lambda: histogram().sign(PRIVATE, password="Größe 7")),
        refusal(lambda: sf.create_key(tmp_path / "b", tmp_path / "c", password="")),
    ]
    words = ("is locked", "another password", "another password", "is not locked", "one letter")
    for sentence, word in zip(said, words, strict=True):
        assert word in sentence
        assert "röße" not in sentence and "PRIVATE" not in sentence
    assert not (tmp_path / "b").exists()


def test_a_new_private_key_is_read_by_its_owner_alone_and_no_file_is_written_over(tmp_path):
    private, public = tmp_path / "key.pem", tmp_path / "public.pem"
    sf.create_key(private, str(public))
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    before = private.read_bytes(), public.read_bytes()
    histogram().sign(str(private)).verify(public)
    for pair in ((private, tmp_path / "a"), (tmp_path / "b", public), (tmp_path / "c",) * 2):
        assert "never written over" in refusal(lambda pair=pair: sf.create_key(*pair))
    assert "as new files" in refusal(lambda: sf.create_key(tmp_path / "no" / "a", tmp_path / "d"))
    assert (private.read_bytes(), public.read_bytes()) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["key.pem", "public.pem"]


def test_no_two_pairs_of_keys_are_alike(tmp_path):
    for number in range(2):
        sf.create_key(tmp_path / f"{number}.pem", tmp_path / f"public {number}.pem")
    assert (tmp_path / "0.pem").read_bytes() != (tmp_path / "1.pem").read_bytes()


WRONG = [
    ("signature", None),
    ("signature", {}),
    ("signature", {"key": "a1" * 32}),
    ("signature", {"key": "a1" * 32, "value": "a1" * 63}),
    ("signature", {"key": "A1" * 32, "value": "a1" * 64}),
    ("signature", {"key": "a1" * 32, "value": "a1" * 64, "more": 1}),
    ("paid", None),
    ("paid", []),
    ("paid", {"ledger": "0f" * 16, "number": 3, "seal": "a1" * 32}),
    ("paid", [{"ledger": "0f" * 16, "number": 0, "seal": "a1" * 32}]),
    ("paid", [{"ledger": "0f" * 16, "number": True, "seal": "a1" * 32}]),
    ("paid", [{"ledger": "0f" * 16, "number": 2**63, "seal": "a1" * 32}]),
    ("paid", [{"ledger": "0f" * 16, "number": 3, "seal": "a1" * 31}]),
    ("paid", [{"ledger": "0f" * 16, "number": 3, "seal": None}]),
    ("paid", [{"ledger": "people", "number": 3, "seal": "a1" * 32}]),
    ("paid", [{"number": 3, "seal": "a1" * 32}]),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_payments_and_signatures_are_read_to_the_letter(name, value):
    plain = SIGNED["paid"].to_dict()
    assert document.read(plain) == SIGNED["paid"]
    with pytest.raises(sf.ReleaseError, match="changed by hand"):
        document.read(plain | {name: value})


def test_without_the_package_a_signed_file_is_loaded_and_not_verified(monkeypatch, tmp_path):
    path = SIGNED["histogram"].save(tmp_path / "signed.json")
    monkeypatch.setitem(sys.modules, "cryptography", None)
    release = sf.load(path)
    assert release.records() and release.to_vega()
    for act in (
        lambda: release.verify(PUBLIC),
        lambda: release.sign(PRIVATE),
        lambda: sf.create_key(tmp_path / "a", tmp_path / "b"),
    ):
        assert "pip install cryptography" in refusal(act)


def test_loading_and_drawing_a_signed_file_leave_the_package_alone(tmp_path):
    path = SIGNED["histogram"].save(tmp_path / "signed.json")
    (tmp_path / "public.pem").write_bytes(PUBLIC)
    program = (
        "import sys, sfumato as sf\n"
        f"release = sf.load({str(path)!r}); release.plot(); release.to_html()\n"
        "print('cryptography' in sys.modules)\n"
        f"release.verify({str(tmp_path / 'public.pem')!r})\n"
        "print('cryptography' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]
