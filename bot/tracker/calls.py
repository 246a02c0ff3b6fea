"""What is asked of the service, as HTTP requests. No input or output."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

import httpx

from bot.tracker.budget import Purpose, fingerprint
from bot.tracker.errors import InvalidKeyError

PATH = "/api/tools/domain-tracker"
# What a header can carry without being altered; the service's keys are of nothing else.
SENDABLE_KEY = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call with a key. `sent` is the JSON of a POST, which changes something; `None`: a GET.

    Raises:
        InvalidKeyError: the key could not be sent as it is.
    """

    key: str = field(repr=False)
    purpose: Purpose
    deadline_s: float
    path: str = PATH
    sent: Mapping[str, object] | None = None
    is_scan: bool = False

    def __post_init__(self) -> None:
        if not SENDABLE_KEY.fullmatch(self.key):
            raise InvalidKeyError("the key holds characters that no header can carry")

    @property
    def is_write(self) -> bool:
        """Whether the call may change something at the service."""
        return self.sent is not None

    @property
    def fingerprint(self) -> str:
        """Under which name the budget knows the key."""
        return fingerprint(self.key)

    def request(
        self, http: httpx.AsyncClient, base_url: str, *, connect_s: float
    ) -> httpx.Request:
        """Return the call as a request to the service at `base_url`, which ends in no slash."""
        headers = {
            "Authorization": f"Bearer {self.key}",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
        }
        if self.is_write:
            headers["Content-Type"] = "application/json"
        return http.build_request(
            "POST" if self.is_write else "GET",
            base_url + self.path,
            headers=headers,
            # ASCII only: so no text of a person is unsendable, half a surrogate pair included.
            content=json.dumps(self.sent).encode() if self.is_write else None,
            timeout=httpx.Timeout(self.deadline_s, connect=connect_s, pool=connect_s),
        )


def scan_path(domain_id: str) -> str:
    """Return the path of a domain's scan; no id can make it another path."""
    part = quote(domain_id, safe="", errors="replace")
    if not part.strip("."):  # "." and ".." would climb
        part = part.replace(".", "%2E")
    return f"{PATH}/{part}/scan"
