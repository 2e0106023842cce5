#!/usr/bin/env python3
"""Writes polynomials.hpp: near-minimax (Chebyshev) polynomials for the device math library.

Run by hand when a fit changes (needs mpmath): ./fit_polynomials.py > polynomials.hpp
Each row: name, function, interval of the variable, terms for float, terms for double, meaning.
"""
import struct
import sys
from mpmath import mp, mpf, chebyfit, exp, expm1, sin, cos, atan, asin, atanh, erf, erfc, gamma, loggamma, log, pi, sqrt

mp.dps = 60
TINY = mpf(10) ** -12  # below this radius the limit is used instead of a cancelling quotient


def tail(function, radius_limit):
    return lambda z: radius_limit if abs(z) < TINY else function(z)


def odd(f, lead):  # (f(x) - x) / x^3 as a function of z = x^2
    return tail(lambda z: (f(sqrt(z)) - sqrt(z)) / (z * sqrt(z)), lead)


def stirling(w):  # w = 1 / x^2
    x = 1 / sqrt(w)
    return (loggamma(x) - (x - mpf(1) / 2) * log(x) + x - log(2 * pi) / 2) * x


def erfcx_rational(t):  # t = (x - 4) / (x + 4)
    x = 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * erfc(x) * exp(x * x)


def lgamma_unit(t):  # zeros at 1 and 2 divided out
    x = t + mpf(3) / 2
    for zero in (1, 2):
        if abs(x - zero) < TINY**2:
            x = zero + TINY**2
    return loggamma(x) / ((x - 1) * (x - 2))


rows = [
    ("exp_tail", tail(lambda r: (expm1(r) - r) / r**2, mpf(1) / 2), -0.5, 0.5, 6, 12, "(e^r - 1 - r) / r^2, |r| <= 0.5"),
    ("log_tail", tail(lambda z: 2 * (atanh(sqrt(z)) / sqrt(z) - 1) / z, mpf(2) / 3), 0, 0.0296, 4, 8,
     "(2 atanh(s) / s - 2) / z, z = s^2, |s| <= 0.172"),
    ("pow_tail", tail(lambda z: ((atanh(sqrt(z)) / sqrt(z) - 1) / z - mpf(1) / 3) / z, mpf(1) / 5), 0, 0.0296, 3, 7,
     "((atanh(s) / s - 1) / z - 1/3) / z, z = s^2"),
    ("sin_tail", odd(sin, mpf(-1) / 6), 0, 0.63, 4, 7, "(sin x - x) / x^3, z = x^2, |x| <= pi/4"),
    ("cos_tail", tail(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, mpf(1) / 24), 0, 0.63, 3, 6, "(cos x - 1 + z/2) / z^2"),
    ("atan_tail", odd(atan, mpf(-1) / 3), 0, 0.1717, 6, 13, "(atan x - x) / x^3, z = x^2, |x| <= tan(pi/8)"),
    ("asin_tail", odd(asin, mpf(1) / 6), 0, 0.2501, 6, 13, "(asin x - x) / x^3, z = x^2, |x| <= 1/2"),
    ("erf_tail", tail(lambda z: erf(sqrt(z)) / sqrt(z) - 1, 2 / sqrt(pi) - 1), 0, 1, 8, 14, "erf(x) / x - 1, z = x^2, |x| <= 1"),
    ("erfcx_scaled", erfcx_rational, -0.78, 0.77, 12, 25, "(1 + 2x) e^(x^2) erfc(x), variable (x - 4) / (x + 4), 0.5 <= x <= 28"),
    ("gamma_unit", lambda t: gamma(t + mpf(3) / 2), -0.5, 0.5, 12, 23, "gamma(x), variable x - 1.5, 1 <= x <= 2"),
    ("lgamma_unit", lgamma_unit,
     -0.5, 0.5, 12, 23, "log(gamma(x)) / ((x - 1)(x - 2)), variable x - 1.5, 1 <= x <= 2"),
    ("stirling", tail(stirling, mpf(1) / 12), 0, 1 / 64.0, 3, 8, "x (log(gamma(x)) - (x - 1/2) log x + x - log(2 pi)/2), variable 1/x^2, x >= 8"),
]


def single(x):
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def main():
    print("// Written by fit_polynomials.py; do not edit. Chebyshev fits: the comment gives what is approximated and the")
    print("// largest absolute error of the float and the double polynomial (before rounding of the coefficients).")
    print("#pragma once\n\n#include \"compiler/builtins/core.hpp\"\n\nnamespace prism::builtins {\n")
    for name, f, a, b, nf, nd, meaning in rows:
        text = []
        for kind, n, convert, suffix in (("float", nf, single, "f"), ("double", nd, float, "")):
            poly, err = chebyfit(f, [mpf(a), mpf(b)], n, error=True)
            sys.stderr.write(f"{name} {kind} 2^{float(log(err, 2)):.1f}\n")
            terms = ", ".join(convert(c).hex() + suffix for c in reversed(poly))
            text.append((kind, terms, float(log(err, 2))))
        print(f"// {meaning}; errors 2^{text[0][2]:.1f}, 2^{text[1][2]:.1f}")
        for kind, terms, _ in text:
            how = "polynomial" if name.startswith("erf") else "horner"  # of long ones the terms overlap
            print(f"inline {kind} {name}({kind} x) {{\n  return {how}(x, {terms});\n}}")
        print()
    print("} // namespace prism::builtins")


main()
