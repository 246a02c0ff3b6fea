"""What DATABASE_URL may say, and that no one reads a password in what is said of it."""

import string

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from psycopg.conninfo import conninfo_to_dict

from bot.store.postgres.address import DEFAULT_POOL_SIZE, parse_address
from tests.loops import loop_over

SECRET = "hunter2"


def refusal(url: str) -> str:
    with pytest.raises(ValueError, match="address of the database") as refused:
        parse_address(url)
    return str(refused.value)


def said_of(url: str) -> str:
    try:
        address = parse_address(url)
    except ValueError as error:
        return str(error)
    return f"{address.location} {address!r}"


ESCAPE = r"Write special characters in user or password as %XX"
REFUSALS = {refusal("postgresql:///t?x")}
# Of each kind that means something in an address, so often that most passwords have one.
PASSWORDS = st.text(
    st.sampled_from(string.ascii_letters + string.digits)
    | st.sampled_from("/@:?#[]%&=,+ ")
    | st.sampled_from(list(string.punctuation)),
    min_size=4,
    max_size=30,
)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_an_address_is_parsed(scheme: str) -> None:
    address = parse_address(f"{scheme}://ada:{SECRET}@db.example:6543/bot")

    known = conninfo_to_dict(address.conninfo)
    assert (known["host"], known["port"], known["dbname"]) == ("db.example", "6543", "bot")
    assert (known["user"], known["password"]) == ("ada", SECRET)
    assert address.pool_size == DEFAULT_POOL_SIZE
    assert address.location == "db.example:6543, database bot"


def test_a_network_that_drops_packets_is_noticed_in_seconds() -> None:
    known = conninfo_to_dict(parse_address("postgresql://db.example/bot").conninfo)

    assert known == {
        "host": "db.example",
        "dbname": "bot",
        "application_name": "domain-tracker-bot",
        "client_encoding": "utf8",
        "connect_timeout": "5",
        "keepalives_idle": "30",
        "keepalives_interval": "5",
        "keepalives_count": "3",
        "tcp_user_timeout": "15000",
    }


@loop_over(
    ("url", "said"),
    [
        (f"mysql://ada:{SECRET}@db.example/bot", "begins with postgresql://"),
        (f"postgresql://ada:{SECRET}@db.example:port/bot", ESCAPE),
        (f"postgresql://ada@db.example/bot?passwort={SECRET}", ESCAPE),
        (f"postgresql://ada:{SECRET}\udc80@db/bot", ESCAPE),
        # These would be taken for a place, which is shown.
        (f"postgresql://bot:s3c/{SECRET}@127.0.0.1:1/t", ESCAPE),
        (f"postgresql://bot:s3c@{SECRET}@127.0.0.1:1/t", ESCAPE),
        (f"postgresql://bot:?host={SECRET}@127.0.0.1:1/t", ESCAPE),
        (f"postgresql://bot:{SECRET}", ESCAPE),
        (f"postgresql://bot%3A{SECRET}%40127.0.0.1:1/t", ESCAPE),
    ],
)
def test_a_wrong_address_is_explained_without_quoting_it(url: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as refused:
        parse_address(url)

    assert SECRET not in str(refused.value)
    assert refused.value.__suppress_context__ or refused.value.__context__ is None


@pytest.mark.parametrize(
    ("url", "location"),
    [
        ("postgresql://bot@[::1]:5432/t", "::1:5432, database t"),
        ("postgresql://bot@a.example:1,b.example:2/t", "a.example,b.example:1,2, database t"),
        ("postgresql://bot@%2Frun%2Fdb/t", "/run/db, database t"),
        ("postgresql:///t?host=%40abstract&user=ada%40server", "@abstract, database t"),
        ("postgresql:///t?hostaddr=192.0.2.1", "192.0.2.1, database t"),
        ("postgresql:///t", "the local socket, database t"),
        ("postgresql://db.example", "db.example, database of the same name as the user"),
    ],
)
def test_every_other_way_to_name_a_location_is_taken(url: str, location: str) -> None:
    assert parse_address(url).location == location


@given(PASSWORDS, st.sampled_from(["127.0.0.1:1", "[::1]:1", "h,i:2", ""]))
@example("s3c/r3tpw", "127.0.0.1:1")
@example("s3c@r3tpw", "127.0.0.1:1")
@example("5432/t?dbname=r3tpw", "127.0.0.1:1")
def test_no_part_of_an_unescaped_password_is_ever_shown(password: str, host: str) -> None:
    parts = {password[at : at + 4] for at in range(len(password) - 3)}
    usual = repr(parse_address(f"postgresql://bot@{host}/tracker"))
    assume(not any(part in usual for part in parts))

    said = said_of(f"postgresql://bot:{password}@{host}/tracker")

    assert said in REFUSALS or not [part for part in parts if part in said]
