"""Logarithms in steps that every machine rounds alike.

The algorithms are those of FDLIBM (`e_log.c`, `e_log10.c`; Copyright 1993 Sun Microsystems, which
permits use, copying and modification as long as this notice is preserved). NumPy's own depend on
the processor, and may depend on where in an array a number stands.
"""

from __future__ import annotations

import numpy as np

from sfumato.engines.columns import Floats

_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_SERIES = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
)
_PER_LN10 = 4.34294481903251816668e-01
_LOG10_2_HIGH, _LOG10_2_LOW = 3.01029995663611771306e-01, 3.69423907715893078616e-13


def log(values: Floats) -> Floats:
    """Return natural logarithms, within one unit in the last place; NaN where there is none.

    Privacy
    -------
    Every step is one correctly rounded operation on one number, so that a row's logarithm depends
    on that row alone.

    Examples
    --------
    >>> log(np.array([1.0, 0.0, -1.0])).tolist()
    [0.0, nan, nan]
    """
    mantissa, exponent = _split(values, np.sqrt(2.0))
    f = mantissa - 1.0
    s = f / (2.0 + f)
    z = s * s
    series = np.zeros_like(z)
    for coefficient in reversed(_SERIES):
        series = z * (coefficient + series)
    half = 0.5 * f * f
    return exponent * _LN2_HIGH - ((half - (s * (half + series) + exponent * _LN2_LOW)) - f)


def log10(values: Floats) -> Floats:
    """Return decimal logarithms; those of 1, 10, 100 and so on are whole.

    Privacy
    -------
    As for `log`.

    Examples
    --------
    >>> log10(np.array([1.0, 10.0, 1000.0, 1e22])).tolist()
    [0.0, 1.0, 3.0, 22.0]
    """
    mantissa, exponent = _split(values, 2.0)
    # Of numbers below 1 the mantissa is taken below 1 as well, and the exponent one higher.
    below = exponent < 0
    mantissa, exponent = np.where(below, mantissa / 2, mantissa), exponent + below
    low = exponent * _LOG10_2_LOW + _PER_LN10 * log(mantissa)
    return low + exponent * _LOG10_2_HIGH


def _split(values: Floats, most: float) -> tuple[Floats, Floats]:
    """Return mantissas from half of `most` up to it, and exponents; NaN where there are none."""
    with np.errstate(invalid="ignore"):
        known = np.where((values > 0) & (values < np.inf), values, np.nan)
        mantissa, exponent = np.frexp(known)
        scaled = exponent.astype(np.float64)
        small = 2 * mantissa < most
    return np.where(small, 2 * mantissa, mantissa), np.where(small, scaled - 1, scaled)
