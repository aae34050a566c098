"""The connection to Temporal, by Temporal's own configuration."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import os

from temporalio.client import Client
from temporalio.converter import DataConverter
from temporalio.envconfig import ClientConfig
from temporalio.service import RPCError

log = logging.getLogger("calibron.backend")

_PAUSE = 2.0


def data_converter() -> DataConverter:
    """The converter, with encryption if PAYLOAD_KEYS is set as for Calibron's own processes."""
    keys = os.environ.get("PAYLOAD_KEYS")
    if not keys:
        return DataConverter.default
    try:
        from .encryption import AesGcmCodec
    except ImportError:
        raise ValueError('PAYLOAD_KEYS needs more packages: pip install "calibron[encryption]".') from None

    return dataclasses.replace(DataConverter.default, payload_codec=AesGcmCodec(keys))


async def connect(identity: str) -> Client:
    """Connects with TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TLS and API key of the environment or of a profile.

    Waits until Temporal answers, because a worker may start before it.
    """
    given = ClientConfig.load_client_connect_config()
    address = given.get("target_host", "127.0.0.1:7233")
    while True:
        try:
            return await Client.connect(
                address,
                namespace=given.get("namespace", "calibron"),
                tls=given.get("tls"),
                api_key=given.get("api_key"),
                rpc_metadata=given.get("rpc_metadata", {}),
                identity=identity,
                data_converter=data_converter(),
            )
        except (RuntimeError, RPCError) as error:
            log.warning("Temporal at %s does not answer yet: %s", address, error)
            await asyncio.sleep(_PAUSE)
