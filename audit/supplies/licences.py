"""Under which licences the packages stand that sfumato is installed with."""

from __future__ import annotations

import re
from importlib.metadata import PackageMetadata, PackageNotFoundError, metadata

PERMITTED = frozenset(
    {
        *("0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC"),
        *("MIT", "MIT-CMU", "MPL-2.0", "PSF", "PSF-2.0", "Zlib"),
    }
)
"""Licences that ask of a user of the library nothing but to be kept with it."""

UNKNOWN = "not installed here"

_SHORT = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF",
}


def licence_of(package: str) -> str:
    """Return the licence a package states: an expression, a classifier, or a short text."""
    try:
        return stated(metadata(package))
    except PackageNotFoundError:
        return UNKNOWN


def stated(facts: PackageMetadata) -> str:
    """Return what the metadata of a package say of its licence, in the words of SPDX."""
    if "License-Expression" in facts:
        return facts["License-Expression"]
    classifiers: list[str] = facts.get_all("Classifier") or []
    named = [line.split(" :: ")[-1] for line in classifiers if line.startswith("License :: ")]
    if named:
        return " AND ".join(_SHORT.get(name, name) for name in named)
    text = facts["License"].strip() if "License" in facts else ""
    return text if text and len(text) < 40 and "\n" not in text else "not stated"


def permitted(licence: str) -> bool:
    """Tell whether all that a licence joins by AND, or one that it joins by OR, is permitted."""
    if licence == UNKNOWN:
        return True
    parts = re.split(r"\s+AND\s+", licence.replace("(", "").replace(")", ""))
    return all(any(one in PERMITTED for one in re.split(r"\s+OR\s+", part)) for part in parts)
