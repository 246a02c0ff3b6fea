from bot.playground.tracker.samples import (
    HOSTILE_TEXTS,
    sample_scan,
)


def test_hostile_text_stands_where_strangers_write() -> None:
    scan = sample_scan("shop.example", quirk="hostile")

    values = {record["value"] for record in scan["dns"]["records"]}
    assert set(HOSTILE_TEXTS) <= values
    assert "<!everyone>" in scan["whois"]["registrar"]
