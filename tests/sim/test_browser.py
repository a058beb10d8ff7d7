"""The page as a reader meets it in a browser."""

import pytest

import sim
from sim.report.document import of_result
from sim.report.formats import render
from sim.report.run_figures import figures_of
from tests.sim.browser import DESK, check_page, open_page, show
from tests.sim.documents import everything, long_table, pairs_table, plain_table

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def everything_page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "everything.html"
    path.write_text(render([everything()], "html"), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def report_page(tmp_path_factory):
    """Two runs on one page, one with a strategy of a long name."""
    folder, documents = tmp_path_factory.mktemp("report"), []
    long = "heuristic:declare=safe;defend=random"
    for number, (game, line_up) in enumerate([("null-nichtig", "dodge,solid,solid,duck"), ("skat-null", long)], 1):
        result = sim.run(game, strategies=line_up.split(","), blocks=60, out=folder / game)
        document = of_result(result, [["strategy"], ["seat"]])
        document.figures = figures_of(result, prefix=f"run-{number}-")
        documents.append(document)
    path = folder / "report.html"
    path.write_text(render(documents, "html"), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def driver(everything_page):
    with open_page(everything_page) as opened:
        yield opened


@pytest.mark.parametrize("page", ["everything_page", "report_page"])
def test_the_page_keeps_what_every_page_must(request, page):
    with open_page(request.getfixturevalue(page)) as opened:
        check_page(opened)


def test_the_check_finds_faults(everything_page, tmp_path):
    text = everything_page.read_text(encoding="utf-8")
    picture = '<img src="http://127.0.0.1:9/x.png" alt=""><main'
    spoilt = {
        "the page is": text.replace("<main", '<p style="width: 60rem">wide</p><main'),
        "has a contrast of": text.replace("--ink: #1c2024", "--ink: #aaaaaa"),
        "sticks out of its figure": text.replace('x="20" y="30"', 'x="170" y="30"'),
        "is not to be seen": text.replace(".picture svg {", ".picture svg { height: 0 !important;"),
        "asked for": text.replace("Content-Security-Policy", "no-policy").replace("<main", picture),
        "console": text.replace('"use strict";', '"use strict"; // another script'),
        "grounds": text.replace("(prefers-color-scheme: dark)", "(prefers-color-scheme: none)"),
    }
    with open_page(everything_page) as opened:
        for number, (fault, page) in enumerate(spoilt.items()):
            assert page != text, fault
            path = tmp_path / f"{number}.html"
            path.write_text(page, encoding="utf-8")
            opened.get(path.as_uri())
            with pytest.raises(AssertionError, match=fault):
                check_page(opened)


def test_a_missing_browser_is_named(monkeypatch, everything_page):
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.delenv("NULLSIM_BROWSER", raising=False)
    with pytest.raises(pytest.skip.Exception, match="apt-get install chromium"), open_page(everything_page):
        pass
    monkeypatch.setenv("NULLSIM_BROWSER", "required")
    with pytest.raises(pytest.fail.Exception, match="apt-get install chromium"), open_page(everything_page):
        pass


def column(driver, title, place):
    """The words of a column of the table under a heading."""
    script = (
        "const heading = [...document.querySelectorAll('h2, h3')].find((one) => one.textContent === arguments[0]);"
        "return [...heading.nextElementSibling.querySelectorAll('tbody tr')].map("
        "(row) => row.cells[arguments[1]].textContent)"
    )
    return driver.execute_script(script, title, place)


def header(driver, title, place):
    """The cell that heads a column."""
    script = (
        "const heading = [...document.querySelectorAll('h2, h3')].find((one) => one.textContent === arguments[0]);"
        "return heading.nextElementSibling.querySelectorAll('thead th')[arguments[1]]"
    )
    return driver.execute_script(script, title, place)


def reload(driver):
    driver.refresh()
    show(driver, DESK, "light")


def press(driver, title, place, key=None):
    """Sorts by a column, with the mouse, or with a key where one is named."""
    button = header(driver, title, place).find_element("tag name", "button")
    if key is None:
        button.click()
    else:
        driver.execute_script("arguments[0].focus()", button)
        assert driver.switch_to.active_element == button
        button.send_keys(key)


@pytest.mark.parametrize("key", [None, "\ue007", " "], ids=["mouse", "enter", "space"])
def test_tables_sort_by_number_and_ties_stay(driver, key):
    reload(driver)
    assert column(driver, long_table().title, 0) == ["b", "a", "d", "c", "e", "f"]
    press(driver, "means", 1, key)
    assert header(driver, "means", 1).get_attribute("aria-sort") == "ascending"
    assert column(driver, "means", 0) == ["e", "b", "d", "f", "a", "c"]
    press(driver, "means", 1, key)
    assert header(driver, "means", 1).get_attribute("aria-sort") == "descending"
    assert column(driver, "means", 0) == ["a", "b", "d", "f", "e", "c"]
    press(driver, "means", 0, key)
    assert header(driver, "means", 1).get_attribute("aria-sort") is None
    assert column(driver, "means", 0) == ["a", "b", "c", "d", "e", "f"]


def test_words_sort_by_the_number_behind_them(driver):
    reload(driver)
    title = pairs_table().title
    press(driver, title, 2)
    assert [words[:5] for words in column(driver, title, 2)] == ["-1,23", "0.123", "0.5 ("]
    press(driver, title, 3)
    assert column(driver, title, 3) == ["31.9%", "50.0%", "100.0%"]
    press(driver, title, 4)
    press(driver, title, 4)
    assert column(driver, title, 4) == ["0.0400", "< 0.0001", "-"]
    press(driver, title, 5)
    assert column(driver, title, 5) == ["equivalent within ±0.6", "undecided", "x is better"]
    assert driver.find_element("id", "page-status").get_attribute("textContent") == "sorted by verdict, ascending"


def test_tab_leads_to_the_content_first(driver):
    reload(driver)
    driver.find_element("tag name", "body").send_keys("\ue004")
    skip = driver.switch_to.active_element
    assert skip.text == "Skip to the content"
    assert skip.rect["x"] >= 0
    skip.send_keys("\ue007")
    assert driver.switch_to.active_element.tag_name == "main"


def test_sentences_lead_to_what_they_rest_on(driver):
    reload(driver)
    for place, tag in enumerate(["h3", "figure", "h2"]):
        driver.find_elements("css selector", ".verdict a")[place].click()
        target = driver.execute_script("return document.querySelector(':target')")
        assert target.tag_name == tag
        assert 0 <= driver.execute_script("return arguments[0].getBoundingClientRect().top", target) < 800


def test_without_a_script_the_page_is_complete(driver):
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        reload(driver)
        rows = driver.find_elements("css selector", "tbody tr")
        buttons = driver.find_elements("css selector", "thead button")
        assert len(rows) == 2 * len(plain_table().frame) + 6 + len(pairs_table().frame)
        assert buttons
        assert not any(button.is_enabled() for button in buttons)
        assert all(button.is_displayed() for button in buttons)
    finally:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
