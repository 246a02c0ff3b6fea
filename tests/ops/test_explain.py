"""What `explain` prints of a scan."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.ops.explain import explain_file
from bot.ops.output import OperatingError
from bot.tracker.names import NAMES, load_names


@pytest.fixture(autouse=True)
def own_names() -> Iterator[None]:
    yield
    vars(NAMES).update(vars(load_names(None)))


def written(path: Path, scan: object) -> str:
    path.write_text(json.dumps(scan))
    return str(path)


def test_each_value_is_printed_with_its_rule_and_what_is_not_known(tmp_path: Path) -> None:
    scan = {
        "domainId": "d1",
        "whois": {"expiryDate": "2027-08-13"},
        "dns": {"error": "timeout of 10000ms exceeded"},
        "ssl": {"issuer": "R12"},
        "security": {"blacklisted": True, "spf": True, "wafMode": "x"},
    }

    lines = explain_file(written(tmp_path / "scan.json", scan), None)

    assert lines == [
        "Issues: known",
        "Registration ends: 2027-08-13",
        "Certificate ends: not recognized",
        "SSL certificate issuer: R12",
        "WHOIS:",
        "  no checks or issues recognized",
        "DNS:",
        "  failed: timeout of 10000ms exceeded",
        "SSL:",
        "  no checks or issues recognized",
        "Security:",
        "  issue (unknown) by boolean: blacklisted: Security › Blacklisted: yes",
        "  passed by protection: spf",
        "  not recognized: wafMode",
    ]


def test_the_operators_names_count_too(tmp_path: Path) -> None:
    scan = written(tmp_path / "scan.json", {"security": {"isParked": True}})
    names = tmp_path / "names.toml"
    names.write_text('bad_if_true = ["isParked"]\n')

    assert "Issues: not recognized" in explain_file(scan, None)
    assert "Issues: known" in explain_file(scan, names)


@pytest.mark.parametrize(
    "text",
    [
        *("x = 1", "bad_if_true = 5", "unknown = ['a']", "["),
        *("states = ['x']", "protections = ['x']", "[ignored]\nsettings = ['x']"),
    ],
)
def test_a_table_of_another_form_is_refused(tmp_path: Path, text: str) -> None:
    scan = written(tmp_path / "scan.json", {"dns": {}})
    names = tmp_path / "names.toml"
    names.write_text(text)

    with pytest.raises(OperatingError, match="SCAN_NAMES_FILE"):
        explain_file(scan, names)


def test_what_is_no_scan_is_said_in_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "scan.json"
    for text in ("", "[]", "[" * 100_000, "{", '{"error": "Invalid API key"}'):
        file.write_text(text)
        with pytest.raises(OperatingError, match="holds no"):
            explain_file(str(file), None)
