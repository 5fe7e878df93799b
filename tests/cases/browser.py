"""A headless browser for tests of pages: Chromium or Chrome of the system, driven by a script that is put into the page.

`BROWSER` names another program. Where there is none the tests that need one are skipped with a message, or fail, where
`NEEDS_BROWSER` is set.
"""

import html
import json
import os
import re
import shutil
import subprocess

import pytest

NAMES = (
    "chromium",
    "chromium-browser",
    "chromium-headless-shell",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
)
MISSING = "no headless browser: install one (Debian: apt-get install chromium-headless-shell), or name one in the variable BROWSER"
DRIVER = """<script>
window.errors = [];
// No frames are drawn for a page that nobody looks at; time goes on by timers.
window.requestAnimationFrame = (callback) => setTimeout(() => callback(performance.now()), 16);
window.addEventListener("error", (event) => window.errors.push(event.message));
</script>"""

SET = """const set = (id, value, kind) => {
  const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event(kind));
};
"""


def program():
    """The browser's program; skips the test, or fails it, where there is none."""
    computed = os.environ.get("BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
    if computed is None:
        (pytest.fail if os.environ.get("NEEDS_BROWSER") else pytest.skip)(MISSING)
    return computed


def outcome(page, script, folder, width=1200):
    """Result of the asynchronous function body `script` in the page (a text of HTML), and the page's errors."""
    ending = f"""<pre id="outcome"></pre><script>
    (async () => {{ {script} }})().catch((error) => ({{ failed: String(error) }})).then((found) => {{
      document.getElementById("outcome").textContent = JSON.stringify({{ found, errors: window.errors }});
    }});</script></body>"""
    path = folder / "driven.html"
    path.write_text(page.replace("<head>", f"<head>{DRIVER}", 1).replace("</body>", ending), encoding="utf-8")
    command = [program(), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    command += [f"--window-size={width},900", "--virtual-time-budget=20000", "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    said = re.search(r'<pre id="outcome">(.*?)</pre>', done.stdout, re.S)
    assert said, f"the browser came to no end:\n{done.stderr[-2000:]}"
    answer = json.loads(html.unescape(said[1]))
    assert answer["errors"] == []
    assert "failed" not in (answer["found"] or {}), answer["found"]
    return answer["found"]
