"""Sorting and the HTML of `data_table`."""

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
