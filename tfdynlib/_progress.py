"""A bar that shows how far a long run has come in layer-time."""

import numpy as np
from jaxtyping import Float

# The bar appears when a run has lasted this many seconds.
DELAY = 0.5
BAR = "layer-time {n:.4g} of {total:.4g} |{bar}| {elapsed}<{remaining}"


class Bar:
    """Layer-time on standard error, by tqdm; nothing if not wanted, or soon over."""

    def __init__(self, times: Float[np.ndarray, " m"], wanted: bool):
        self.start, self.end = float(times[0]), float(times[-1])
        self.bar = self._made() if wanted else None

    def _made(self):  # type: ignore[no-untyped-def]
        from tqdm.auto import tqdm

        total = self.end - self.start
        return tqdm(total=total, delay=DELAY, bar_format=BAR, leave=True)

    def at(self, t: float) -> None:
        """Show the layer-time t."""
        if self.bar is not None:
            self.bar.n = min(t, self.end) - self.start
            self.bar.update(0)

    def close(self) -> None:
        """Leave the bar as it stands."""
        if self.bar is not None:
            self.bar.close()
