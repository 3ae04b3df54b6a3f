"""The document of the page: viser's, with a title, an icon and styles of its own."""

from __future__ import annotations

import re
from urllib.parse import quote

TITLE = "Robot"  # until there is one
ICON = (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>"
    "<rect x='3' y='26' width='16' height='4' rx='1.5' fill='#495057'/>"
    "<path d='M11 26V14L23 7' fill='none' stroke='#f76707' stroke-width='4.5' "
    "stroke-linecap='round' stroke-linejoin='round'/>"
    "<circle cx='11' cy='14' r='3.4' fill='#1c7ed6'/><circle cx='23' cy='7' r='3.4' "
    "fill='#1c7ed6'/></svg>"
)
# viser marks neither the sheet on a phone nor the box beside a slider, but for their styles.
SHEET = '[style*="min-height: 3.5em"]'
STYLE = f"""
.u-legend .limit {{ display: none; }}
.uplot .u-legend {{ margin: 0; max-height: 5.5em; overflow-y: auto; }}
[style*="width: 3rem"] {{ width: 4.25rem !important; }}
@media (max-width: 36em) {{
  {SHEET}, {SHEET} [style*="width: 20em"] {{ width: 100% !important; }}
}}
"""
# On a phone the sheet starts folded: its handle is clicked once.
SCRIPT = f"""
const phone = matchMedia("(max-width: 36em)");
let folded = null;
new MutationObserver(() => {{
  const title = document.querySelector(".page-title");
  if (title && document.title !== title.textContent) document.title = title.textContent;
  if (!phone.matches) return;
  const handle = document.querySelector('{SHEET} [style*="cursor: pointer"]');
  if (handle && handle !== folded) {{
    folded = handle;
    handle.click();
  }}
}}).observe(document, {{ childList: true, subtree: true, characterData: true }});
"""
VISER_TITLE = b"<title>Viser</title>"
VISER_ICON = re.compile(rb'<link\s+rel="icon"[^>]*?href="data:image/svg\+xml,[^"]*"\s*/?>')


def dressed(document: bytes) -> bytes:
    """Return viser's document with the title, icon, styles and script of the page."""
    icon = f'<link rel="icon" href="data:image/svg+xml,{quote(ICON)}">'.encode()
    document = VISER_ICON.sub(lambda _: icon, document, count=1)
    head = f"<title>{TITLE}</title><style>{STYLE}</style><script>{SCRIPT}</script>"
    return document.replace(VISER_TITLE, head.encode(), 1)
