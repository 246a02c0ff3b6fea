"""Sorting and the HTML of `data_table`."""

import re

import pytest

from bot.playground.page.drawing.tables import Look, data_table_html, row_order
from tests.playground.blockkit.samples import Json, cell, number_cell


def a_table(*rows: list[Json], **fields: Json) -> Json:
    head = [cell("Domain"), cell("Health")]
    return {"type": "data_table", "caption": "Health", "rows": [head, *rows], **fields}


def column(block: Json, look: Look) -> list[str]:
    return [block["rows"][row][look.column or 0]["text"] for row in row_order(block, look)]


@pytest.mark.parametrize(("is_descending", "order"), [(False, "5 40 100"), (True, "100 40 5")])
def test_a_column_of_numbers_sorts_by_value(is_descending: bool, order: str) -> None:
    block = a_table(*([cell("x"), number_cell(value, str(value))] for value in (40, 100, 5)))

    assert column(block, Look(1, is_descending)) == order.split()


def shown_names(block: Json, look: Look) -> list[str]:
    shown = data_table_html(block, look)
    return [row[1]["text"] for row in block["rows"][1:] if f">{row[1]['text']}<" in shown]


@pytest.mark.parametrize(
    ("size", "pages"),
    [
        ({}, ["12345", "67"]),
        ({"page_size": 3}, ["123", "456", "7"]),
        ({"page_size": 7}, ["1234567"]),
    ],
)
def test_a_page_shows_as_many_rows_as_it_says_or_five(size: Json, pages: list[str]) -> None:
    block = a_table(*([cell("x"), cell(f"no. {number}")] for number in range(1, 8)), **size)

    for number, page in enumerate(pages):
        look = Look(page=number)
        assert shown_names(block, look) == [f"no. {each}" for each in page]
        shown = data_table_html(block, look)
        assert ("Previous" in shown) == (len(pages) > 1)
        assert (" disabled>Next" in shown) == (number == len(pages) - 1 > 0)


def test_a_press_turns_the_page_or_sorts_from_the_first_one() -> None:
    assert Look().pressed("page 1") == Look(page=1)
    assert Look(page=1).pressed("0") == Look(0)


def test_a_second_press_before_the_page_has_turned_turns_no_further() -> None:
    block = a_table(*([cell("x"), cell(f"no. {number}")] for number in range(7)))
    [turn] = re.findall(r'data-sort="(page \d+)">Next', data_table_html(block, Look()))

    assert Look().pressed(turn).pressed(turn) == Look(page=1)


def test_a_screen_reader_hears_caption_titles_and_row_names() -> None:
    block = a_table([cell("x"), number_cell()], row_header_column_index=1)

    shown = data_table_html(block, Look(1, is_descending=True))

    assert '<caption class="bk-caption">Health</caption>' in shown
    assert '<th scope="col" class="bk-right" aria-sort="descending">' in shown
    assert '<th scope="row" class="bk-right">41</th>' in shown


def test_no_cell_becomes_a_tag() -> None:
    evil = '"><script>alert(1)</script>'
    block = a_table([cell(evil), number_cell(1, evil)], caption=evil)
    block["rows"][0][0] = cell(evil)

    assert "<script" not in data_table_html(block, Look())
