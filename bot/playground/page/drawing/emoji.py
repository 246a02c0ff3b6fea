"""The emoji that people and apps write by name most often, as characters. Pure.

Slack knows some two thousand; a name that is missing here is shown as it was written.
"""

import re

# fmt: off
_EMOJI = {
    "+1": "👍", "-1": "👎", "100": "💯", "alarm_clock": "⏰", "arrow_down": "⬇️",
    "arrow_left": "⬅️", "arrow_lower_right": "↘️", "arrow_right": "➡️", "arrow_up": "⬆️",
    "arrow_upper_right": "↗️", "arrows_counterclockwise": "🔄", "ballot_box_with_check": "☑️",
    "bar_chart": "📊", "bell": "🔔", "black_circle": "⚫", "blue_heart": "💙", "blush": "😊",
    "bookmark": "🔖", "bug": "🐛", "bulb": "💡", "calendar": "📆", "chart_with_downwards_trend":
    "📉", "chart_with_upwards_trend": "📈", "clap": "👏", "clipboard": "📋", "clock1": "🕐",
    "closed_lock_with_key": "🔐", "coffee": "☕", "cry": "😢", "date": "📅", "earth_africa": "🌍",
    "email": "📧", "envelope": "✉️", "exclamation": "❗", "eyes": "👀", "file_folder": "📁",
    "fire": "🔥", "gear": "⚙️", "globe_with_meridians": "🌐", "green_heart": "💚", "grin": "😁",
    "hammer_and_wrench": "🛠️", "heart": "❤️", "heavy_check_mark": "✔️", "hourglass": "⌛",
    "hourglass_flowing_sand": "⏳", "information_source": "\u2139\ufe0f", "joy": "😂", "key": "🔑",
    "large_blue_circle": "🔵", "large_green_circle": "🟢", "large_orange_circle": "🟠",
    "large_yellow_circle": "🟡", "link": "🔗", "lock": "🔒", "mag": "🔍", "mega": "📣",
    "memo": "📝", "muscle": "💪", "no_entry": "⛔", "no_entry_sign": "🚫", "octagonal_sign": "🛑",
    "ok_hand": "👌", "package": "📦", "page_facing_up": "📄", "pause_button": "⏸️",
    "paperclip": "📎", "point_right": "👉", "pray": "🙏", "pushpin": "📌", "question": "❓",
    "raised_hands": "🙌", "red_circle": "🔴", "repeat": "🔁", "robot_face": "🤖", "rocket": "🚀",
    "rotating_light": "🚨", "scream": "😱", "see_no_evil": "🙈", "shield": "🛡️", "slack": "#️⃣",
    "slightly_smiling_face": "🙂", "smile": "😄", "smiley": "😃", "sob": "😭", "sparkles": "✨",
    "speech_balloon": "💬", "star": "⭐", "stopwatch": "⏱️", "sunglasses": "😎", "tada": "🎉",
    "thinking_face": "🤔", "thumbsdown": "👎", "thumbsup": "👍", "timer_clock": "⏲️",
    "triangular_flag_on_post": "🚩", "unlock": "🔓", "warning": "⚠️", "wastebasket": "🗑️",
    "wave": "👋", "white_check_mark": "✅", "white_circle": "⚪", "wink": "😉", "wrench": "🔧",
    "x": "❌", "zap": "⚡",
}
# fmt: on
_NAMED = re.compile(r":([a-z0-9_+-]+):(?::skin-tone-[2-6]:)?")


def emoji(name: str) -> str:
    """Return the character of that name, or the name between its colons."""
    return _EMOJI.get(name, f":{name}:")


def with_emoji(text: str) -> str:
    """Return text in which every name between colons that is known is its character."""
    return _NAMED.sub(lambda named: _EMOJI.get(named[1], named[0]), text)
