from hypothesis import given
from hypothesis import strategies as st

from bot.views.scan import highlights
from tests.builders import a_report
from tests.loops import loop_over
from tests.views.acceptance import OUR_MARKUP

LIFTED = {
    "flat": (
        {
            "whois": {
                "registrar": "Reg Ltd",
                "expirationDate": "2030-02-03",
                "nameServers": ["ns1.example", "ns2.example"],
            },
            "ssl": {"issuer": "Let's Encrypt", "validTo": "2030-04-05"},
            "security": {"issues": ["a", "b"]},
        },
        [
            ("Registrar", "`Reg Ltd`"),
            ("Registered until", "3 Feb 2030"),
            ("Name servers", "`ns1.example, ns2.example`"),
            ("Certificate from", "`Let's Encrypt`"),
            ("Certificate until", "5 Apr 2030"),
            ("Issues reported", "2 issues"),
        ],
    ),
    "other spellings": (
        {
            "whois": {"Registrar Name": "R", "Registry Expiry Date": "2030-02-03"},
            "ssl": {"not_after": "2030-04-05", "Issued-By": "CA"},
        },
        [
            ("Registrar", "`R`"),
            ("Registered until", "3 Feb 2030"),
            ("Certificate from", "`CA`"),
            ("Certificate until", "5 Apr 2030"),
        ],
    ),
    "objects with names": (
        {"whois": {"registrar": {"id": 9, "name": "R"}}, "ssl": {"issuer": {"O": "CA"}}},
        [("Registrar", "`R`"), ("Certificate from", "`CA`")],
    ),
    "inside": (
        {"ssl": {"chain": [{"issuer": "Root"}], "certificate": {"issuer": "CA"}}},
        [("Certificate from", "`CA`")],
    ),
    "empty ones say nothing": (
        {"whois": {"registrar": "", "old": {"registrar": "R"}, "nameServers": []}},
        [("Registrar", "`R`")],
    ),
    "only in their own section": ({"dns": {"registrar": "R"}, "ssl": {"registrar": "R"}}, []),
    "nothing": ({}, []),
    "nothing of use": ({"whois": None, "dns": 3, "ssl": "x", "security": []}, []),
}

ISSUES = {
    "no list, no word": ({"grade": "A"}, None),
    "none at all": ({"issues": []}, "0 issues"),
    "one": ({"issues": ["a"]}, "1 issue"),
    "records": ({"vulnerabilities": [{"id": 1, "cve": "x"}, {"id": 2}]}, "2 issues"),
    "lists": ({"problems": [["a", "b", "c"], ["d"]]}, "2 issues"),
    "many words": ({"warnings": ["w"] * 20}, "20 issues"),
    "somewhere deeper": ({"headers": {"issues": ["a"]}}, None),
    "no list": ({"issues": {"a": 1}}, None),
    "more than were kept": (
        {"issues": [{"text": "x" * 1_900}] * 5_000},
        "at least 52 issues",
    ),
}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["issuer", "name", "notAfter", "registrar", "issues", "expires", "x"]),
            inner,
        )
    ),
    max_leaves=20,
)


@loop_over(("sections", "lifted"), LIFTED.values(), ids=LIFTED)
def test_what_most_services_agree_on_is_lifted(
    sections: dict[str, object], lifted: list[tuple[str, str]]
) -> None:
    assert highlights(a_report(sections)) == lifted


@loop_over(("security", "told"), ISSUES.values(), ids=ISSUES)
def test_issues_are_counted_only_where_the_service_lists_them(
    security: object, told: str | None
) -> None:
    lifted = dict(highlights(a_report({"security": security})))

    assert lifted.get("Issues reported") == told


@given(st.dictionaries(st.sampled_from(["whois", "dns", "ssl", "security"]), JSON))
def test_whatever_the_shape_what_is_lifted_fits(sections: dict[str, object]) -> None:
    for name, value in highlights(a_report(sections)):
        assert name
        assert value
        assert "<" not in OUR_MARKUP.sub("", value)
