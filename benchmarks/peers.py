"""The others: the same velocity, trajectory or distance, as their users would write it.

All are our own lines.  A velocity peer is made from (x, B, V, beta) and is a call
without arguments that returns the velocity of all tokens on the sphere,

    v_i = P_{x_i} V sum_j a_ij x_j,   a_ij ~ exp(beta <B x_i, x_j>),   one head,

so that conversions are not part of what is timed.
"""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray
Call = Callable[[], Any]
Peer = Callable[[Array, Array, Array, float], Call]

BLOCK = 2**17  # scores held at a time by those who work in blocks: 1 MB


class Unavailable(Exception):
    """The peer is not installed here, or does not compile."""


def tangent(x: Any, y: Any) -> Any:
    """P_x y for rows, with NumPy, torch or jax."""
    return y - (y * x).sum(-1)[..., None] * x


def reference(
    x: Array, B: Array, V: Array, beta: float, at: Array | None = None
) -> Array:
    """The measure of all: float64, largest exponent subtracted, a block at a time."""
    at = x if at is None else at
    rows, parts = max(1, BLOCK // len(x)), []
    for start in range(0, len(at), rows):
        s = beta * (at[start : start + rows] @ B.T) @ x.T
        a = np.exp(s - s.max(axis=1, keepdims=True))
        parts.append(a @ x / a.sum(axis=1, keepdims=True))
    return tangent(at, np.concatenate(parts) @ V.T)


# --- velocities -----------------------------------------------------------------------


def scripts(x: Array, B: Array, V: Array, beta: float) -> Call:
    """One dense expression, as in scripts: rows normalised, no largest exponent."""

    def call() -> Array:
        a = np.exp(beta * (x @ B.T) @ x.T)
        a = a / a.sum(axis=1, keepdims=True)
        return tangent(x, a @ x @ V.T)

    return call


def numpy_blocked(x: Array, B: Array, V: Array, beta: float) -> Call:
    """NumPy with care: blocks that stay in the cache, in place, one product for both
    sums, largest exponent subtracted."""
    n = len(x)
    lifted = np.concatenate([x, np.ones((n, 1))], axis=1)
    rows = max(1, BLOCK // n)

    def call() -> Array:
        p, sums = beta * (x @ B.T), np.empty(lifted.shape)
        for start in range(0, n, rows):
            part = slice(start, start + rows)
            s = p[part] @ x.T
            s -= s.max(axis=1, keepdims=True)
            np.matmul(np.exp(s, out=s), lifted, out=sums[part])
        return tangent(x, sums[:, :-1] / sums[:, -1:] @ V.T)

    return call


def torch_eager(x: Array, B: Array, V: Array, beta: float) -> Call:
    """torch, one operation after the other."""
    torch = _torch()
    x, B, V = (torch.tensor(a) for a in (x, B, V))

    def call() -> Any:
        a = torch.softmax(beta * (x @ B.T) @ x.T, dim=1)
        return tangent(x, a @ x @ V.T)

    return call


def torch_sdpa(x: Array, B: Array, V: Array, beta: float) -> Call:
    """torch's fused attention with queries beta B x and scale 1."""
    torch = _torch()
    attend = torch.nn.functional.scaled_dot_product_attention
    x, B, V = (torch.tensor(a) for a in (x, B, V))
    key = x[None, None]

    def call() -> Any:
        mean = attend(beta * (x @ B.T)[None, None], key, key, scale=1.0)
        return tangent(x, mean[0, 0] @ V.T)

    return call


def jax_jit(x: Array, B: Array, V: Array, beta: float) -> Call:
    """jax, compiled."""
    jax = _jax()
    x, B, V = (jax.numpy.asarray(a) for a in (x, B, V))

    @jax.jit
    def velocity(x: Any) -> Any:
        a = jax.nn.softmax(beta * (x @ B.T) @ x.T, axis=1)
        return tangent(x, a @ x @ V.T)

    return lambda: velocity(x).block_until_ready()


def pykeops(x: Array, B: Array, V: Array, beta: float) -> Call:
    """KeOps: the reduction compiled for this formula, memory O(n)."""
    try:
        import pykeops as keops

        keops.set_verbose(False)
        from pykeops.numpy import LazyTensor
    except Exception as error:  # its import compiles, and may fail in many ways
        raise Unavailable(f"pykeops: {error}") from error
    key = LazyTensor(x[None])

    def call() -> Array:
        query = LazyTensor(np.ascontiguousarray(beta * x @ B.T)[:, None])
        mean = (query | key).sumsoftmaxweight(key, axis=1, backend="CPU")
        return tangent(x, mean @ V.T)

    try:
        call()
    except Exception as error:  # no compiler, or one that it does not like
        raise Unavailable(f"pykeops does not compile: {error}") from error
    return call


VELOCITIES: dict[str, Peer] = {
    "torch SDPA": torch_sdpa,
    "torch eager": torch_eager,
    "jax jit": jax_jit,
    "pykeops": pykeops,
    "numpy blocked": numpy_blocked,
    "scripts": scripts,
}


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise Unavailable("torch is not installed") from error
    torch.set_num_threads(1)
    return torch


def _jax() -> Any:
    try:
        import jax
    except ImportError as error:
        raise Unavailable("jax is not installed") from error
    jax.config.update("jax_enable_x64", True)
    return jax


# --- many small systems: explicit Euler on the sphere, B = V = I ----------------------


def euler_scripts(x0: Array, beta: float, h: float, steps: int) -> Call:
    """One replica after the other, one dense expression a step."""

    def call() -> Array:
        out = []
        for x in x0:
            for _ in range(steps):
                a = np.exp(beta * x @ x.T)
                y = x + h * tangent(x, a / a.sum(axis=1, keepdims=True) @ x)
                x = y / np.linalg.norm(y, axis=1, keepdims=True)
            out.append(x)
        return np.stack(out)

    return call


def euler_numpy(x0: Array, beta: float, h: float, steps: int) -> Call:
    """All replicas in one stacked product."""

    def call() -> Array:
        x = x0
        for _ in range(steps):
            a = np.exp(beta * x @ x.swapaxes(1, 2))
            y = x + h * tangent(x, a @ x / a.sum(axis=2, keepdims=True))
            x = y / np.linalg.norm(y, axis=2, keepdims=True)
        return x

    return call


def euler_torch(x0: Array, beta: float, h: float, steps: int) -> Call:
    """All replicas in torch's batched product."""
    torch = _torch()
    start = torch.tensor(x0)

    def call() -> Any:
        x = start
        for _ in range(steps):
            a = torch.softmax(beta * torch.bmm(x, x.transpose(1, 2)), dim=2)
            y = x + h * tangent(x, torch.bmm(a, x))
            x = y / y.norm(dim=2, keepdim=True)
        return x

    return call


def euler_jax(x0: Array, beta: float, h: float, steps: int) -> Call:
    """All replicas in one compiled loop."""
    jax = _jax()
    start = jax.numpy.asarray(x0)

    def step(_: Any, x: Any) -> Any:
        a = jax.nn.softmax(beta * x @ x.swapaxes(1, 2), axis=2)
        y = x + h * tangent(x, a @ x)
        return y / jax.numpy.linalg.norm(y, axis=2, keepdims=True)

    loop = jax.jit(lambda x: jax.lax.fori_loop(0, steps, step, x))
    return lambda: loop(start).block_until_ready()


ENSEMBLES: dict[str, Callable[[Array, float, float, int], Call]] = {
    "torch bmm": euler_torch,
    "jax vmap": euler_jax,
    "numpy batched": euler_numpy,
    "scripts": euler_scripts,
}


# --- trajectories ---------------------------------------------------------------------


def scipy_ivp(
    field: Callable[[float, Array], Array],
    x0: Array,
    t: float,
    method: str,
    rtol: float,
) -> tuple[Array, int]:
    """SciPy's integrator in ambient space, the field at the nearest point of the
    sphere; the end and how often the field was asked."""
    from scipy.integrate import solve_ivp

    def unit(y: Array) -> Array:
        x = y.reshape(x0.shape)
        return x / np.linalg.norm(x, axis=1, keepdims=True)

    done = solve_ivp(
        lambda s, y: field(s, unit(y)).ravel(),
        (0, t),
        x0.ravel(),
        method=method,
        rtol=rtol,
        atol=rtol,
    )
    return unit(done.y[:, -1]), int(done.nfev)


# A covariance has left when its trace is larger than this...
FAR = 1e8
# ...and blows up if it then grows faster than any A can make it.
FAST = 1e3


# Where a large covariance is stiff, an explicit method takes millions of steps.
GIVEN_UP = 20_000


class TooLong(Exception):
    """An integrator asks the field too often."""


def blow_up_ivp(
    A: Array, B: Array, V: Array, t_end: float, method: str, rtol: float
) -> float:
    """SciPy's integrator on the covariance itself, from I: the time of a blow-up, inf
    if there is none, nan if it has asked the field GIVEN_UP times before it knows."""
    from scipy.integrate import solve_ivp

    d, asked = len(A), itertools.count()

    def rate(t: float, y: Array) -> Array:
        if next(asked) == GIVEN_UP:
            raise TooLong
        cov = y.reshape(d, d)
        half = (A + V @ cov @ B) @ cov
        return (half + half.T).ravel()

    def far(t: float, y: Array) -> float:
        return FAR - y[:: d + 1].sum()

    far.terminal = True  # type: ignore[attr-defined]
    start = np.eye(d).ravel()
    try:
        run = solve_ivp(
            rate, (0, t_end), start, method, events=far, rtol=rtol, atol=1e-3 * rtol
        )
    except TooLong:
        return np.nan
    asked = itertools.count()
    size, growth = (v[:: d + 1].sum() for v in (run.y[:, -1], rate(0, run.y[:, -1])))
    blows = run.status != 0 and growth > FAST * size
    return float(run.t[-1] + size / growth) if blows else np.inf


def _diffrax() -> Any:
    try:
        import diffrax
    except ImportError as error:
        raise Unavailable("diffrax is not installed") from error
    return diffrax


def blow_up_jax(layers: Array, t_end: float, rtol: float) -> Callable[[], Any]:
    """diffrax on many covariances at once, layers (3, n, d, d), from I."""
    jax, diffrax = _jax(), _diffrax()
    jnp = jax.numpy

    def rate(t: Any, cov: Any, layer: Any) -> Any:
        A, B, V = layer
        half = (A + V @ cov @ B) @ cov
        return half + half.T

    def far(t: Any, cov: Any, layer: Any, **_: Any) -> Any:
        return jnp.trace(cov) > FAR

    def one(A: Any, B: Any, V: Any) -> Any:
        run = diffrax.diffeqsolve(
            diffrax.ODETerm(rate),
            diffrax.Dopri5(),
            0.0,
            t_end,
            None,
            jnp.eye(layers.shape[-1]),
            args=(A, B, V),
            stepsize_controller=diffrax.PIDController(rtol=rtol, atol=1e-3 * rtol),
            max_steps=4096,
            throw=False,
            event=diffrax.Event(far),
        )
        cov = run.ys[-1]
        size, growth = jnp.trace(cov), jnp.trace(rate(0.0, cov, (A, B, V)))
        blows = (size > FAR) & (growth > FAST * size)
        return jnp.where(blows, run.ts[-1] + size / growth, jnp.inf)

    A, B, V = map(jnp.asarray, layers)
    solve = jax.jit(jax.vmap(one))
    return lambda: solve(A, B, V).block_until_ready()


def diffrax_dopri5(x0: Array, beta: float, t: float) -> Callable[[float], Any]:
    """diffrax: rtol -> the end and how often the field was asked; B = V = I."""
    jax, diffrax = _jax(), _diffrax()
    jnp = jax.numpy

    def field(s: Any, y: Any, args: Any) -> Any:
        x = y / jnp.linalg.norm(y, axis=1, keepdims=True)
        return tangent(x, jax.nn.softmax(beta * x @ x.T, axis=1) @ x)

    @jax.jit
    def solve(y0: Any, tol: Any) -> Any:
        return diffrax.diffeqsolve(
            diffrax.ODETerm(field),
            diffrax.Dopri5(),
            0.0,
            t,
            None,
            y0,
            stepsize_controller=diffrax.PIDController(rtol=tol, atol=tol),
            max_steps=100_000,
        )

    def call(rtol: float) -> tuple[Array, int]:
        done = solve(jnp.asarray(x0), rtol)
        y = np.asarray(done.ys[-1])
        # Six new values a step (first same as last), and one to begin with.
        count = 1 + 6 * int(done.stats["num_steps"])
        return y / np.linalg.norm(y, axis=1, keepdims=True), count

    return call


# --- Wasserstein distance on the circle -----------------------------------------------


def pot_circle(a: Array, b: Array) -> Call:
    """POT's search on the circle; a and b are angles."""
    import ot

    u, v = (np.mod(angle, 2 * np.pi) / (2 * np.pi) for angle in (a, b))
    return lambda: 2 * np.pi * float(ot.binary_search_circle(u, v, p=2)[0]) ** 0.5


def pot_emd(a: Array, b: Array) -> Call:
    """POT's network simplex on the squared arcs."""
    import ot

    mass = np.full(len(a), 1 / len(a))

    def call() -> float:
        arc = np.abs(np.angle(np.exp(1j * (a[:, None] - b[None]))))
        return float(ot.emd2(mass, mass, arc**2, numItermax=10**7)) ** 0.5

    return call


def ott_sinkhorn(a: Array, b: Array, epsilon: float = 0.02) -> Call:
    """ott-jax: the cost of the entropic plan, above the distance by about epsilon."""
    jax = _jax()
    try:
        from ott.geometry.geometry import Geometry
        from ott.solvers import linear
    except ImportError as error:
        raise Unavailable("ott-jax is not installed") from error
    jnp = jax.numpy

    @jax.jit
    def cost(a: Any, b: Any) -> Any:
        arc = jnp.abs(jnp.angle(jnp.exp(1j * (a[:, None] - b[None]))))
        done = linear.solve(Geometry(cost_matrix=arc**2, epsilon=epsilon))
        return done.primal_cost

    x, y = jnp.asarray(a), jnp.asarray(b)
    return lambda: float(cost(x, y)) ** 0.5


DISTANCES: dict[str, Callable[[Array, Array], Call]] = {
    "POT circle": pot_circle,
    "POT emd2": pot_emd,
    "ott sinkhorn": ott_sinkhorn,
}
