"""The kinds of runs that studies of the book are made of."""

from tfdynlib.sweep.kinds import concentration, departure, dwell, regimes, slopes
from tfdynlib.sweep.study import Kind

KINDS: dict[str, Kind] = {
    room.KIND.name: room.KIND
    for room in (concentration, departure, dwell, regimes, slopes)
}
