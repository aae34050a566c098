"""Encryption in the format of Calibron's own processes."""

import base64

import pytest
from temporalio.api.common.v1 import Payload

from calibron.backend.encryption import AesGcmCodec, read_keys

OLD = "2026:" + base64.b64encode(bytes(32)).decode()
FROM_CALIBRON = "wgETqcG7VNVf8S6DT70heQGGERnAPwWN00bcAR4JhHfoQbPRfoXwvA+Wm5Z5LOrtbO7PB2tgm+SVlh64Rp+6T9zP"
"""What Calibron's own codec made of the payload below with the key `OLD`."""
NEW = "2027:" + base64.b64encode(bytes(range(32))).decode()


async def test_a_payload_is_read_with_any_key_and_written_with_the_first() -> None:
    payload = Payload(metadata={"encoding": b"json/plain"}, data=b'{"t1": 51.2}')
    [written] = await AesGcmCodec(OLD).encode([payload])
    assert b"51.2" not in written.data
    assert await AesGcmCodec(f"{NEW},{OLD}").decode([written]) == [payload]
    with pytest.raises(ValueError, match="no key 2026"):
        await AesGcmCodec(NEW).decode([written])
    assert await AesGcmCodec(NEW).decode([payload]) == [payload]


async def test_what_calibron_encrypted_is_read() -> None:
    metadata = {"encoding": b"binary/encrypted", "encryption-key-id": b"2026"}
    sealed = Payload(metadata=metadata, data=base64.b64decode(FROM_CALIBRON))
    payload = Payload(metadata={"encoding": b"json/plain"}, data=b'{"t1": 51.2}')
    assert await AesGcmCodec(OLD).decode([sealed]) == [payload]


@pytest.mark.parametrize("text", ["", "2026", "2026:AAAA", f"{OLD},{OLD}"])
def test_odd_keys_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="PAYLOAD_KEYS must be"):
        read_keys(text)
