"""Opens the built site in headless Chromium: ``make test-site``.

Checks that every internal link leads to a page and a heading, that the search finds a function, that the language can be
switched, and that no page logs an error. Pictures of what was seen are in build/site-pictures.
"""

import functools
import html.parser
import http.server
import pathlib
import shutil
import sys
import threading
import urllib.parse

from playwright.sync_api import TimeoutError, sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent
SITE, PICTURES = ROOT / "build" / "site", ROOT / "build" / "site-pictures"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class Page(html.parser.HTMLParser):
    """The links and the anchors of one page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in ("img", "script") and given.get("src"):
            self.links.append(given["src"])


def broken_links():
    """(page, link) for links within the site that lead nowhere."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in SITE.rglob("*.html") if path.name != "404.html"}
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.exists() or anchor and target in pages and anchor not in pages[target].anchors | {"__top", ""}:
                yield path.relative_to(SITE), link


def served():
    """A server of the site on a free port of this machine."""
    handler = functools.partial(type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *args: None}),
                                directory=SITE)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


OPENED = {"start": "index.html", "guide": "guide/training.html", "reference": "reference/paddle.nn.html#paddle.nn.Conv2D",
          "examples": "examples.html"}
FOUND_FIRST = ["paddle.to_tensor", "paddle.io.DataLoader", "paddle.nn.Conv2D"]
FIRST_LEADS_TO = """name => [...document.querySelectorAll(".md-search-result__item:first-child a")]
    .some(link => link.href.toLowerCase().endsWith("#" + name))"""


def expect(condition, message):
    if not condition:
        sys.exit(message)


def look(page, address):
    """Open pages, search, switch the language; a picture of each."""
    for name, path in OPENED.items():
        page.goto(f"{address}/{path}")
        page.wait_for_selector("article h1")
        page.screenshot(path=PICTURES / f"{name}.png")
    for name in FOUND_FIRST:
        page.goto(f"{address}/index.html")
        page.fill("input.md-search__input", name.rpartition(".")[2])
        try:
            page.wait_for_function(FIRST_LEADS_TO, arg=name.lower())
        except TimeoutError:
            sys.exit(f"the first result for {name} is another: {page.inner_text('.md-search-result__list')[:300]}")
        page.screenshot(path=PICTURES / f"search{len(FOUND_FIRST) - FOUND_FIRST.index(name) - 1 or ''}.png")
    page.goto(f"{address}/index.html")
    page.hover(".md-select button")
    page.click(".md-select__link[hreflang=zh]")
    page.wait_for_url("**/zh/**")
    expect("入门" in page.inner_text("article h1"), "the Chinese start page has another heading")
    page.screenshot(path=PICTURES / "chinese.png")


def main():
    broken = sorted(set(broken_links()))
    for path, link in broken[:50]:
        print(f"{path}: {link} leads nowhere")
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"no browser found: install one of {', '.join(BROWSERS)}")
    PICTURES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as driver:
        window = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = window.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(180_000)  # of a busy machine
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        look(page, served())
        window.close()
    expect(not errors, f"errors in pages: {errors}")
    if broken:
        sys.exit(f"{len(broken)} links lead nowhere")
    print(f"{len(list(SITE.rglob('*.html')))} pages, all internal links lead somewhere; pictures in {PICTURES.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
