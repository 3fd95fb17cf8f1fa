"""Values of answers as they are written on pages: ``7/8``, ``sqrt(2)/pi``, ``2^-3``.

The page's script (``static/answers.js``) reads the same little language, so that what
an author may write a reader may type.
"""

import ast
import math
import operator
from collections.abc import Callable

NAMES = {"pi": math.pi, "e": math.e}
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "ln": math.log,
}
BINARY: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
UNARY: dict[type, Callable[[float], float]] = {ast.USub: operator.neg, ast.UAdd: float}
SPELLINGS = str.maketrans({"−": "-", "·": "*", "×": "*", "^": "**"})


def value_of(text: str) -> float:
    """Number that ``text`` stands for.

    >>> value_of("7/8"), value_of("−2^2")
    (0.875, -4.0)

    Raises ``ValueError`` if ``text`` is not an expression of this language or has no
    finite value.
    """
    try:
        spelled = text.translate(SPELLINGS).replace("π", "pi").replace("√", "sqrt")
        value = evaluate(ast.parse(spelled.strip(), mode="eval").body)
    except (SyntaxError, ArithmeticError, ValueError) as error:
        raise ValueError(f"not a number or an expression: {text!r}") from error
    if not math.isfinite(value):
        raise ValueError(f"not a finite number: {text!r}")
    return value


def evaluate(node: ast.AST) -> float:
    """Value of one node of the parsed expression."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name) if name in NAMES:
            return NAMES[name]
        case ast.UnaryOp(op=op, operand=inner) if type(op) in UNARY:
            return UNARY[type(op)](evaluate(inner))
        case ast.BinOp(op=op, left=left, right=right) if type(op) in BINARY:
            return BINARY[type(op)](evaluate(left), evaluate(right))
        case ast.Call(func=ast.Name(id=name), args=[one]) if name in FUNCTIONS:
            return FUNCTIONS[name](evaluate(one))
    raise ValueError("outside the language of answers")
