"""What slack_sdk's own classes read and write again is accepted here.

Left out are `FileBlock` and `CallBlock`, which an app cannot send, and `AuthProviderBlock`, whose
surfaces no one has settled.
"""

import inspect

from slack_sdk.models import blocks as sdk

from bot.playground.blockkit import check_blocks, check_view
from tests.playground.blockkit.samples import EVERY_FIELD, EVERY_MESSAGE_BLOCK, form_field, modal

# slack_sdk 3.47 has no class for these, and these fields are newer than its classes.
NEWER_BLOCKS = {"data_table", "data_visualization"}
NEWER_FIELDS = {"level", "slack_icon"}
KNOWN_BLOCKS = [
    {name: part for name, part in block.items() if name not in NEWER_FIELDS}
    for block in EVERY_MESSAGE_BLOCK
    if block["type"] not in NEWER_BLOCKS
]
NOT_TRIED = {
    "alert",
    "carousel",
    "video",
    "context_actions",
    "task_card",
    "plan",
}  # the bot sends none
LEFT_OUT = {"call", "file", "auth_provider"}


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


def test_every_block_class_of_the_sdk_is_tried() -> None:
    classes = inspect.getmembers(sdk, inspect.isclass)
    names = {name for name, one in classes if issubclass(one, sdk.Block)} - {"Block", "InputBlock"}
    tried = {block["type"] for block in KNOWN_BLOCKS} - {"input"} | NOT_TRIED | LEFT_OUT
    assert names == {f"{kind.title().replace('_', '')}Block" for kind in tried}
