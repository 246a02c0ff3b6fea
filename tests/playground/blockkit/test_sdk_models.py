"""What slack_sdk's own classes read and write again is accepted here."""

from slack_sdk.models import blocks as sdk

from bot.playground.blockkit import check_blocks, check_view
from tests.playground.blockkit.samples import EVERY_FIELD, EVERY_MESSAGE_BLOCK, form_field, modal

# slack_sdk 3.47 has no class for these, and these fields are newer than its classes.
NEWER_BLOCKS = {"data_table", "data_visualization"}
NEWER_FIELDS = {"level"}
KNOWN_BLOCKS = [
    {name: part for name, part in block.items() if name not in NEWER_FIELDS}
    for block in EVERY_MESSAGE_BLOCK
    if block["type"] not in NEWER_BLOCKS
]


def test_a_block_that_the_sdk_reads_and_writes_again_stays_accepted() -> None:
    for block in KNOWN_BLOCKS:
        parsed = sdk.Block.parse(block)
        assert parsed is not None, block["type"]
        assert check_blocks([parsed.to_dict()]) == [], block["type"]


def test_a_field_that_the_sdk_reads_and_writes_again_stays_accepted() -> None:
    for element in EVERY_FIELD:
        parsed = sdk.InputBlock.parse(form_field(element))
        assert parsed is not None, element["type"]
        assert check_view(modal(parsed.to_dict())) is None, element["type"]
