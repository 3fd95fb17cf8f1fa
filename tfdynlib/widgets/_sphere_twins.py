"""The view "twins" of the figure ``sphere``: two clouds that differ a little."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from tfdynlib import attention, flow, sphere, stability
from tfdynlib.weights import Heads
from tfdynlib.widgets._widget import Preset, doubles

Tokens = Float[np.ndarray, "n 3"]
CHECKED = 2.0  # layer-time at which page and Python are compared
PAIRS = 2e7  # pairs of tokens that a reference may look at
CHANGES = ("prompt", "weights", "sign")
MIXED = [[[1.0, 0.3, -0.2], [0.3, -0.5, 0.4], [-0.2, 0.4, 0.7]]]


def _descent(D: list[list[list[float]]]) -> dict[str, Any]:
    return {"view": "twins", "B": D, "V": (-np.array(D) + 0.0).tolist()}


TWINS = {
    "nudge_prompt": Preset(
        "One token nudged",
        {**_descent([np.eye(3).tolist()]), "n": 32, "beta": 1.0, "t_end": 5},
        1.0,
        "A hundredth of a radian in one token: do the clouds part?",
    ),
    "round_weights": Preset(
        "Weights in 8 bits",
        {**_descent(MIXED), "n": 64, "beta": 2.0, "change": "weights", "t_end": 20},
        5.0,
        "The same prompt under weights rounded to 8 bits.",
    ),
    "minimiser_jump": Preset(
        "The minimiser jumps",
        {
            **_descent([np.diag([1.0, -1.0, 0.0]).tolist()]),
            "n": 48,
            "beta": 1.0,
            "change": "sign",
            "size": 0.1,
            "t_end": 200,
        },
        60.0,
        "Weights of size a tenth and opposite signs: nearly equal energies, "
        "minimisers a right angle apart.",
    ),
}


def _on_grid(M: Float[np.ndarray, "H 3 3"], bits: int) -> Float[np.ndarray, "H 3 3"]:
    """Entries rounded to ``bits`` bits, symmetric about 0; the largest stays."""
    top = np.abs(M).max(axis=(1, 2), keepdims=True)
    top[top == 0] = 1.0
    levels = 2 ** (bits - 1) - 1
    return np.floor(M / top * levels + 0.5) / levels * top


@dataclass(frozen=True)
class Twins:
    """Both clouds of a state, from the heads and the start of the first."""

    heads: Heads
    x: Tokens
    state: dict[str, Any]

    def both(self) -> tuple[Heads, Heads]:
        """Heads of the first cloud and of the second."""
        one, kind = self.heads, self.state["change"]
        if kind == "weights":
            bits = self.state["bits"]
            return one, Heads(_on_grid(one.B, bits), _on_grid(one.V, bits), one.beta)
        if kind == "sign":
            c = self.state["size"]
            plus, minus = (Heads(s * one.B, s * one.V, one.beta) for s in (c, -c))
            return plus, minus
        return one, one

    def other_start(self) -> Tokens:
        """The start of the second cloud."""
        y = self.x.copy()
        if self.state["change"] == "prompt":
            a, b, _ = y[0]
            r, size = np.hypot(a, b), self.state["size"]
            east = np.array([-b / r, a / r, 0.0]) if r > 0 else np.array([1.0, 0, 0])
            y[0] = np.cos(size) * y[0] + np.sin(size) * east
        return y

    def widened(self, state: dict[str, Any]) -> dict[str, Any]:
        """The state with the heads of both clouds: for the length of the step."""
        one, two = self.both()
        B, V = np.concatenate([one.B, two.B]), np.concatenate([one.V, two.V])
        return {**state, "B": B.tolist(), "V": V.tolist()}

    def run(self, t: Float[np.ndarray, " m"]) -> Float[np.ndarray, "2 m n 3"]:
        """Both clouds at the steps t of RK4."""
        starts, rule = (self.x, self.other_start()), self.state["rule"]
        if len(t) == 1:
            return np.stack(starts)[:, None]
        fields = (attention.field(heads, rule=rule) for heads in self.both())
        pairs = zip(fields, starts)
        return np.stack([flow.solve(f, x0, t, method="rk4").x for f, x0 in pairs])

    def reference(self, dt: float) -> dict[str, Any]:
        """Tokens of both clouds at ``CHECKED``, and the constants of the bound."""
        work = 2 * len(self.x) ** 2 * len(self.heads) * 4 / dt
        tokens = []
        if CHECKED * work <= PAIRS:
            end = self.run(dt * np.arange(round(CHECKED / dt) + 1))[:, -1]
            tokens.append({"t": CHECKED, "x": doubles(end)})
        one, two = self.both()
        cold = self.state["beta"] * np.linalg.norm(one.B, 2, axis=(1, 2)).max() <= 300
        L = stability.geodesic_constant(one) if cold else np.inf
        gap = 0.0 if one is two else stability.field_gap(one, two)
        return {"dt": dt, "bound": doubles(np.array([L, gap])), "tokens": tokens}

    def still(self, dt: float | None, spacing: float) -> str:
        """The first cloud at the moment shown, with the distance in words."""
        from tfdynlib import plot

        frames = round(self.state["t"] / spacing) if dt else 0
        inner = round(spacing / dt) if dt else 1
        path = self.run((dt or spacing) * np.arange(frames * inner + 1))[:, ::inner]
        apart = np.sqrt(np.mean(sphere.distance(path[0, -1], path[1, -1]) ** 2))
        view = (self.state["turn"], self.state["tilt"])
        ax = plot.sphere(path[0, -1], trails=path[0, -33:], view=view)
        return plot.show(
            ax,
            alt=f"{len(self.x)} tokens on the sphere at layer-time "
            f"{self.state['t']:g}. A second cloud, a little different at the start or "
            f"in its weights, is {apart:.3g} away, root mean square, token by token.",
        ).svg
