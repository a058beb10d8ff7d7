"""Sets of cards as bits of a uint64: count, lowest, highest, the k-th.

The machine's own instructions are reached through LLVM. The k-th set bit takes `pdep` where the processor has it
(x86 with BMI2) and a search by halves elsewhere; both give the same answer.
"""

from __future__ import annotations

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from kernels.compile import device

U = np.uint64
WORD = ir.IntType(64)


def _unary(make):  # type: ignore[no-untyped-def]
    @intrinsic
    def operation(typing_context, x):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            return make(builder, builder.bitcast(arguments[0], WORD))

        return types.int64(types.uint64), generate

    return operation


_count = _unary(lambda builder, x: builder.ctpop(x))
_trailing = _unary(lambda builder, x: builder.cttz(x, ir.Constant(ir.IntType(1), 0)))
_leading = _unary(lambda builder, x: builder.ctlz(x, ir.Constant(ir.IntType(1), 0)))


@intrinsic
def _deposit(typing_context, source, mask):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        kind = ir.FunctionType(WORD, [WORD, WORD])
        name = "llvm.x86.bmi.pdep.64"
        function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        return builder.call(function, arguments)

    return types.uint64(types.uint64, types.uint64), generate


@device
def count(x):
    """The number of set bits of a uint64, as int64."""
    return _count(U(x))


@device
def lowest(x):
    """The position of the lowest set bit of a uint64; 64 for none."""
    return _trailing(U(x))


@device
def highest(x):
    """The position of the highest set bit of a uint64; -1 for none."""
    return 63 - _leading(U(x))


@device
def kth_by_halves(x, k):
    """As `kth`, without special instructions: descends into the half that holds the bit."""
    x = U(x)
    position = 0
    width = 32
    while width > 0:
        lower = _count(x & ((U(1) << U(width)) - U(1)))
        if k >= lower:
            k -= lower
            x = x >> U(width)
            position += width
        width >>= 1
    return position


@device
def kth_by_deposit(x, k):
    """As `kth`, with the instruction `pdep`."""
    return _trailing(_deposit(U(1) << U(k), U(x)))


@device
def bit_by_halves(x, k):
    """As `kth_bit`, without special instructions."""
    return U(1) << U(kth_by_halves(x, k))


@device
def bit_by_deposit(x, k):
    """As `kth_bit`, with the instruction `pdep`."""
    return _deposit(U(1) << U(k), U(x))


@device
def scatter_by_bits(x, mask):
    """As `scatter`, without special instructions."""
    x, mask = U(x), U(mask)
    scattered = U(0)
    while mask:
        bit = mask & (U(0) - mask)
        scattered |= bit * (x & U(1))
        x >>= U(1)
        mask ^= bit
    return scattered


@device
def scatter_by_deposit(x, mask):
    """As `scatter`, with the instruction `pdep`."""
    return _deposit(U(x), U(mask))


HAS_DEPOSIT = bool(llvm.get_host_cpu_features().get("bmi2", False))

#: kth(x, k): the position of the k-th lowest set bit (k from 0, below count(x))
kth = kth_by_deposit if HAS_DEPOSIT else kth_by_halves

#: kth_bit(x, k): that bit by itself, as a uint64
kth_bit = bit_by_deposit if HAS_DEPOSIT else bit_by_halves

#: scatter(x, mask): the mask without those of its bits whose place in it, from the lowest, is a zero of x
scatter = scatter_by_deposit if HAS_DEPOSIT else scatter_by_bits
