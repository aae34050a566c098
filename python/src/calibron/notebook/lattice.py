"""A value of each qubit or coupling, drawn where it is on the chip."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import plotly.graph_objects as go

from ..api import models as m
from ..numbers import readable

_SIZE = 44
_BRIGHT = 0.65
"""Part of the colours from which on white text cannot be read."""


def draw(
    topology: m.TopologyDefinition,
    values: Mapping[str, float],
    *,
    title: str,
    unit: str,
    errors: Mapping[str, float] | None = None,
) -> go.Figure:
    """Draws a chip with a value for some of its qubits (`3`) or couplings (`0-1`)."""
    places = {name: (place.col, -place.row) for name, place in topology.qubits.items()}
    of_couplings = any("-" in target for target in values)
    figure = go.Figure()
    for control, target in _pairs(topology):
        (x0, y0), (x1, y1) = places[control], places[target]
        figure.add_trace(_line([x0, x1], [y0, y1]))
    spots: dict[str, tuple[float, float]] = {name: (x, y) for name, (x, y) in places.items()}
    if of_couplings:
        spots = {name: middle for name in values if (middle := _middle(places, name)) is not None}
    texts = [f"{name}<br>{_short(values[name])}" if name in values else name for name in spots]
    figure.add_trace(
        go.Scatter(
            x=[place[0] for place in spots.values()],
            y=[place[1] for place in spots.values()],
            mode="markers+text",
            text=texts,
            textfont={"size": 10, "color": _text_colours(spots, values)},
            hovertext=[_hover(name, values, errors or {}, unit) for name in spots],
            hoverinfo="text",
            marker={
                "size": _SIZE if not of_couplings else _SIZE * 0.8,
                "color": [values.get(name, math.nan) for name in spots],
                "colorscale": "Viridis",
                "colorbar": {"title": {"text": unit}},
                "line": {"color": "grey", "width": 1},
            },
            showlegend=False,
        )
    )
    figure.update_layout(title=title, plot_bgcolor="white", margin={"l": 20, "r": 20, "t": 50, "b": 20})
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False, scaleanchor="x")
    return figure


def _pairs(topology: m.TopologyDefinition) -> Sequence[tuple[str, str]]:
    return [(str(pair[0]), str(pair[1])) for pair in topology.couplings]


def _line(x: list[float], y: list[float]) -> go.Scatter:
    return go.Scatter(x=x, y=y, mode="lines", line={"color": "lightgrey"}, hoverinfo="skip", showlegend=False)


def _middle(places: Mapping[str, tuple[int, int]], coupling: str) -> tuple[float, float] | None:
    control, _, target = coupling.partition("-")
    if control not in places or target not in places:
        return None
    # Nearer to the target, so that both directions of a pair can be read.
    (x0, y0), (x1, y1) = places[control], places[target]
    return (0.42 * x0 + 0.58 * x1, 0.42 * y0 + 0.58 * y1)


def _text_colours(spots: Iterable[str], values: Mapping[str, float]) -> list[str]:
    """Dark text on the bright end of the colours."""
    low, high = min(values.values(), default=0), max(values.values(), default=0)
    middle = low + _BRIGHT * (high - low)
    return ["black" if values.get(name, low) > middle else "white" for name in spots]


def _short(value: float) -> str:
    return f"{value:.3g}"


def _hover(name: str, values: Mapping[str, float], errors: Mapping[str, float], unit: str) -> str:
    if name not in values:
        return f"{name}: no value"
    return f"{name}: {readable(values[name], errors.get(name))} {unit}".rstrip()
