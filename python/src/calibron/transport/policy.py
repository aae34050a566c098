"""When a call is sent again, and after how long."""

from __future__ import annotations

import email.utils
import random
import time
from dataclasses import dataclass

import httpx

from .calls import Call

_AGAIN = (429, 502, 503, 504)
"""Answers after which a call that is safe to repeat is sent again."""


@dataclass(frozen=True)
class Retries:
    """How often and how long a client tries. Total waiting stays below about a minute by default."""

    attempts: int = 6
    first_pause: float = 0.5
    longest_pause: float = 20.0

    def pause(self, attempt: int, response: httpx.Response | None) -> float:
        """Seconds before the next attempt: what the service asks for, or more each time."""
        asked = _retry_after(response)
        if asked is not None:
            return min(asked, self.longest_pause)
        return min(self.first_pause * 2.0**attempt, self.longest_pause) * random.uniform(0.5, 1.0)

    def again(self, call: Call, attempt: int, response: httpx.Response | None) -> bool:
        """Whether to send a call again after an answer, or after none."""
        if attempt + 1 >= self.attempts:
            return False
        if response is None:
            return call.repeatable
        if response.status_code == 429:
            return True  # Nothing was done.
        return response.status_code in _AGAIN and call.repeatable


def _retry_after(response: httpx.Response | None) -> float | None:
    text = response.headers.get("retry-after") if response is not None else None
    if not text:
        return None
    try:
        return max(float(text), 0.0)
    except ValueError:
        pass
    try:
        return max(email.utils.parsedate_to_datetime(text).timestamp() - time.time(), 0.0)
    except ValueError:
        return None
