"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console


@dataclass(frozen=True)
class Finding:
    """The outcome of one check: passed, failed or skipped."""

    check: str
    outcome: str
    detail: str = ""


class Report:
    """Collects findings and prints each as it comes."""

    def __init__(self, console: Console | None = None) -> None:
        self.findings: list[Finding] = []
        self._console = console

    def add(self, finding: Finding) -> None:
        self.findings.append(finding)
        if self._console is None:
            return
        mark = {"passed": "[green]✓[/]", "failed": "[red]✗[/]"}.get(finding.outcome, "[yellow]–[/]")
        self._console.print(f"{mark} {finding.check}", highlight=False)
        if finding.detail:
            self._console.print(f"    {finding.detail}", markup=False, highlight=False)

    @property
    def failed(self) -> list[Finding]:
        return [each for each in self.findings if each.outcome == "failed"]

    def outcome_of(self, check: str) -> str:
        """The outcome of a check by its name; `missing` if it was not made."""
        return next((each.outcome for each in self.findings if each.check == check), "missing")
