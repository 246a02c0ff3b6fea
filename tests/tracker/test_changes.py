"""What has changed between two scans: records, not values, and nothing that moves by itself."""

import copy
from typing import Any

import pytest
from hypothesis import given

from bot.tracker.changes import Change, changes_between
from bot.tracker.models import SECTIONS
from bot.tracker.sections import Finding, Section, section_of
from tests.loops import loop_over
from tests.stopwatch import at_most
from tests.tracker.test_sections import ANY_JSON, a_section


def changes(before: Section, after: Section) -> list[Change]:
    return changes_between([before], [after])


def scan_changes(before: Any, after: Any) -> list[Change]:
    """Return the changes between two scans that hold any of the sections."""
    was, now = ([section_of(name, scan) for name in SECTIONS] for scan in (before, after))
    return changes_between(was, now)


@given(ANY_JSON)
def test_nothing_has_changed_when_nothing_has_changed(value: object) -> None:
    section = a_section(value)

    assert changes(section, section) == []


def test_a_new_value_under_the_same_name_is_one_change() -> None:
    found = changes(a_section({"port": 60}), a_section({"port": 300}))

    assert found == [Change("dns", Finding(("port",), 60), Finding(("port",), 300))]


def test_the_order_of_records_says_nothing() -> None:
    before = a_section({"ns": ["a", "b"], "MX": [{"host": "a"}, {"host": "b"}]})
    after = a_section({"MX": [{"host": "b"}, {"host": "a"}], "ns": ["b", "a"]})

    assert changes(before, after) == []


@pytest.mark.parametrize(
    "other",
    [Section("dns", (), is_given=False), Section("dns", (), left_out=1)],
    ids=["not sent", "cut"],
)
def test_what_was_merely_not_sent_has_not_gone(other: Section) -> None:
    section = a_section({"a": 1})

    assert changes(section, other) == []
    assert changes(other, section) == []


DMARC = "v=DMARC1; p=none; rua=mailto:dmarc@shop.example"
SCAN: dict[str, Any] = {
    "whois": {"registrar": "R", "nameServers": ["ns1.old.example", "ns2.old.example"]},
    "dns": {
        "nameServers": ["ns1.old.example", "ns2.old.example"],
        "records": [
            {"type": "A", "name": "shop.example", "value": "192.0.2.1", "ttl": 300},
            {"type": "TXT", "name": "_dmarc.shop.example", "value": DMARC, "ttl": 300},
            {"type": "NS", "name": "shop.example", "value": "ns1.old.example", "ttl": 60},
            {"type": "NS", "name": "shop.example", "value": "ns2.old.example", "ttl": 60},
        ],
    },
    "ssl": {
        "issuer": {"commonName": "CA 1"},
        "notBefore": "2026-09-01T00:00:00Z",
        "notAfter": "2026-12-01T00:00:00Z",
        "serialNumber": "AA",
        "fingerprintSha256": "aa" * 32,
        "daysRemaining": 30,
    },
    "security": {
        "dmarc": {"present": True, "policy": "none", "record": DMARC},
        "issues": [{"severity": "high", "title": "The certificate expires in 30 days"}],
    },
}


def changed_scan(**sections: Any) -> Any:
    """Return the scan with parts of its sections replaced."""
    return {name: SCAN[name] | sections.get(name, {}) for name in SECTIONS}


def test_a_dmarc_record_is_one_change_although_it_is_seven_values() -> None:
    without = changed_scan(
        dns={"records": [SCAN["dns"]["records"][0], *SCAN["dns"]["records"][2:]]},
        security={"dmarc": {"present": False, "policy": None, "record": None}},
    )
    record = Finding(("records",), ("TXT", "_dmarc.shop.example", DMARC))

    assert scan_changes(without, SCAN) == [Change("dns", None, record)]
    assert scan_changes(SCAN, without) == [Change("dns", record, None)]


def test_a_record_is_named_by_its_longest_text() -> None:
    before, after = copy.deepcopy(SCAN), copy.deepcopy(SCAN)
    del before["dns"]["records"][1]
    before["security"]["found"] = []
    after["security"]["found"] = [{"record": DMARC, "advice": "use p=reject"}]

    assert [change.section for change in scan_changes(before, after)] == ["dns"]


def test_a_changed_record_says_which_one_it_is() -> None:
    stricter = DMARC.replace("none", "reject")
    after = copy.deepcopy(SCAN)
    after["dns"]["records"][1]["value"] = stricter
    after["security"]["dmarc"] |= {"policy": "reject", "record": stricter}

    [change] = scan_changes(SCAN, after)

    assert change.of == ("TXT", "_dmarc.shop.example")
    assert (change.before, change.after) == (
        Finding(("records", "2", "value"), DMARC),
        Finding(("records", "2", "value"), stricter),
    )


def test_a_name_server_in_four_places_is_one_change() -> None:
    after = copy.deepcopy(SCAN)
    after["whois"]["nameServers"][1] = after["dns"]["nameServers"][1] = "ns9.new.example"
    after["dns"]["records"][3]["value"] = "ns9.new.example"

    assert [change.section for change in scan_changes(SCAN, after)] == ["whois"]


def test_a_name_server_that_moved_from_one_section_to_another_is_two_changes() -> None:
    name = "ns1.shop.example"
    before, after = changed_scan(whois={"servers": [name]}), changed_scan(dns={"servers": [name]})

    assert [each.section for each in scan_changes(before, after)] == ["whois", "dns"]


def test_the_only_record_of_another_name_is_another_record() -> None:
    before, after = ({"A": [{"name": name, "value": name * 4}]} for name in "ab")

    found = changes(a_section(before), a_section(after))

    assert [(each.before is None, each.after is None) for each in found] == [
        (True, False),
        (False, True),
    ]


def test_of_several_parts_the_one_with_the_longest_text_is_named() -> None:
    before = {"r": {"short": "b" * 20, "long": "a" * 30}}
    after = {"r": {"short": "c" * 20, "long": "d"}}

    [change] = changes(a_section(before), a_section(after))

    assert change.before == Finding(("r", "long"), "a" * 30)


def test_a_renewed_certificate_is_one_change() -> None:
    after = changed_scan(
        ssl={
            "notBefore": "2026-11-20T00:00:00Z",
            "notAfter": "2027-02-20T00:00:00Z",
            "serialNumber": "BB",
            "fingerprintSha256": "bb" * 32,
            "daysRemaining": 90,
        }
    )

    [change] = scan_changes(SCAN, after)

    assert change.after == Finding(("notAfter",), "2027-02-20T00:00:00Z")


def test_another_certificate_with_the_same_end_is_a_change() -> None:
    [change] = scan_changes(SCAN, changed_scan(ssl={"fingerprintSha256": "bb" * 32}))

    assert change.section == "ssl"


SOA = "ns1.example hostmaster.example {} 7200 3600 1209600 3600"
BY_THEMSELVES: dict[str, tuple[Any, Any]] = {
    "days left": ({"daysRemaining": 30}, {"daysRemaining": 29}),
    "days until": ({"days_until_expiry": 30}, {"days_until_expiry": 29}),
    "ttl": ({"a": [{"ip": "1", "TTL": 60}]}, {"a": [{"ip": "1", "TTL": 17}]}),
    "serial": ({"soa": {"serial": 2026010101}}, {"soa": {"serial": 2026010102}}),
    "serial in a text": (
        [{"type": "SOA", "value": SOA.format(2026010101)}],
        [{"type": "SOA", "value": SOA.format(2026010102)}],
    ),
    "moment": ({"lastChecked": "2026-01-01"}, {"lastChecked": "2026-01-02"}),
    "epoch": ({"scanTime": 1_796_090_881}, {"scanTime": 1_796_090_999}),
    "update": ({"updatedDate": "1-Jan-2026"}, {"updatedDate": "2-Jan-2026"}),
    "latency": ({"responseTimeMs": 8}, {"responseTimeMs": 80}),
    "id of the scan": ({"scanId": "a"}, {"scanId": "b"}),
    "days in a title": (
        {"issues": [{"severity": "high", "title": "Ends in 9 days"}]},
        {"issues": [{"severity": "high", "title": "Ends in 8 days"}]},
    ),
}


@loop_over(("before", "after"), BY_THEMSELVES.values(), ids=BY_THEMSELVES)
def test_what_moves_by_itself_is_no_change(before: Any, after: Any) -> None:
    assert changes(a_section(before), a_section(after)) == []


def test_an_end_date_is_a_change_although_it_is_a_date() -> None:
    before, after = (
        {"whois": {"expiryDate": "2026-01-01"}},
        {"whois": {"expiryDate": "2027-01-01"}},
    )

    assert len(scan_changes(before, after)) == 1


def test_the_same_value_in_two_records_of_one_list_is_two_changes() -> None:
    before: Any = {"records": []}
    after = {"records": [{"type": "TXT", "name": name, "value": "v=spf1 -all"} for name in "ab"]}

    assert len(changes(a_section(before), a_section(after))) == 2


def test_a_list_that_became_long_has_one_item_more() -> None:
    names = [f"{number}.example" for number in range(13)]

    [change] = changes(a_section({"names": names[:12]}), a_section({"names": names}))

    assert change.after == Finding(("names",), "12.example")


def test_several_parts_of_one_record_are_one_change_that_names_them() -> None:
    before = {"headers": {"csp": None, "hsts": None, "frames": "DENY"}}
    after = {"headers": {"csp": "default-src 'self'", "hsts": "on", "frames": "DENY"}}

    [change] = changes(a_section(before), a_section(after))

    assert change.after == Finding(("headers", "csp"), "default-src 'self'")
    assert change.also == ("hsts",)


def test_a_new_issue_is_named_by_its_title() -> None:
    after = changed_scan(
        security={
            "issues": [
                *SCAN["security"]["issues"],
                {"severity": "low", "title": "No CAA record", "recommendation": "Add one"},
            ]
        }
    )

    [change] = scan_changes(SCAN, after)

    assert change.after == Finding(("issues",), "No CAA record")


def test_ten_thousand_records_are_compared_quickly() -> None:
    def records(start: int) -> Section:
        made = [{"t": "A", "v": f"{number}"} for number in range(start, start + 3_000)]
        return a_section(made)

    with at_most(processor_s=3):
        found = changes(records(10_000), records(20_000))

    assert len(found) == 6_000


def test_long_numbers_are_compared_quickly() -> None:
    def digits(last: str) -> Section:
        return a_section([{"v": "9" * 1_900 + f"{number:02}{last}"} for number in range(50)])

    with at_most(processor_s=1):
        assert changes(digits("0"), digits("1"))
