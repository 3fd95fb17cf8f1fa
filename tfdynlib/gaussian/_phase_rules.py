"""Where a covariance that is followed ends: the numbers of all three loops, two that
are compiled and one in NumPy.

A compiled loop that was kept by numba keeps the numbers that it was compiled with.
"""

BOUNDED, DECAYS, GROWS, BLOW_UP, UNDECIDED = range(5)

# Between the two windows of time l falls by log 2 if the covariance decays like 1/t and
# not at all if it settles; the border is half of that.
BORDER = 0.35
# A blow-up is looked for when the covariance has grown by this factor, and met when the
# time left is below this part of the tolerance.
GROWN, LEFT = 1e3, 0.1
# At rest: rates below this many times the tolerance.
STILL = 10.0
# Outside the plane a cloud so large that attention alone would change it at ten times
# this rate, in units of |A|, but that grows at no more than it, is said to be held...
SLIDE, LARGE = 8.0, 10.0
# ...when it has grown by this factor.
HELD = 6.0
# In the plane: attention holds to a line this many times as strongly as A pulls away...
STRONG = 20.0
# ...the cloud is thin (its determinant, against the square of its trace), the line is
# one of p^T B p = 0, and growth along it beats what is left of order e^-l.
THIN, ASTRAY, SURELY = 0.01, 0.1, 10.0
# Above this l the exponential is cut off.
TOP = 600.0
