"""Print a manifest for `slack run`: as JSON, with Socket Mode and so without addresses.

https://docs.slack.dev/tools/slack-cli/reference/hooks#get-manifest
"""

import json
import sys
from pathlib import Path
from typing import Any

import yaml

ADDRESSES = {"url", "request_url", "message_menu_options_url", "redirect_urls"}


def without_addresses(part: Any) -> Any:
    """Return a part of the manifest without the addresses of a bot that listens."""
    if isinstance(part, list):
        return [without_addresses(each) for each in part]
    if isinstance(part, dict):
        return {
            name: without_addresses(value) for name, value in part.items() if name not in ADDRESSES
        }
    return part


manifest = without_addresses(yaml.safe_load(Path(sys.argv[1]).read_text(encoding="utf-8")))
manifest["settings"]["socket_mode_enabled"] = True
json.dump(manifest, sys.stdout)
