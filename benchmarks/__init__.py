"""The test-bench: how fast the package is beside others that compute the same.

    protocol -> machine -> peers -> cases -> one (case, one process) -> report -> run

Start it with ``make bench``, or ``python -m benchmarks.run --short --out FILE``.
"""
