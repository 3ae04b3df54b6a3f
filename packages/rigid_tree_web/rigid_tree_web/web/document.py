"""The document of the page: viser's, with a title, an icon and styles of its own."""

import re
from urllib.parse import quote

STOP = (201, 42, 42)  # color of the button Stop; white text on it has a contrast of 5.5
TITLE = "Robot"  # until a robot is known
ICON = (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>"
    "<rect x='3' y='26' width='16' height='4' rx='1.5' fill='#495057'/>"
    "<path d='M11 26V14L23 7' fill='none' stroke='#f76707' stroke-width='4.5' "
    "stroke-linecap='round' stroke-linejoin='round'/>"
    "<circle cx='11' cy='14' r='3.4' fill='#1c7ed6'/><circle cx='23' cy='7' r='3.4' "
    "fill='#1c7ed6'/></svg>"
)
# The sheet on a phone and the number fields can only be selected by their styles.
SHEET = '[style*="min-height: 3.5em"]'
STYLE = f"""
.u-legend .limit {{ display: none; }}
:root {{ --mantine-color-dimmed: #495057 !important; }}
:root[data-mantine-color-scheme="dark"] {{ --mantine-color-dimmed: #ced4da !important; }}
[style*="letter-spacing"] {{ letter-spacing: normal !important; }}
.uplot .u-legend {{ margin: 0; max-height: 5.5em; overflow-y: auto; }}
[style*="width: 3rem"] {{ width: 4.25rem !important; }}
.caption-over {{
  position: fixed; top: 0.5em; left: 0.5em; max-width: min(32em, calc(100vw - 22em));
  padding: 0.25em 1em; border-radius: 0.5em; background: rgba(33, 37, 41, 0.85); color: white;
  max-height: 40vh; overflow: hidden; pointer-events: none; z-index: 150; overflow-wrap: anywhere;
}}
.caption-over:empty {{ display: none; }}
[style*="padding-right: 1.75em"] {{ padding: 0 1.1em 0 0.25em !important; }}
#stop {{ display: none; }}
@media (max-width: 36em) {{
  .caption-over {{ max-width: calc(100vw - 6.5em); max-height: 30vh; }}
  {SHEET}, {SHEET} [style*="width: 20em"] {{ width: 100% !important; }}
  /* The scene has the place above the sheet, and is not covered by it. */
  :has(> {SHEET}) {{ flex-direction: column !important; }}
  :has(> {SHEET}) > :not({SHEET}) {{ min-height: 0; }}
  {SHEET} {{ position: relative !important; flex-shrink: 0; max-height: 50% !important; }}
  {SHEET} :is(button, input:not([type="checkbox"], [type="file"]), label[for]) {{
    min-height: 44px !important; min-width: 44px !important;
  }}
  {SHEET} label[for] {{ display: flex; align-items: center; }}
  {SHEET} .mantine-Checkbox-root {{ --checkbox-size: 28px; }}
  #stop.shown {{
    display: block; position: fixed; z-index: 10000; top: 0.5em; right: 0.5em;
    min-width: 64px; min-height: 48px; border: none; border-radius: 4px;
    background: rgb{STOP}; color: white; font: bold 1em sans-serif;
  }}
}}
"""
# The caption comes as an attribute, and is copied above the scene; its tab is opened once.
# On a phone the sheet starts folded: its handle is clicked once. viser's dark mode is a parameter
# of its address. A dropped file is loaded by the upload button for its type. Without a GPU,
# shadows take most of the time: a NAO has 2 to 12 frames per second with them, 34 without.
SCRIPT = f"""
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
if (dark) history.replaceState(null, "", "?darkMode");
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {{
  event.preventDefault();
  const [file] = event.dataTransfer.files, ending = file?.name.split(".").pop().toLowerCase();
  const inputs = [...document.querySelectorAll("input[type=file]")];
  const input = inputs.find((one) => one.accept.split(/[,./]/).includes(ending));
  if (!file || !input) return;
  input.files = event.dataTransfer.files;
  input.dispatchEvent(new Event("change", {{ bubbles: true }}));
}});
const phone = matchMedia("(max-width: 36em)");
// On a phone, the panel's button for it can be folded or scrolled away: this one is always seen.
const stop = document.createElement("button");
stop.id = "stop";
stop.textContent = "Stop";
stop.addEventListener("click", () => document.documentElement.dispatchEvent(
  new KeyboardEvent("keydown", {{ key: "Escape", code: "Escape", bubbles: true }})));
addEventListener("DOMContentLoaded", () => document.body.append(stop));
let folded = null;
const gl = document.createElement("canvas").getContext("webgl2");
const about = gl?.getExtension("WEBGL_debug_renderer_info");
const renderer = about ? gl.getParameter(about.UNMASKED_RENDERER_WEBGL) : "";
if (/swiftshader|llvmpipe|softpipe|software|basic render/i.test(renderer)) {{
  setInterval(() => window.__viserMutable?.scene?.traverse((node) => {{
    if (node.isDirectionalLight) node.castShadow = false;
  }}), 500);
}}
const over = document.createElement("div");
over.className = "caption-over";
let tab = "";
function showCaption(caption) {{
  if (!caption) return;
  if (over.dataset.html !== caption.html) {{
    document.body.append(over);
    over.dataset.html = over.innerHTML = caption.html;
  }}
  if (tab === caption.tab) return;
  const labels = [...document.querySelectorAll("[role=tab]")];
  const wanted = labels.find((one) => one.textContent === caption.tab);
  if (wanted || !caption.tab) tab = caption.tab;
  wanted?.click();  // on a phone
  wanted?.dispatchEvent(new KeyboardEvent("keydown", {{ key: "Enter", bubbles: true }}));
}}
new MutationObserver(() => {{
  const title = document.querySelector(".page-title");
  if (title && document.title !== title.textContent) document.title = title.textContent;
  showCaption(document.querySelector(".page-caption")?.dataset);
  if (!phone.matches) return;
  const buttons = [...document.querySelectorAll("button:not(#stop)")];
  stop.classList.toggle("shown", buttons.some((one) => one.textContent === "Stop"));
  const handle = document.querySelector('{SHEET} [style*="cursor: pointer"]');
  if (handle && handle !== folded) {{
    folded = handle;
    handle.click();
  }}
}}).observe(document, {{ childList: true, subtree: true, characterData: true }});
"""
VISER_TITLE = b"<title>Viser</title>"
VISER_ICON = re.compile(rb'<link\s+rel="icon"[^>]*?href="data:image/svg\+xml,[^"]*"\s*/?>')


def with_additions(document: bytes) -> bytes:
    """Return viser's document with the title, icon, styles and script of the page."""
    icon = f'<link rel="icon" href="data:image/svg+xml,{quote(ICON)}">'.encode()
    document = VISER_ICON.sub(lambda _: icon, document, count=1)
    additions = f"<title>{TITLE}</title><style>{STYLE}</style><script>{SCRIPT}</script>"
    return document.replace(VISER_TITLE, additions.encode(), 1)
