"""Operations of the interface: chips. Generated; see python/generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from ..transport.calls import Call
from ..transport.senders import AsyncSender, Sender
from . import models as m


class ChipsOperations(Sender):
    def list_manual_edits(
        self,
        *,
        chip_id: str,
        qid: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.ManualEditList:
        """What was changed by hand on a chip, newest first."""
        return self._model(
            Call(
                "GET",
                "/calibrations/manual-edits",
                query={"chip_id": chip_id, "qid": qid, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.ManualEditList,
        )

    def iterate_manual_edits(
        self,
        *,
        chip_id: str,
        qid: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> Iterator[m.ManualEdit]:
        """What was changed by hand on a chip, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/calibrations/manual-edits",
                query={"chip_id": chip_id, "qid": qid, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "items",
            m.ManualEdit,
        )

    def undo_manual_edit(self, edit_id: str, *, project: str | None = None) -> m.ManualEdit:
        """Undo an edit: restore the values that its target had before."""
        return self._model(
            Call("POST", f"/calibrations/manual-edits/{Call.part(edit_id)}/undo", project=project, takes_project=True),
            m.ManualEdit,
        )

    def list_target_manual_edits(
        self, qid: str, *, chip_id: str | None = None, project: str | None = None
    ) -> m.TargetManualEdits:
        """The manual edits of one qubit or coupling, one entry per parameter, newest first."""
        return self._model(
            Call(
                "GET",
                f"/calibrations/manual-edits/{Call.part(qid)}",
                query={"chip_id": chip_id},
                project=project,
                takes_project=True,
            ),
            m.TargetManualEdits,
        )

    def get_calibration_note(self, *, chip_id: str | None = None, project: str | None = None) -> m.CalibrationNote:
        """The calibrated gates of a chip, as programs need them to play pulses."""
        return self._model(
            Call("GET", "/calibrations/note", query={"chip_id": chip_id}, project=project, takes_project=True),
            m.CalibrationNote,
        )

    def edit_parameters(self, body: m.ParameterEdits, *, project: str | None = None) -> m.SavedManualEdit:
        """Change values of one qubit or coupling by hand."""
        return self._model(
            Call("PATCH", "/calibrations/parameters", json=body, project=project, takes_project=True), m.SavedManualEdit
        )

    def compare_seeds(
        self, *, chip_id: str, parameters: list[str] | None = None, project: str | None = None
    ) -> m.SeedComparison:
        """The start values of the parameter files beside what is calibrated."""
        return self._model(
            Call(
                "GET",
                "/calibrations/seed-compare",
                query={"chip_id": chip_id, "parameters": parameters},
                project=project,
                takes_project=True,
            ),
            m.SeedComparison,
        )

    def compare_seeds_by_parameter(
        self, chip_id: str, *, parameters: list[str] | None = None, project: str | None = None
    ) -> m.SeedComparisonByParameter:
        """The start values of the parameter files beside calibration state, by parameter and qubit."""
        return self._model(
            Call(
                "GET",
                f"/calibrations/seed-compare/{Call.part(chip_id)}",
                query={"parameters": parameters},
                project=project,
                takes_project=True,
            ),
            m.SeedComparisonByParameter,
        )

    def import_seeds(self, body: m.SeedImportRequest, *, project: str | None = None) -> m.SeedImport:
        """Make start values, of files or of this request, the calibration state of qubits."""
        return self._model(
            Call("POST", "/calibrations/seed-import", json=body, project=project, takes_project=True), m.SeedImport
        )

    def list_seed_parameters(self, *, chip_id: str, project: str | None = None) -> m.SeedParameters:
        """Which start values the parameter files of a chip have."""
        return self._model(
            Call(
                "GET", "/calibrations/seed-parameters", query={"chip_id": chip_id}, project=project, takes_project=True
            ),
            m.SeedParameters,
        )

    def list_seed_parameter_names(self, chip_id: str, *, project: str | None = None) -> list[str]:
        """Names of the parameters for which the parameter files of a chip have start values."""
        return self._model(
            Call("GET", f"/calibrations/seed-parameters/{Call.part(chip_id)}", project=project, takes_project=True),
            list[str],
        )

    def list_chips(self, *, project: str | None = None) -> m.ChipList:
        """The chips of the project."""
        return self._model(Call("GET", "/chips", project=project, takes_project=True), m.ChipList)

    def create_chip(self, body: m.ChipCreate, *, project: str | None = None) -> m.Chip:
        """Create a chip with the qubits and couplings of its topology."""
        return self._model(Call("POST", "/chips", json=body, project=project, takes_project=True), m.Chip)

    def delete_chip(
        self, chip_id: str, *, force: bool | None = None, if_match: str | None = None, project: str | None = None
    ) -> m.Message:
        """Delete a chip and pause its schedules; its history and results stay."""
        return self._model(
            Call(
                "DELETE",
                f"/chips/{Call.part(chip_id)}",
                query={"force": force},
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    def get_chip(self, chip_id: str, *, project: str | None = None) -> m.Chip:
        """One chip."""
        return self._model(Call("GET", f"/chips/{Call.part(chip_id)}", project=project, takes_project=True), m.Chip)

    def update_chip(
        self, chip_id: str, body: m.ChipChange, *, if_match: str | None = None, project: str | None = None
    ) -> m.Chip:
        """Change a chip; naming its topology again adds qubits and couplings that are missing."""
        return self._model(
            Call(
                "PATCH",
                f"/chips/{Call.part(chip_id)}",
                conditions={"if-match": if_match},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.Chip,
        )

    def list_couplings(
        self, chip_id: str, *, limit: int | None = None, offset: int | None = None, project: str | None = None
    ) -> m.CouplingList:
        """A page of the couplings of a chip, by control, then target."""
        return self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/couplings",
                query={"limit": limit, "offset": offset},
                project=project,
                takes_project=True,
            ),
            m.CouplingList,
        )

    def iterate_couplings(
        self, chip_id: str, *, limit: int | None = None, offset: int | None = None, project: str | None = None
    ) -> Iterator[m.Coupling]:
        """A page of the couplings of a chip, by control, then target, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/couplings",
                query={"limit": limit, "offset": offset},
                project=project,
                takes_project=True,
            ),
            "couplings",
            m.Coupling,
        )

    def get_coupling(self, chip_id: str, coupling_id: str, *, project: str | None = None) -> m.Coupling:
        """One coupling with its calibration values."""
        return self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}",
                project=project,
                takes_project=True,
            ),
            m.Coupling,
        )

    def list_chip_dates(self, chip_id: str, *, project: str | None = None) -> m.ChipDates:
        """Days on which the chip had executions, as YYYYMMDD."""
        return self._model(
            Call("GET", f"/chips/{Call.part(chip_id)}/dates", project=project, takes_project=True), m.ChipDates
        )

    def get_chip_deletion_impact(self, chip_id: str, *, project: str | None = None) -> m.DeletionImpact:
        """What deleting a chip would touch."""
        return self._model(
            Call("GET", f"/chips/{Call.part(chip_id)}/deletion-impact", project=project, takes_project=True),
            m.DeletionImpact,
        )

    def list_muxes(self, chip_id: str, *, fields: list[str] | None = None, project: str | None = None) -> m.MuxList:
        """All multiplexers with the newest result of every task on each qubit."""
        return self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/muxes",
                query={"fields": fields},
                project=project,
                takes_project=True,
            ),
            m.MuxList,
        )

    def get_mux(self, chip_id: str, mux_id: int, *, project: str | None = None) -> m.Mux:
        """One multiplexer with the newest result of every task on each of its qubits."""
        return self._model(
            Call("GET", f"/chips/{Call.part(chip_id)}/muxes/{Call.part(mux_id)}", project=project, takes_project=True),
            m.Mux,
        )

    def list_qubits(
        self,
        chip_id: str,
        *,
        limit: int | None = None,
        offset: int | None = None,
        qids: list[str] | None = None,
        project: str | None = None,
    ) -> m.QubitList:
        """A page of the qubits of a chip, by number."""
        return self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/qubits",
                query={"limit": limit, "offset": offset, "qids": qids},
                project=project,
                takes_project=True,
            ),
            m.QubitList,
        )

    def iterate_qubits(
        self,
        chip_id: str,
        *,
        limit: int | None = None,
        offset: int | None = None,
        qids: list[str] | None = None,
        project: str | None = None,
    ) -> Iterator[m.Qubit]:
        """A page of the qubits of a chip, by number, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/qubits",
                query={"limit": limit, "offset": offset, "qids": qids},
                project=project,
                takes_project=True,
            ),
            "qubits",
            m.Qubit,
        )

    def get_qubit(self, chip_id: str, qid: str, *, project: str | None = None) -> m.Qubit:
        """One qubit with its calibration values."""
        return self._model(
            Call("GET", f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}", project=project, takes_project=True),
            m.Qubit,
        )

    def reanalyze_qubit_spectroscopy(
        self, chip_id: str, qid: str, body: m.QubitReanalysis, *, project: str | None = None
    ) -> m.Reanalysis:
        """Preview what stored qubit data says with other parameters; nothing is changed."""
        return self._model(
            Call(
                "POST",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/reanalyze/qubit-spectroscopy",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.Reanalysis,
        )

    def reanalyze_resonator_spectroscopy(
        self, chip_id: str, qid: str, body: m.ResonatorReanalysis, *, project: str | None = None
    ) -> m.Reanalysis:
        """Preview what stored resonator data says with other parameters; nothing is changed."""
        return self._model(
            Call(
                "POST",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/reanalyze/resonator-spectroscopy",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.Reanalysis,
        )

    def get_chip_time(
        self,
        chip_id: str,
        *,
        from_: str | None = None,
        to: str | None = None,
        slice: str | None = None,
        project: str | None = None,
    ) -> m.ChipTime:
        """Where the time of a chip went, such as a night: as a whole, and by hour or day."""
        return self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/time",
                query={"from": from_, "to": to, "slice": slice},
                project=project,
                takes_project=True,
            ),
            m.ChipTime,
        )

    def get_chip_time_as_picture(
        self, chip_id: str, *, from_: str | None = None, to: str | None = None, project: str | None = None
    ) -> bytes:
        """The same as a picture."""
        return self._bytes(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/time/picture",
                query={"from": from_, "to": to},
                project=project,
                takes_project=True,
            )
        )


class AsyncChipsOperations(AsyncSender):
    async def list_manual_edits(
        self,
        *,
        chip_id: str,
        qid: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> m.ManualEditList:
        """What was changed by hand on a chip, newest first."""
        return await self._model(
            Call(
                "GET",
                "/calibrations/manual-edits",
                query={"chip_id": chip_id, "qid": qid, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            m.ManualEditList,
        )

    def iterate_manual_edits(
        self,
        *,
        chip_id: str,
        qid: str | None = None,
        skip: int | None = None,
        limit: int | None = None,
        project: str | None = None,
    ) -> AsyncIterator[m.ManualEdit]:
        """What was changed by hand on a chip, newest first, page after page."""
        return self._pages(
            Call(
                "GET",
                "/calibrations/manual-edits",
                query={"chip_id": chip_id, "qid": qid, "skip": skip, "limit": limit},
                project=project,
                takes_project=True,
            ),
            "items",
            m.ManualEdit,
        )

    async def undo_manual_edit(self, edit_id: str, *, project: str | None = None) -> m.ManualEdit:
        """Undo an edit: restore the values that its target had before."""
        return await self._model(
            Call("POST", f"/calibrations/manual-edits/{Call.part(edit_id)}/undo", project=project, takes_project=True),
            m.ManualEdit,
        )

    async def list_target_manual_edits(
        self, qid: str, *, chip_id: str | None = None, project: str | None = None
    ) -> m.TargetManualEdits:
        """The manual edits of one qubit or coupling, one entry per parameter, newest first."""
        return await self._model(
            Call(
                "GET",
                f"/calibrations/manual-edits/{Call.part(qid)}",
                query={"chip_id": chip_id},
                project=project,
                takes_project=True,
            ),
            m.TargetManualEdits,
        )

    async def get_calibration_note(
        self, *, chip_id: str | None = None, project: str | None = None
    ) -> m.CalibrationNote:
        """The calibrated gates of a chip, as programs need them to play pulses."""
        return await self._model(
            Call("GET", "/calibrations/note", query={"chip_id": chip_id}, project=project, takes_project=True),
            m.CalibrationNote,
        )

    async def edit_parameters(self, body: m.ParameterEdits, *, project: str | None = None) -> m.SavedManualEdit:
        """Change values of one qubit or coupling by hand."""
        return await self._model(
            Call("PATCH", "/calibrations/parameters", json=body, project=project, takes_project=True), m.SavedManualEdit
        )

    async def compare_seeds(
        self, *, chip_id: str, parameters: list[str] | None = None, project: str | None = None
    ) -> m.SeedComparison:
        """The start values of the parameter files beside what is calibrated."""
        return await self._model(
            Call(
                "GET",
                "/calibrations/seed-compare",
                query={"chip_id": chip_id, "parameters": parameters},
                project=project,
                takes_project=True,
            ),
            m.SeedComparison,
        )

    async def compare_seeds_by_parameter(
        self, chip_id: str, *, parameters: list[str] | None = None, project: str | None = None
    ) -> m.SeedComparisonByParameter:
        """The start values of the parameter files beside calibration state, by parameter and qubit."""
        return await self._model(
            Call(
                "GET",
                f"/calibrations/seed-compare/{Call.part(chip_id)}",
                query={"parameters": parameters},
                project=project,
                takes_project=True,
            ),
            m.SeedComparisonByParameter,
        )

    async def import_seeds(self, body: m.SeedImportRequest, *, project: str | None = None) -> m.SeedImport:
        """Make start values, of files or of this request, the calibration state of qubits."""
        return await self._model(
            Call("POST", "/calibrations/seed-import", json=body, project=project, takes_project=True), m.SeedImport
        )

    async def list_seed_parameters(self, *, chip_id: str, project: str | None = None) -> m.SeedParameters:
        """Which start values the parameter files of a chip have."""
        return await self._model(
            Call(
                "GET", "/calibrations/seed-parameters", query={"chip_id": chip_id}, project=project, takes_project=True
            ),
            m.SeedParameters,
        )

    async def list_seed_parameter_names(self, chip_id: str, *, project: str | None = None) -> list[str]:
        """Names of the parameters for which the parameter files of a chip have start values."""
        return await self._model(
            Call("GET", f"/calibrations/seed-parameters/{Call.part(chip_id)}", project=project, takes_project=True),
            list[str],
        )

    async def list_chips(self, *, project: str | None = None) -> m.ChipList:
        """The chips of the project."""
        return await self._model(Call("GET", "/chips", project=project, takes_project=True), m.ChipList)

    async def create_chip(self, body: m.ChipCreate, *, project: str | None = None) -> m.Chip:
        """Create a chip with the qubits and couplings of its topology."""
        return await self._model(Call("POST", "/chips", json=body, project=project, takes_project=True), m.Chip)

    async def delete_chip(
        self, chip_id: str, *, force: bool | None = None, if_match: str | None = None, project: str | None = None
    ) -> m.Message:
        """Delete a chip and pause its schedules; its history and results stay."""
        return await self._model(
            Call(
                "DELETE",
                f"/chips/{Call.part(chip_id)}",
                query={"force": force},
                conditions={"if-match": if_match},
                project=project,
                takes_project=True,
            ),
            m.Message,
        )

    async def get_chip(self, chip_id: str, *, project: str | None = None) -> m.Chip:
        """One chip."""
        return await self._model(
            Call("GET", f"/chips/{Call.part(chip_id)}", project=project, takes_project=True), m.Chip
        )

    async def update_chip(
        self, chip_id: str, body: m.ChipChange, *, if_match: str | None = None, project: str | None = None
    ) -> m.Chip:
        """Change a chip; naming its topology again adds qubits and couplings that are missing."""
        return await self._model(
            Call(
                "PATCH",
                f"/chips/{Call.part(chip_id)}",
                conditions={"if-match": if_match},
                json=body,
                project=project,
                takes_project=True,
            ),
            m.Chip,
        )

    async def list_couplings(
        self, chip_id: str, *, limit: int | None = None, offset: int | None = None, project: str | None = None
    ) -> m.CouplingList:
        """A page of the couplings of a chip, by control, then target."""
        return await self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/couplings",
                query={"limit": limit, "offset": offset},
                project=project,
                takes_project=True,
            ),
            m.CouplingList,
        )

    def iterate_couplings(
        self, chip_id: str, *, limit: int | None = None, offset: int | None = None, project: str | None = None
    ) -> AsyncIterator[m.Coupling]:
        """A page of the couplings of a chip, by control, then target, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/couplings",
                query={"limit": limit, "offset": offset},
                project=project,
                takes_project=True,
            ),
            "couplings",
            m.Coupling,
        )

    async def get_coupling(self, chip_id: str, coupling_id: str, *, project: str | None = None) -> m.Coupling:
        """One coupling with its calibration values."""
        return await self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/couplings/{Call.part(coupling_id)}",
                project=project,
                takes_project=True,
            ),
            m.Coupling,
        )

    async def list_chip_dates(self, chip_id: str, *, project: str | None = None) -> m.ChipDates:
        """Days on which the chip had executions, as YYYYMMDD."""
        return await self._model(
            Call("GET", f"/chips/{Call.part(chip_id)}/dates", project=project, takes_project=True), m.ChipDates
        )

    async def get_chip_deletion_impact(self, chip_id: str, *, project: str | None = None) -> m.DeletionImpact:
        """What deleting a chip would touch."""
        return await self._model(
            Call("GET", f"/chips/{Call.part(chip_id)}/deletion-impact", project=project, takes_project=True),
            m.DeletionImpact,
        )

    async def list_muxes(
        self, chip_id: str, *, fields: list[str] | None = None, project: str | None = None
    ) -> m.MuxList:
        """All multiplexers with the newest result of every task on each qubit."""
        return await self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/muxes",
                query={"fields": fields},
                project=project,
                takes_project=True,
            ),
            m.MuxList,
        )

    async def get_mux(self, chip_id: str, mux_id: int, *, project: str | None = None) -> m.Mux:
        """One multiplexer with the newest result of every task on each of its qubits."""
        return await self._model(
            Call("GET", f"/chips/{Call.part(chip_id)}/muxes/{Call.part(mux_id)}", project=project, takes_project=True),
            m.Mux,
        )

    async def list_qubits(
        self,
        chip_id: str,
        *,
        limit: int | None = None,
        offset: int | None = None,
        qids: list[str] | None = None,
        project: str | None = None,
    ) -> m.QubitList:
        """A page of the qubits of a chip, by number."""
        return await self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/qubits",
                query={"limit": limit, "offset": offset, "qids": qids},
                project=project,
                takes_project=True,
            ),
            m.QubitList,
        )

    def iterate_qubits(
        self,
        chip_id: str,
        *,
        limit: int | None = None,
        offset: int | None = None,
        qids: list[str] | None = None,
        project: str | None = None,
    ) -> AsyncIterator[m.Qubit]:
        """A page of the qubits of a chip, by number, page after page."""
        return self._pages(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/qubits",
                query={"limit": limit, "offset": offset, "qids": qids},
                project=project,
                takes_project=True,
            ),
            "qubits",
            m.Qubit,
        )

    async def get_qubit(self, chip_id: str, qid: str, *, project: str | None = None) -> m.Qubit:
        """One qubit with its calibration values."""
        return await self._model(
            Call("GET", f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}", project=project, takes_project=True),
            m.Qubit,
        )

    async def reanalyze_qubit_spectroscopy(
        self, chip_id: str, qid: str, body: m.QubitReanalysis, *, project: str | None = None
    ) -> m.Reanalysis:
        """Preview what stored qubit data says with other parameters; nothing is changed."""
        return await self._model(
            Call(
                "POST",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/reanalyze/qubit-spectroscopy",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.Reanalysis,
        )

    async def reanalyze_resonator_spectroscopy(
        self, chip_id: str, qid: str, body: m.ResonatorReanalysis, *, project: str | None = None
    ) -> m.Reanalysis:
        """Preview what stored resonator data says with other parameters; nothing is changed."""
        return await self._model(
            Call(
                "POST",
                f"/chips/{Call.part(chip_id)}/qubits/{Call.part(qid)}/reanalyze/resonator-spectroscopy",
                json=body,
                project=project,
                takes_project=True,
            ),
            m.Reanalysis,
        )

    async def get_chip_time(
        self,
        chip_id: str,
        *,
        from_: str | None = None,
        to: str | None = None,
        slice: str | None = None,
        project: str | None = None,
    ) -> m.ChipTime:
        """Where the time of a chip went, such as a night: as a whole, and by hour or day."""
        return await self._model(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/time",
                query={"from": from_, "to": to, "slice": slice},
                project=project,
                takes_project=True,
            ),
            m.ChipTime,
        )

    async def get_chip_time_as_picture(
        self, chip_id: str, *, from_: str | None = None, to: str | None = None, project: str | None = None
    ) -> bytes:
        """The same as a picture."""
        return await self._bytes(
            Call(
                "GET",
                f"/chips/{Call.part(chip_id)}/time/picture",
                query={"from": from_, "to": to},
                project=project,
                takes_project=True,
            )
        )
