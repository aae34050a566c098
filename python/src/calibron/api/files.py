"""Operations of the interface: files. Generated; see python/generator."""

from __future__ import annotations

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class FilesOperations(Sender):
    def delete_configuration_file(self, *, path: str) -> m.FileWriteAnswer:
        """Remove a file of the configuration, or a directory with all that is in it."""
        return self._model(Call("DELETE", "/files/content", query={"path": path}), m.FileWriteAnswer)

    def get_configuration_file(self, *, path: str) -> m.ConfigurationFile:
        """A text file of the configuration."""
        return self._model(Call("GET", "/files/content", query={"path": path}), m.ConfigurationFile)

    def put_configuration_file(self, body: m.FileWrite) -> m.FileWriteAnswer:
        """Write a YAML or JSON file of the configuration atomically."""
        return self._model(Call("PUT", "/files/content", json=body), m.FileWriteAnswer)

    def pull_configuration(self) -> m.RepositoryPullAnswer:
        """Pull the newest commits; refused if local changes would be lost."""
        return self._model(Call("POST", "/files/git/pull"), m.RepositoryPullAnswer)

    def push_configuration(self, body: m.RepositoryPush) -> m.RepositoryPushAnswer:
        """Commit all changes and push them; refused if the remote has newer commits."""
        return self._model(Call("POST", "/files/git/push", json=body), m.RepositoryPushAnswer)

    def get_configuration_repository(self) -> m.RepositoryStatus:
        """What changed in the configuration since it was pulled; asks the remote at most once a minute."""
        return self._model(Call("GET", "/files/git/status"), m.RepositoryStatus)

    def get_raw_data(self, *, path: str) -> bytes:
        """A file of the calibration data."""
        return self._bytes(Call("GET", "/files/raw-data", query={"path": path}))

    def get_configuration_tree(self) -> list[m.ConfigurationEntry]:
        """All files of the configuration but those of other projects, directories first."""
        return self._model(Call("GET", "/files/tree"), list[m.ConfigurationEntry])

    def validate_configuration_text(self, body: m.FileValidation) -> m.FileValidationAnswer:
        """Whether a text is valid YAML or JSON."""
        return self._model(Call("POST", "/files/validate", json=body), m.FileValidationAnswer)

    def get_files_zip(self, *, path: str) -> bytes:
        """A file, or all files below a directory, as a ZIP archive of at most 2 GiB."""
        return self._bytes(Call("GET", "/files/zip", query={"path": path}))

    def put_measurement_file(self, task_id: str, name: str) -> m.UploadedMeasurementFile:
        """Upload a data file of a measurement under way, with the upload_token of its request."""
        return self._model(
            Call("PUT", f"/measurements/{Call.part(task_id)}/files/{Call.part(name)}"), m.UploadedMeasurementFile
        )


class AsyncFilesOperations(AsyncSender):
    async def delete_configuration_file(self, *, path: str) -> m.FileWriteAnswer:
        """Remove a file of the configuration, or a directory with all that is in it."""
        return await self._model(Call("DELETE", "/files/content", query={"path": path}), m.FileWriteAnswer)

    async def get_configuration_file(self, *, path: str) -> m.ConfigurationFile:
        """A text file of the configuration."""
        return await self._model(Call("GET", "/files/content", query={"path": path}), m.ConfigurationFile)

    async def put_configuration_file(self, body: m.FileWrite) -> m.FileWriteAnswer:
        """Write a YAML or JSON file of the configuration atomically."""
        return await self._model(Call("PUT", "/files/content", json=body), m.FileWriteAnswer)

    async def pull_configuration(self) -> m.RepositoryPullAnswer:
        """Pull the newest commits; refused if local changes would be lost."""
        return await self._model(Call("POST", "/files/git/pull"), m.RepositoryPullAnswer)

    async def push_configuration(self, body: m.RepositoryPush) -> m.RepositoryPushAnswer:
        """Commit all changes and push them; refused if the remote has newer commits."""
        return await self._model(Call("POST", "/files/git/push", json=body), m.RepositoryPushAnswer)

    async def get_configuration_repository(self) -> m.RepositoryStatus:
        """What changed in the configuration since it was pulled; asks the remote at most once a minute."""
        return await self._model(Call("GET", "/files/git/status"), m.RepositoryStatus)

    async def get_raw_data(self, *, path: str) -> bytes:
        """A file of the calibration data."""
        return await self._bytes(Call("GET", "/files/raw-data", query={"path": path}))

    async def get_configuration_tree(self) -> list[m.ConfigurationEntry]:
        """All files of the configuration but those of other projects, directories first."""
        return await self._model(Call("GET", "/files/tree"), list[m.ConfigurationEntry])

    async def validate_configuration_text(self, body: m.FileValidation) -> m.FileValidationAnswer:
        """Whether a text is valid YAML or JSON."""
        return await self._model(Call("POST", "/files/validate", json=body), m.FileValidationAnswer)

    async def get_files_zip(self, *, path: str) -> bytes:
        """A file, or all files below a directory, as a ZIP archive of at most 2 GiB."""
        return await self._bytes(Call("GET", "/files/zip", query={"path": path}))

    async def put_measurement_file(self, task_id: str, name: str) -> m.UploadedMeasurementFile:
        """Upload a data file of a measurement under way, with the upload_token of its request."""
        return await self._model(
            Call("PUT", f"/measurements/{Call.part(task_id)}/files/{Call.part(name)}"), m.UploadedMeasurementFile
        )
