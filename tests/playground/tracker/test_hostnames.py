import pytest

from bot.playground.tracker.accounts import canonical_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param("shop.example", "shop.example", id="plain"),
        pytest.param("SHOP.Example", "shop.example", id="case"),
        pytest.param("münchen.example", "xn--mnchen-3ya.example", id="international"),
        pytest.param("r3---sn.example", "r3---sn.example", id="hyphens-inside"),
        pytest.param("1.example", "1.example", id="digits"),
        pytest.param("a." * 124 + "test", "a." * 124 + "test", id="252-characters"),
        pytest.param("a" * 63 + ".example", "a" * 63 + ".example", id="63-in-a-label"),
    ],
)
def test_a_domain_name_has_one_canonical_form(text: str, name: str) -> None:
    assert canonical_name(text) == name


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "localhost", "shop.example.", ".example", "shop..example", "-a.example",
        "a-.example", "192.0.2.1", "[2001:db8::1]", "https://shop.example", "shop.example/",
        "shop.example:443", "a b.example", "a_b.example", "shop.example\n", "🙂.example",
        "a" * 64 + ".example", "ü" * 64 + ".example", "a." * 125 + "test", "\u202eshop.example",
    ],
)  # fmt: skip
def test_anything_else_is_no_domain_name(text: str) -> None:
    with pytest.raises(ValueError, match="not a domain name"):
        canonical_name(text)
