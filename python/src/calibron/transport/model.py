"""Base of the models of the interface."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Fields that a later version adds are kept, and readable as attributes."""

    model_config = ConfigDict(extra="allow", populate_by_name=True, defer_build=True, protected_namespaces=())
