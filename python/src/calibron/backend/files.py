"""Where the files of a measurement go: a shared directory, or Calibron's API."""

from __future__ import annotations

import json
import os
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

from .dataset import Dataset
from .errors import MeasurementError
from .netcdf import write_netcdf
from .request import Request

_UPLOAD_SECONDS = 60


class Files:
    """Delivers datasets as files. `url` is Calibron's address; without it files need the shared directory."""

    def __init__(self, url: str | None = None) -> None:
        self._url = url or os.environ.get("CALIBRON_URL")

    def deliver(self, request: Request, name: str, data: Dataset) -> str:
        """Writes or uploads the data. Returns the path by which Calibron finds the file."""
        file = f"{_plain(name)}_{request.attempt}_{request.pass_number}.nc"
        attributes = {"task_name": request.task, "task_id": request.task_id, "target": name}
        if os.access(request.artifact_dir, os.W_OK):
            write_netcdf(request.artifact_dir / file, data, attributes)
            return file
        if self._url is None or request.upload_token is None:
            raise MeasurementError(
                f"The data do not fit into the answer, and {request.artifact_dir} cannot be written. "
                "Share this directory with Calibron's workers, or set CALIBRON_URL on this machine to upload files."
            )
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory, file)
            write_netcdf(path, data, attributes)
            return self._upload(request, file, path.read_bytes())

    def _upload(self, request: Request, name: str, content: bytes) -> str:
        upload = urllib.request.Request(
            f"{(self._url or '').rstrip('/')}/measurements/{request.task_id}/files/{name}",
            data=content,
            method="PUT",
            headers={
                "Authorization": f"Bearer {request.upload_token}",
                "Content-Type": "application/octet-stream",
            },
        )
        try:
            with urllib.request.urlopen(upload, timeout=_UPLOAD_SECONDS) as answer:
                path = json.load(answer)["path"]
        except (urllib.error.URLError, OSError, KeyError, ValueError) as error:
            raise MeasurementError(f"The data could not be uploaded: {error}.") from error
        return str(path)


def _plain(name: str) -> str:
    """A target as a part of a file name."""
    return "".join(each if each.isascii() and (each.isalnum() or each in "-_") else "_" for each in name)
