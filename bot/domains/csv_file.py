"""Write a list of domains as CSV, for a spreadsheet. Pure."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from bot.blocks.builders import plain_message
from bot.blocks.message import Message
from bot.blocks.text import code, outside, plural, score_number
from bot.domains.kept_facts import KnownFacts
from bot.domains.query import facts_of_host
from bot.tracker.health import band_of
from bot.tracker.models import Domain

MAX_CELL_CHARS = 2_000
MAX_NAME_CHARS = 60
COLUMNS = (
    *("name", "score", "rating", "registration expires", "certificate expires"),
    *("scanned at (UTC)", "tags", "folder", "type"),
)
# How a formula begins; a spreadsheet runs it when the file is opened. The last four are the wide
# forms. Where another character than the comma separates cells, a cell ends inside our quotes:
# https://owasp.org/www-community/attacks/CSV_Injection. `outside` removes tabs and ends of lines.
_FORMULA = re.compile(r"""(^|[,;|])([\s"]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])""")


def domains_csv(found: Sequence[Domain], known: KnownFacts | None) -> bytes:
    """Return the domains as CSV, with a byte order mark: Excel needs it for UTF-8.

    Every cell is quoted, so that none can begin another one.
    """
    file = io.StringIO()
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    writer.writerow(COLUMNS)
    writer.writerows(_row(domain, known) for domain in found)
    return file.getvalue().encode("utf-8-sig")


def _row(domain: Domain, known: KnownFacts | None) -> Iterable[str]:
    score = domain.health_score
    facts = facts_of_host(domain, known) if known else None
    ends = (facts.registration, facts.certificate) if facts else (None, None)
    cells = (
        domain.domain,
        "" if score is None else score_number(score),
        band_of(score).value,
        *(end.day.isoformat() if end else "" for end in ends),
        f"{facts.scanned_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}" if facts else "",
        ", ".join(domain.tags),
        domain.folder or "",
        domain.domain_type or "",
    )
    return (_FORMULA.sub(r"\1\2'", outside(text, MAX_CELL_CHARS)) for text in cells)


def file_name(filter_text: str, now: datetime) -> str:
    """Return `domains-2027-02-03-tag-prod.csv`, with as much of the filter as fits."""
    chosen = re.sub(r"[^\w.]+", "-", outside(filter_text, MAX_NAME_CHARS)).strip("-.")
    return "-".join(filter(None, ["domains", f"{now.astimezone(UTC):%Y-%m-%d}", chosen])) + ".csv"


def export_text(count: int) -> str:
    """Return the comment of the file with `count` domains."""
    return f"Your list of {plural(count, 'domain')}"


def exported_message(name: str, count: int) -> Message:
    rows = plural(count, "domain")
    return plain_message(f"✅ I sent you {code(name)} with {rows} as a direct message.")
