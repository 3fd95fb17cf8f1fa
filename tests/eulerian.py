"""The weighted distance of two densities on the circle, a second way: on a fixed grid.

The continuity equation holds exactly for a lifted distribution function F(angle, time),
with density the slope in the angle and flux minus the slope in time.  F stands at cell
edges and time levels, the density at centres, the flux at edges and half levels, where
the density is the mean of the four around.  Second order; positive densities only.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize


@dataclass
class Grid:
    """Cells and time steps between two distribution functions, under heads."""

    first: np.ndarray
    last: np.ndarray
    steps: int
    heads: object

    def __post_init__(self):
        n = len(self.first)
        self.h, self.dt = 2 * np.pi / n, 1 / self.steps
        edge = 2 * np.pi * np.arange(n) / n
        x, y = (
            np.stack([np.cos(a), np.sin(a)], axis=1) for a in (edge, edge + self.h / 2)
        )
        B = self.heads.beta * self.heads.B
        self.kernels = [np.exp(x @ b.T @ y.T) * self.h for b in B]

    def levels(self, z):
        """F at all times: free inside, at the end up to a rotation of the circle."""
        inner = z[:-1].reshape(self.steps - 1, -1)
        return np.concatenate([self.first[None], inner, self.last[None] + z[-1]])

    def density(self, F):
        """At centres and half levels, and as the flux sees it."""
        around = np.append(F[:, 1:], F[:, :1] + 1, axis=1)
        rho = (around - F) / self.h
        rho = (rho[1:] + rho[:-1]) / 2
        return rho, (rho + np.roll(rho, 1, axis=1)) / 2

    def sums(self, F):
        return [self.density(F)[0] @ K.T for K in self.kernels]

    def weight(self, F):
        """The effective weight at the places of the flux."""
        return 1 / sum(m / s for m, s in zip(self.heads.mass, self.sums(F)))

    def action(self, z, frozen=None):
        """Action and gradient; with ``frozen`` the weight does not follow F."""
        F = self.levels(z)
        flux = -np.diff(F, axis=0) / self.dt
        rho, seen = self.density(F)
        assert seen.min() > 0
        b = self.weight(F) if frozen is None else frozen
        cell = self.h * self.dt
        by_seen = -cell * b * (flux / seen) ** 2
        by_rho = (by_seen + np.roll(by_seen, -1, axis=1)) / 2
        if frozen is None:
            for m, s, K in zip(self.heads.mass, self.sums(F), self.kernels):
                by_rho += (cell * flux**2 / seen * b**2 * m / s**2) @ K
        by_F = np.zeros_like(F)
        by_level = np.zeros_like(F)
        by_level[1:] += by_rho / 2
        by_level[:-1] += by_rho / 2
        by_F += (np.roll(by_level, 1, axis=1) - by_level) / self.h
        by_flux = 2 * cell * b * flux / seen
        by_F[:-1] += by_flux / self.dt
        by_F[1:] -= by_flux / self.dt
        grad = np.append(by_F[1:-1].ravel(), by_F[-1].sum())
        return float(cell * np.sum(b * flux**2 / seen)), grad

    def solve(self, z=None, frozen=None):
        """The minimiser from a start (the straight line if none is given)."""
        if z is None:
            turn = np.mean(self.first - self.last)
            s = np.linspace(0, 1, self.steps + 1)[1:-1, None]
            F = (1 - s) * self.first + s * (self.last + turn)
            z = np.append(F.ravel(), turn)
        # Coordinates in which the action has about one curvature in all directions
        # (weight over density taken as 2 pi): sines in time, and the turn of the end,
        # which takes the levels before along.  It is small, since L-BFGS begins with a
        # step of length one, and the density must stay positive.
        small = 1e-2
        k = np.arange(1, self.steps)
        angles = np.pi * k / self.steps
        sines = np.sqrt(2 / self.steps) * np.sin(np.outer(k, angles))
        curvature = 8 * np.pi * (1 - np.cos(angles)) * self.h / self.dt
        unit, whole = np.sqrt(curvature)[:, None] / small, np.sqrt(8) * np.pi / small
        ramp = k[:, None] / self.steps

        def split(z):
            return z[:-1].reshape(self.steps - 1, -1), z[-1]

        def place(y):
            waves, turn = split(y)
            turn = turn / whole
            return np.append(sines @ (waves / unit) + ramp * turn, turn)

        def scaled(y):
            value, grad = self.action(place(y), frozen)
            inner, last = split(grad)
            turn = (last + np.sum(ramp * inner)) / whole
            return value, np.append(sines @ inner / unit, turn)

        inner, turn = split(z)
        y = np.append(sines @ (inner - ramp * turn) * unit, turn * whole)
        look = {"maxcor": 50, "ftol": 0, "gtol": 1e-11, "maxiter": 9000, "maxfun": 9000}
        return place(minimize(scaled, y, method="L-BFGS-B", jac=True, options=look).x)

    def freeze(self, rounds=12):
        """Fixed point of: freeze the weight, minimise, update the weight."""
        z = self.solve()
        for _ in range(rounds):
            z = self.solve(z, self.weight(self.levels(z)))
        return z

    def length(self, z):
        return float(np.sqrt(self.action(z)[0]))


def grid(cdfs: tuple[Callable, Callable], n: int, steps: int, heads) -> Grid:
    edge = 2 * np.pi * np.arange(n) / n
    return Grid(cdfs[0](edge), cdfs[1](edge), steps, heads)
