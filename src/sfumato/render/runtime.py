"""The script that draws a Vega-Lite picture in a browser, so that it can be panned and zoomed.

It comes with vl-convert and is written into the page: nothing is fetched. The page's policy names
the script by its hash, so no other can run, and formulas are interpreted instead of compiled, so
none can be smuggled in through them.
"""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from typing import Any

# Where there is no room for it, as on a phone, the still picture stays, which shrinks to fit.
_START = """
const specification = document.getElementById("specification");
const picture = document.getElementById("picture");
if (specification && picture && picture.clientWidth >= 600) {
  document.getElementById("hint").hidden = false;
  const settings = {ast: true, actions: false, renderer: "canvas", mode: "vega"};
  vegaEmbed(picture, JSON.parse(specification.textContent), settings);
}
"""


def block(spec: dict[str, Any], still: str) -> str:
    """Return the place of a picture on a page: `still` until, and unless, the script draws it."""
    from vl_convert import vegalite_to_vega

    from sfumato.render.vega import VERSION

    compiled = vegalite_to_vega(spec, vl_version=VERSION)
    del compiled["$schema"]  # names an older Vega than the runtime, which understands both
    # Within a script element, nothing but its own end is markup.
    data = json.dumps(compiled, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    return (
        f'<div id="picture">{still}</div>\n'
        f'<script type="application/json" id="specification">{data}</script>\n'
    )


@cache
def script() -> str:
    """Return the runtime, and the lines that start it."""
    from vl_convert import javascript_bundle

    from sfumato.render.vega import VERSION

    return javascript_bundle(_START, vl_version=VERSION).replace("</script", "<\\/script")


def source(code: str) -> str:
    """Return what a page's policy calls a script of this content."""
    return f"'sha256-{b64encode(sha256(code.encode()).digest()).decode()}'"
