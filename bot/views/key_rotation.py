"""The form that leads through a key's rotation, step by step. Pure; never a key.

The steps are those of the service document, section 5.3, rule 5.
"""

from bot.keys import EarlierKey, KeyRecord, KeySlots
from bot.message import Block
from bot.views.blocks import actions, button, context, section
from bot.views.form import form, notice
from bot.views.key_form import KeyFormValues, new_key_blocks
from bot.views.key_label import label_text
from bot.views.text import code, plural

ROTATION_FORM = "key-rotation"
TITLE = "Rotate the API key"
MADE_IT, STANDS_STILL, DELETED_IT = "key.made", "key.still", "key.deleted"
GO_ON = "key.go-on"
SWAP = "Check and swap"

_PLACE = "In Domain Tracker, under *Portfolio → API Keys*,"


def first_step(slots: KeySlots, label: str, metadata: str) -> Block:
    """Return how the new key is made, like the one in use.

    `label` is proposed for it. Where there is an earlier key, a rotation may have been left after
    its second step, and is gone on with.
    """
    record, earlier = slots.record, slots.earlier
    scopes = ", ".join(code(scope, 40) for scope in record.scopes) or (
        "those of the key in use (I was not told which)"
    )
    steps = (
        f"{_PLACE} make a new key:\n• *name*: {code(label)}, for instance; the key in use is"
        f" {label_text(record)}"
        f"\n• *scopes*: the same, {scopes}\n• *expiration*: 90 days, for instance"
        "\n• *IP restrictions*: the same, if the key in use has any"
        "\nIts value is shown only once: keep that page open."
    )
    first = _step(1, "make a new key", steps, metadata, button("I have made it", MADE_IT))
    if earlier:
        left = f"The old key {label_text(earlier.record)} is still kept. Is it deleted there?"
        go_on = actions(button("Go on with step 3", GO_ON, earlier.record.mark))
        first["blocks"] += [section(left), *go_on]
    return first


def second_step(
    metadata: str,
    values: KeyFormValues,
    trouble: str | None = None,
    in_use: KeySlots | None = None,
) -> Block:
    """Return the form for the new key; the arguments are those of `key_form`."""
    named = f", {label_text(in_use.record)}," if in_use else ""
    told = f"The key in use{named} stays until the new one works, and is then kept for 7 days."
    head = section(f"*Step 2 of 4: put the new key in*\n{told}")
    blocks = [head, *new_key_blocks(values, trouble)]
    return form(ROTATION_FORM, TITLE, SWAP, blocks, metadata=metadata)


def checking_step() -> Block:
    """Return what stands in the form's place while the service is asked."""
    return interrupted("⏳ Checking the key with Domain Tracker…")


def third_step(
    record: KeyRecord, earlier: EarlierKey, domains: int | None, metadata: str
) -> Block:
    """Return that the new key is in use, and how to see that nobody uses the old one.

    `domains`: how many it sees, `None` when that was not looked at just now.
    """
    old = label_text(earlier.record)
    seen = "" if domains is None else f" and works: it sees {plural(domains, 'domain')}"
    steps = (
        f"✅ {code(record.shown)} is in use{seen}.\n"
        f"{_PLACE} look at *last used* of {old}, and again some minutes later. It should stand"
        " still. If it moves, something else uses that key too: give that its own key first."
    )
    still = button("It stands still", STANDS_STILL, earlier.record.mark)
    return _step(3, "see that the old key rests", steps, metadata, still)


def fourth_step(earlier: EarlierKey, metadata: str) -> Block:
    """Return that the old key is to be deleted in the service."""
    old = label_text(earlier.record)
    steps = f"{_PLACE} delete {old}. I forget it too, so it cannot be rolled back to any more."
    done = button("Done", DELETED_IT, earlier.record.mark)
    return _step(4, "delete the old key", steps, metadata, done)


def finished(record: KeyRecord) -> Block:
    """Return that all of it is done."""
    return notice(TITLE, [section(f"✅ *Done.* {code(record.shown)} is the only key I have.")])


def interrupted(mrkdwn: str) -> Block:
    """Return one of our own sentences in the form's place."""
    return notice(TITLE, [section(mrkdwn)])


def _step(number: int, title: str, steps: str, metadata: str, go_on: Block | None) -> Block:
    blocks = [section(f"*Step {number} of 4: {title}*\n{steps}"), *actions(go_on)]
    if number == 3:
        back = (
            "You can close this and come back with `Rotate key`: the old key is kept for 7 days."
        )
        blocks.append(context(back))
    return notice(TITLE, blocks, metadata=metadata)
