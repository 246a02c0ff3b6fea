"""The list as a file for spreadsheets."""

import csv
import io
import re
from datetime import timedelta

from bot.domains.csv_file import COLUMNS, domains_csv, export_text, exported_message
from bot.domains.kept_facts import KeptFacts, KnownFacts
from bot.process.redaction import holds_secret
from bot.tracker.models import Domain
from tests.builders import HOSTILE_TEXTS, MOMENT, a_domain, ending
from tests.loops import loop_over


def rows(*domains: Domain, known: KnownFacts | None = None) -> list[list[str]]:
    """Return the cells below the header, as a spreadsheet reads them."""
    file = domains_csv(domains, known).decode("utf-8-sig")
    header, *read = csv.reader(io.StringIO(file, newline=""))
    assert tuple(header) == COLUMNS
    return read


def test_every_domain_has_a_row_with_what_is_known_of_it() -> None:
    ends = {"shop.example": ending(21, 8, age=timedelta(days=3)), "new.example": KeptFacts(MOMENT)}
    full = a_domain(score=79.96, tags=("prod", "eu"), folder="Web, shops", domain_type="owned")
    bare = [a_domain("new.example", 8), a_domain("b.example", None)]

    assert rows(full, *bare, known=KnownFacts(ends, MOMENT)) == [
        [
            *("shop.example", "79.9", "fair", "2030-03-22", "2030-03-09", "2030-02-26 14:05:00"),
            *("prod, eu", "Web, shops", "owned"),
        ],
        ["new.example", "8", "poor", "", "", "2030-03-01 14:05:00", "", "", ""],
        ["b.example", "", "no score yet", "", "", "", "", "", ""],
    ]


# https://owasp.org/www-community/attacks/CSV_Injection
@loop_over("begin", [*"=+-@\uff1d\uff0b\uff0d\uff20", "\t=", "\r=", "\n=", " =", "\u200b="])
def test_no_cell_begins_a_formula(begin: str) -> None:
    text = f'{begin}cmd|" /C calc"!A0'

    [row] = rows(a_domain(text, tags=(text,), folder=f'x","{text}', domain_type=text))

    assert len(row) == len(COLUMNS)
    for cell in (row[0], row[6], row[8]):
        assert cell.startswith("'")
        assert cell.endswith('cmd|" /C calc"!A0')
    assert row[7].startswith('x","')


# Where `;` separates cells, one ends at it, also inside quotes that began earlier.
@loop_over("between", [";", "; ", ",", ", ", "|", ';"', '; "" ', ";\u200b", ";\t"])
@loop_over("begin", [*"=+-@\uff1d\uff0b\uff0d\uff20"])
def test_no_part_of_a_cell_begins_a_formula(between: str, begin: str) -> None:
    text = f'x{between}{begin}cmd|" /C calc"!A0'

    [row] = rows(a_domain(text, tags=(text, f"{begin}1"), folder=text, domain_type=text))

    for cell in (row[0], *row[6:]):
        for part in re.split("[,;|]", cell):
            assert not part.lstrip(' "').startswith(begin)
        assert f"'{begin}cmd" in cell


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_what_strangers_wrote_stays_in_its_cell_without_secrets(text: str) -> None:
    read = rows(a_domain(text, tags=(text,), folder=text), a_domain("after.example"))

    assert [len(row) for row in read] == [len(COLUMNS)] * 2
    assert not any(holds_secret(cell) or "\n" in cell for cell in read[0])
    assert read[1][0] == "after.example"


def test_the_file_and_the_answer_say_how_many_domains_there_are() -> None:
    assert export_text(1) == "Your list of 1 domain"
    assert "with 10,001 domains" in exported_message("domains.csv", 10_001).text
