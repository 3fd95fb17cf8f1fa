"""The views of the figure ``cold`` in Python: numbers to compare, and stills."""

REFERENCES = {k: (lambda s: {}) for k in ("flow", "query", "consensus")}
STILLS = {k: (lambda s: "<svg></svg>") for k in ("flow", "query", "consensus")}
