"""What DATABASE_URL may say, and that nobody reads a password in what is said of it."""

import pytest
from psycopg.conninfo import conninfo_to_dict

from bot.store.postgres.address import DEFAULT_POOL_SIZE, parse_address

SECRET = "hunter2"


@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_an_address_says_who_reaches_what(scheme: str) -> None:
    address = parse_address(f"{scheme}://ada:{SECRET}@db.example:6543/bot")

    known = conninfo_to_dict(address.conninfo)
    assert (known["host"], known["port"], known["dbname"]) == ("db.example", "6543", "bot")
    assert (known["user"], known["password"]) == ("ada", SECRET)
    assert (address.is_pooled, address.pool_size) == (False, DEFAULT_POOL_SIZE)
    assert address.place == "db.example:6543, database bot"


def test_options_of_tls_and_others_go_to_libpq() -> None:
    address = parse_address(
        "postgres://ada@db.example/bot?sslmode=verify-full&sslrootcert=%2Fca.pem&pool_size=3"
        "&connect_timeout=2&options=-c%20search_path%3Dbot"
    )

    known = conninfo_to_dict(address.conninfo)
    assert (known["sslmode"], known["sslrootcert"]) == ("verify-full", "/ca.pem")
    assert (known["connect_timeout"], known["options"]) == ("2", "-c search_path=bot")
    assert "pool_size" not in known


def test_a_pooler_and_the_number_of_connections_are_ours_to_read() -> None:
    address = parse_address("postgresql:///bot?host=/run/db&pool_mode=transaction&pool_size=40")

    assert (address.is_pooled, address.pool_size) == (True, 40)
    assert not parse_address("postgresql:///bot?pool_mode=session").is_pooled


def test_special_characters_of_a_password_are_written_with_percent() -> None:
    address = parse_address("postgresql://ada:p%40s%2Fs%25%20w@db.example/bot")

    assert conninfo_to_dict(address.conninfo)["password"] == "p@s/s% w"


@pytest.mark.parametrize(
    "url",
    [
        pytest.param(f"mysql://ada:{SECRET}@db.example/bot", id="another-kind"),
        pytest.param(f"postgresql://ada:{SECRET}@db.example:port/bot?%zz", id="garbled"),
        pytest.param(f"postgresql://ada@db.example/bot?passwort={SECRET}", id="unknown-option"),
        pytest.param(f"postgresql://ada:{SECRET}@db/bot?pool_mode={SECRET}", id="pool-mode"),
        pytest.param(f"postgresql://ada:{SECRET}@db/bot?pool_size=1", id="too-few"),
        pytest.param(f"postgresql://ada:{SECRET}@db/bot?pool_size=-{SECRET}", id="no-number"),
        pytest.param(f"postgresql://ada:{SECRET}@[db/bot", id="half-a-bracket"),
    ],
)
def test_what_is_wrong_is_told_without_quoting_it(url: str) -> None:
    with pytest.raises(ValueError, match="address of the database") as refused:
        parse_address(url)

    assert SECRET not in str(refused.value)
    assert refused.value.__suppress_context__ or refused.value.__context__ is None


def test_an_address_does_not_show_its_password() -> None:
    shown = repr(parse_address(f"postgresql://ada:{SECRET}@db.example/bot"))

    assert "db.example" in shown
    assert SECRET not in shown
