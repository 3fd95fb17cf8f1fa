"""Transformer dynamics: tokens that move under attention.

The way through the rooms, each looking back only:

    weights -> attention -> flow -> Trajectory -> energy, metastability -> plot, widgets
"""

__version__ = "0.1.0"
