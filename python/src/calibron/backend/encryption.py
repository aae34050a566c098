"""Encryption of what Temporal stores, in the format of Temporal's samples and of Calibron's own processes."""

from __future__ import annotations

import base64
import binascii
import os
import re
from collections.abc import Sequence

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from temporalio.api.common.v1 import Payload
from temporalio.converter import PayloadCodec

_ENCODING = b"binary/encrypted"
_KEY_ID = "encryption-key-id"
_KEY_BYTES = 32
_NONCE_BYTES = 12


def read_keys(text: str) -> dict[str, bytes]:
    """Reads `id:Base64,id:Base64`. Raises ValueError with a message."""
    keys: dict[str, bytes] = {}
    for part in text.split(","):
        found = re.fullmatch(r"\s*([\w.-]+):([A-Za-z0-9+/]+=*)\s*", part)
        try:
            key = base64.b64decode(found[2], validate=True) if found else b""
        except binascii.Error:
            key = b""
        if not found or len(key) != _KEY_BYTES or found[1] in keys:
            raise ValueError("PAYLOAD_KEYS must be id:key, comma-separated, each key 32 bytes in Base64.")
        keys[found[1]] = key
    return keys


class AesGcmCodec(PayloadCodec):
    """Encrypts with the first key, decrypts with any."""

    def __init__(self, keys: str) -> None:
        self._keys = read_keys(keys)
        self._id = next(iter(self._keys))

    async def encode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [self._encrypt(each) for each in payloads]

    async def decode(self, payloads: Sequence[Payload]) -> list[Payload]:
        return [self._decrypt(each) for each in payloads]

    def _encrypt(self, payload: Payload) -> Payload:
        nonce = os.urandom(_NONCE_BYTES)
        body = AESGCM(self._keys[self._id]).encrypt(nonce, payload.SerializeToString(), None)
        metadata = {"encoding": _ENCODING, _KEY_ID: self._id.encode()}
        return Payload(metadata=metadata, data=nonce + body)

    def _decrypt(self, payload: Payload) -> Payload:
        if payload.metadata.get("encoding") != _ENCODING:
            return payload
        name = payload.metadata.get(_KEY_ID, b"").decode()
        if name not in self._keys:
            raise ValueError(f"PAYLOAD_KEYS has no key {name}, with which this was encrypted.")
        nonce, body = payload.data[:_NONCE_BYTES], payload.data[_NONCE_BYTES:]
        return Payload.FromString(AESGCM(self._keys[name]).decrypt(nonce, body, None))
