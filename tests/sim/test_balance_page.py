"""The page of a balance report: what stands on it, numbers that are those of its JSON, a browser that shows it."""

import json
import re

import pytest
from lxml import html

from kernels.options import show as worded
from sim.analysis.balance.metrics import SECTIONS
from sim.games import GAMES
from tests.sim.browser import check_page, open_page, show

pytestmark = pytest.mark.slow


def test_what_the_folder_holds(report):
    assert {entry.name for entry in report.iterdir()} == {"index.html", "report.md", "report.json", "figures", "data"}
    assert (report / "index.html").stat().st_size < 3e6
    text = (report / "report.md").read_text(encoding="utf-8")
    assert text.startswith("# Balance: Null & Nichtig")
    for figure in json.loads((report / "report.json").read_text(encoding="utf-8"))["figures"]:
        assert (report / "figures" / f"{figure['name']}.svg").is_file()
        assert f"(figures/{figure['name']}.svg)" in text
    assert list((report / "data").rglob("*.parquet"))


def test_every_picture_of_a_report_is_there(report):
    names = [one["name"] for one in json.loads((report / "report.json").read_text(encoding="utf-8"))["figures"]]
    once = ["leads", "match-ups", "scores", "seats", "chances", "luck", "choices", "decisions", "responses"]
    beside = [name + ending for name in once for ending in ("", "-against")]
    assert [name for name in names if not name.startswith("changes-")] == [*beside, "rule"]
    changed = {name.removeprefix("changes-") for name in names if name.startswith("changes-")}
    assert changed == {section.lower().replace(" ", "-") for section in SECTIONS} - {"length"}


def table_of(page, title):
    """The rows of the table under a heading, as text."""
    (table,) = page.xpath("//table[@aria-labelledby=//h3[.=$title]/@id]", title=title)
    return table, [[cell.text_content() for cell in row.xpath("th|td")] for row in table.xpath("tbody/tr")]


def test_the_rules_stand_on_the_page(report):
    """Every option with its values, what differs first and set off; in JSON the values have their types."""
    data = json.loads((report / "report.json").read_text(encoding="utf-8"))
    first, second = (variant["rules"] for variant in data["variants"])
    assert (first["players"], first["target"], first["no_trick_penalty"]) == (3, None, 0)
    assert second["no_trick_penalty"] == -10
    options = {option.name: option for option in GAMES["null-nichtig"].module("rules").OPTIONS}
    table, rows = table_of(html.parse(report / "index.html"), "every rule option and its value")
    assert {row[0] for row in rows} == set(options) == set(first)
    assert rows[0][:4] == ["no_trick_penalty", "0", "-10", "differs between the variants"]
    assert rows[1][:5] == ["players", "3", "3", "not the default", "4"]
    assert table.xpath("tbody/tr/@class") == ["marked"] * 2
    assert [row[3] for row in rows[2:]] == ["default"] * (len(rows) - 2)
    for name, one, other, _, _, meaning in rows:
        assert (one, other, meaning) == (worded(first[name]), worded(second[name]), options[name].meaning)
    assert "| no_trick_penalty " in (report / "report.md").read_text(encoding="utf-8")


def test_length_has_one_row_for_each_quantity(report):
    _, rows = table_of(html.parse(report / "index.html"), "Length: all numbers")
    assert len({tuple(row[:2]) for row in rows}) == len(rows) == 2 * 3
    assert {row[3] for row in rows} == {"the same"}
    data = json.loads((report / "report.json").read_text(encoding="utf-8"))
    (length,) = [table for table in data["tables"] if table["title"] == "Length: all numbers"]
    for row in length["rows"]:
        assert list(row["others"]) == [name for name in data["ladder"] if name != data["reference"]]
        assert all(other["estimate"] == row["estimate"] for other in row["others"].values())


def test_remarks_stand_once_and_say_what_they_are_about(report):
    for remarks in html.parse(report / "index.html").xpath("//ul[@class='remarks']"):
        told = [one.text for one in remarks.xpath("li")]
        assert len(set(told)) == len(told)
        for one in told:
            assert "zero variance" not in one
            assert not re.search(r": *(,|$)|, *(,|$)|\(,", one)


def test_words_of_a_section_lead_to_the_glossary(report):
    page = html.parse(report / "index.html")
    links = page.xpath("//section/p[@class='terms']/a")
    terms = page.xpath("//dl[@class='glossary']/div")
    assert {link.get("href") for link in links} == {f"#{term.get('id')}" for term in terms}
    assert len(terms) > 15
    assert page.xpath("//nav//a[@href='#glossary']")
    markdown = (report / "report.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", markdown, re.MULTILINE) == page.xpath("//section/h2/text()")
    for term in terms:
        assert f"- **{term.xpath('dt')[0].text}**: {term.xpath('dd')[0].text}" in markdown


def test_numbers_on_the_page_are_those_of_json(report):
    data = json.loads((report / "report.json").read_text(encoding="utf-8"))
    page = html.parse(report / "index.html")
    tables = page.xpath("//table")
    assert len(tables) == len(data["tables"])
    checked = 0
    for table, kept in zip(tables, data["tables"], strict=True):
        rows = table.xpath("./tbody/tr")
        assert len(rows) == len(kept["rows"])
        for row, record in zip(rows, kept["rows"], strict=True):
            numbers = {value for value in record.values() if isinstance(value, int | float)}
            for cell in row.xpath("./*[@data-value]"):
                if cell.get("data-value"):
                    assert float(cell.get("data-value")) in numbers, (kept["title"], record)
                    checked += 1
    assert checked > 500


def test_sentences_lead_to_what_they_rest_on(report):
    page = html.parse(report / "index.html")
    links = [link.get("href") for link in page.xpath("//a[starts-with(@href, '#')]")]
    data = json.loads((report / "report.json").read_text(encoding="utf-8"))
    assert len(data["summary"]) > 10
    for link in links:
        assert page.xpath(f"//*[@id='{link[1:]}']"), link


def test_the_page_in_a_browser(report):
    with open_page(report / "index.html") as driver:
        check_page(driver)
        show(driver, 1200, "light")
        boxes = "[...document.querySelectorAll('.scroll')]"
        assert driver.execute_script(f"return {boxes}.filter((one) => one.scrollWidth > one.clientWidth).length") == 0
        driver.execute_script("arguments[0].scrollIntoView()", driver.find_element("css selector", "th button"))
        button = driver.find_elements("css selector", "th button")[2]
        button.click()
        assert button.find_element("xpath", "..").get_attribute("aria-sort") in ("ascending", "descending")
