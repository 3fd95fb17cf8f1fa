"""Vectors of eight doubles for compiled loops; loads numba, so import it late.

A loop written with these needs no luck with a vectoriser: LLVM keeps each vector in one
register of 512 bits, or in two or four smaller ones where the machine has no such.
Operations are rounded one by one except that a product and a sum may be fused.

Nothing here is called from Python.
"""

from typing import no_type_check

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

LANES = 8
# Exponents below this give 2^LOWEST instead: far below every sum that is kept.
LOWEST = -1000.0
# Adding this rounds a small double to an integer, which the low bits then hold.
ROUND = 1.5 * 2.0**52
DEGREE = 10
FUSED = ("contract", "nsz")


@no_type_check
def coefficients(degree: int) -> list[float]:
    """Coefficients of the polynomial that meets 2^f at the Chebyshev points of
    [-1/2, 1/2], from the constant one up."""
    f = np.cos((2 * np.arange(degree + 1) + 1) * np.pi / (2 * degree + 2)) / 2
    f = f.astype(np.longdouble)
    rise = np.exp2(f)  # divided differences, in place
    for j in range(1, degree + 1):
        rise[j:] = (rise[j:] - rise[j - 1 : -1]) / (f[j:] - f[:-j])
    c = np.zeros(degree + 1, np.longdouble)
    for node, slope in zip(f[::-1], rise[::-1]):
        c = np.concatenate([[0], c[:-1]]) - node * c
        c[0] += slope
    return [float(a) for a in c]


COEFFICIENTS = coefficients(DEGREE)


class Vector(types.Type):
    """The type of eight doubles."""

    def __init__(self) -> None:
        super().__init__(name="tfdynlib_vector8")


vector = Vector()
DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
INTEGERS = ir.VectorType(ir.IntType(64), LANES)


@register_model(Vector)
class VectorModel(models.PrimitiveModel):
    """Eight doubles are one value of LLVM."""

    @no_type_check
    def __init__(self, manager, kind):
        super().__init__(manager, kind, DOUBLES)


@no_type_check
def _all(value, kind=DOUBLES):
    """The constant vector of one value."""
    return ir.Constant(kind, [value] * LANES)


@no_type_check
def _fma(builder, a, b, c):
    return builder.fadd(builder.fmul(a, b, flags=FUSED), c, flags=FUSED)


@no_type_check
def _place(context, builder, kind, array, index):
    """Address of the eight doubles of a flat array that start at an index."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), DOUBLES.as_pointer())


@no_type_check
@intrinsic
def load(typing, array, index):
    """array[index : index + 8]"""

    def code(context, builder, signature, args):
        place = _place(context, builder, signature.args[0], *args)
        return builder.load(place, align=8)

    return vector(array, types.intp), code


@no_type_check
@intrinsic
def store(typing, array, index, v):
    """array[index : index + 8] = v"""

    def code(context, builder, signature, args):
        place = _place(context, builder, signature.args[0], *args[:2])
        builder.store(args[2], place, align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), code


@no_type_check
def _spread(builder, number):
    one = builder.insert_element(_all(0.0), number, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, one, mask)


@no_type_check
@intrinsic
def spread(typing, number):
    """Eight times one number."""

    def code(context, builder, signature, args):
        return _spread(builder, args[0])

    return vector(types.float64), code


@no_type_check
@intrinsic
def each(typing, array, index):
    """Eight times array[index]."""

    def code(context, builder, signature, args):
        kind, (flat, at) = signature.args[0], args
        data = context.make_array(kind)(context, builder, flat).data
        return _spread(builder, builder.load(builder.gep(data, [at]), align=8))

    return vector(array, types.intp), code


@no_type_check
@intrinsic
def fma(typing, a, b, c):
    """a b + c"""

    def code(context, builder, signature, args):
        return _fma(builder, *args)

    return vector(vector, vector, vector), code


@no_type_check
@intrinsic
def total(typing, v):
    """The sum of the eight."""

    def code(context, builder, signature, args):
        lanes = [
            builder.extract_element(args[0], ir.Constant(ir.IntType(32), lane))
            for lane in range(LANES)
        ]
        while len(lanes) > 1:
            lanes = [builder.fadd(a, b) for a, b in zip(lanes[::2], lanes[1::2])]
        return lanes[0]

    return types.float64(vector), code


@no_type_check
@intrinsic
def exp2(typing, t):
    """2^t for t up to about 1000; 2^-1000 below that.

    t = k + f with k the nearest integer; a polynomial for 2^f, and k added to the bits
    of its exponent.  Relative error below 1e-15.
    """

    def code(context, builder, signature, args):
        low, magic = _all(LOWEST), _all(ROUND)
        t = builder.select(builder.fcmp_ordered(">", args[0], low), args[0], low)
        k = builder.fadd(t, magic)
        f = builder.fsub(t, builder.fsub(k, magic))
        p = _all(COEFFICIENTS[-1])
        for c in COEFFICIENTS[-2::-1]:
            p = _fma(builder, p, f, _all(c))
        shifted = builder.shl(builder.bitcast(k, INTEGERS), _all(52, INTEGERS))
        bits = builder.add(builder.bitcast(p, INTEGERS), shifted)
        return builder.bitcast(bits, DOUBLES)

    return vector(vector), code
