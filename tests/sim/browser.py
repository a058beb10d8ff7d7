"""Pages in a real browser: `open_page` shows one from its file, `check_page` asks of it what every page must keep."""

import json
import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PHONE, DESK = 380, 1280

#: what sticks out, what is not visible and what is hard to read, as sentences
FAULTS = """
const faults = [];
const seen = (node) => { const box = node.getBoundingClientRect(); return box.width > 0 && box.height > 0; };
const name = (node) => `<${node.tagName.toLowerCase()}> ${node.id || node.textContent.trim().slice(0, 40)}`;
if (document.scrollingElement.scrollWidth > arguments[0])
  faults.push(`the page is ${document.scrollingElement.scrollWidth} wide`);

for (const node of document.querySelectorAll("h1, h2, h3, h4, figure, figure svg, table, .scroll"))
  if (!seen(node)) faults.push(`${name(node)} is not to be seen`);

for (const table of document.querySelectorAll("table")) {
  const region = table.parentElement;
  const label = (region.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id));
  if (region.tabIndex !== 0 || label.includes(null)) faults.push(`${name(table)} does not scroll in a labelled region`);
}

for (const svg of document.querySelectorAll("figure svg")) {
  const frame = svg.getBoundingClientRect();
  for (const text of svg.querySelectorAll("text")) {
    const box = text.getBoundingClientRect();
    const across = Math.max(frame.left - box.left, box.right - frame.right);
    const over = Math.max(across, frame.top - box.top, box.bottom - frame.bottom);
    if (over > 1.5) faults.push(`${name(text)} sticks out of its figure by ${over.toFixed(1)}`);
  }
}

// contrast as in the Web Content Accessibility Guidelines 2.2, 1.4.3
const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const rgb = (colour) => {
  paint.clearRect(0, 0, 1, 1);
  paint.fillStyle = colour;
  paint.fillRect(0, 0, 1, 1);
  return Array.from(paint.getImageData(0, 0, 1, 1).data);
};
const light = ([r, g, b]) => {
  const [x, y, z] = [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const paper = (node) => {
  for (; node; node = node.parentElement) {
    const colour = rgb(getComputedStyle(node).backgroundColor);
    if (colour[3] === 255) return colour;
  }
  return rgb("Canvas");
};
const worded = "h1, h2, h3, h4, p, a, li, dt, dd, th, td, button, summary, small, svg text";
for (const node of document.querySelectorAll(worded)) {
  if (!node.textContent.trim()) continue;
  const style = getComputedStyle(node);
  const ink = rgb(node.closest("svg") ? style.fill : style.color);
  const [high, low] = [light(ink), light(paper(node))].sort((a, b) => b - a);
  const contrast = (high + 0.05) / (low + 0.05);
  if (contrast < 4.5) faults.push(`${name(node)} has a contrast of ${contrast.toFixed(2)}`);
}
return faults;
"""


def _browser():
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if browser and driver:
        return browser, driver
    reason = "no browser: install chromium and chromium-driver (Debian: apt-get install chromium chromium-driver)"
    if os.environ.get("NULLSIM_BROWSER") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def open_page(path):
    """A driver that shows the page in the file `path`. Without a browser the test is skipped, or fails where the
    environment says NULLSIM_BROWSER=required."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    browser, driver = _browser()
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = browser
        for flag in (*FLAGS, f"--user-data-dir={profile}", "about:blank"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        opened = webdriver.Chrome(options=options, service=Service(driver))
        try:
            opened.get(Path(path).resolve().as_uri())
            yield opened
        finally:
            opened.quit()


def show(driver, width, scheme):
    """Makes the window `width` pixels wide and lets the reader prefer a colour scheme, "light" or "dark"."""
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "screen", "features": features})


def asked_for(driver, page):
    """What the page at this address has asked for since the browser was asked last, besides what stands in it."""
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    sent = [one["params"] for one in messages if one["method"] == "Network.requestWillBeSent"]
    urls = [one["request"]["url"].partition("#")[0] for one in sent if one["documentURL"].partition("#")[0] == page]
    return [url for url in urls if url != page and not url.startswith("data:")]


def check_page(driver):
    """Checks the page that is shown, as it was opened by `open_page` and on a phone and a desk, light and dark.

    The console is silent, nothing but the page's file is asked for, nothing is wider than the window, what there is
    is visible, no text of a figure is cut, and text stands out from its ground.
    """
    page = driver.current_url.partition("#")[0]
    _agree("asked for", asked_for(driver, page), [])
    papers = set()
    for width in (PHONE, DESK):
        for scheme in ("light", "dark"):
            show(driver, width, scheme)
            _agree("width of the window", driver.execute_script("return innerWidth"), width)
            _agree(f"{width} wide, {scheme}", driver.execute_script(FAULTS, width), [])
            papers.add(driver.execute_script("return getComputedStyle(document.body).backgroundColor"))
    _agree("grounds in light and dark", len(papers), 2)
    _agree("console", driver.get_log("browser"), [])


def _agree(what, found, wanted):
    assert found == wanted, f"{what}: {found}, not {wanted}"  # helpers' assertions are not explained by pytest
