"""Ground truth of the errata tests: x = x0 + Q(α)(X + u) differentiated by sympy, and virtual power on it.

Nothing here is taken from the paper but (2.1). Velocities and accelerations come from `sympy.diff`; the
virtual velocities of the rigid modes are the partial velocities ∂v/∂q̇ of that result, so that no sign
convention of a moment enters by hand. Integrals are sums over symbolic mass points (∫ρX = 0 by construction).
"""

from dataclasses import dataclass
from functools import lru_cache

import sympy as sp

t = sp.Symbol("t", real=True)
J = sp.Matrix([[0, -1], [1, 0]])
# c and s stand for cos α and sin α; `normal` reduces c² + s² = 1.
c, s = sp.symbols("c s", real=True)
_RULE: dict[sp.Basic, sp.Basic] = {}


def history(name: str) -> sp.Expr:
    """A function of time; its value and first two rates become the symbols name, dname, ddname in `plain`."""
    f = sp.Function(name, real=True)(t)
    for order, prefix in enumerate(("", "d", "dd")):
        _RULE[f.diff(t, order)] = sp.Symbol(prefix + name, real=True)
    return f


_alpha, _x0 = history("alpha"), sp.Matrix([history("x0"), history("y0")])
_RULE[sp.cos(_alpha)], _RULE[sp.sin(_alpha)] = c, s
omega, domega = _RULE[_alpha.diff(t)], _RULE[_alpha.diff(t, 2)]
dx0 = sp.Matrix(sp.symbols("dx0 dy0", real=True))
ddx0 = sp.Matrix(sp.symbols("ddx0 ddy0", real=True))
Q = sp.Matrix([[c, -s], [s, c]])
_Q_of_t = sp.Matrix([[sp.cos(_alpha), -sp.sin(_alpha)], [sp.sin(_alpha), sp.cos(_alpha)]])


def plain(expression):
    """Histories and their rates replaced by symbols."""
    return expression.xreplace(_RULE)


def normal(expression):
    """Normal form in the polynomials modulo c² + s² = 1: it is 0 if and only if the expression vanishes."""
    if isinstance(expression, sp.MatrixBase):
        return expression.applyfunc(normal)
    numerator = sp.expand(expression)
    if any(power.exp.could_extract_minus_sign() for power in numerator.atoms(sp.Pow)):
        numerator = sp.expand(sp.numer(sp.together(numerator)))
    if not numerator.has(s):
        return numerator
    return sp.rem(sp.Poly(numerator, s), sp.Poly(s**2 + c**2 - 1, s)).as_expr().expand()


def vanishes(expression) -> bool:
    """True if every entry is identically zero."""
    reduced = normal(expression)
    return reduced.is_zero_matrix is True if isinstance(reduced, sp.MatrixBase) else reduced == 0


def cross(a, b):
    """Cross z of two plane vectors."""
    return a[0] * b[1] - a[1] * b[0]


@dataclass(frozen=True)
class Motion:
    """One material point: r, u̇, ü in the frame; v, a in space; all in symbols."""

    r: sp.Matrix
    du: sp.Matrix
    ddu: sp.Matrix
    x: sp.Matrix
    v: sp.Matrix
    a: sp.Matrix

    @property
    def virtual(self) -> list[sp.Matrix]:
        """Virtual velocities of the modes x0, y0, α: the partial velocities ∂v/∂q̇."""
        return [self.v.diff(rate) for rate in (*dx0, omega)]


def move(X: sp.Matrix, u: sp.Matrix) -> Motion:
    """Differentiate (2.1) twice for a point at X with the displacement history u."""
    x = _x0 + _Q_of_t * (X + u)
    v = x.diff(t)
    parts = (X + u, u.diff(t), u.diff(t, 2), x, v, v.diff(t))
    return Motion(*(plain(part).expand() for part in parts))


@dataclass(frozen=True)
class Body:
    """Mass points with their motions, and the integrals (3.3) as sums over them."""

    m: tuple[sp.Expr, ...]
    X: tuple[sp.Matrix, ...]
    motion: tuple[Motion, ...]

    def integral(self, density):
        """∫ρ density, the density a function of (X, motion)."""
        terms = [m * density(X, p) for m, X, p in zip(self.m, self.X, self.motion, strict=True)]
        return sum(terms[1:], terms[0])

    @property
    def M(self):
        return sum(self.m)

    @property
    def A(self):
        return self.integral(lambda X, p: p.r - X)

    @property
    def P(self):
        return self.integral(lambda X, p: p.du)

    @property
    def B(self):
        return self.integral(lambda X, p: p.ddu)

    @property
    def J_zz(self):
        return self.integral(lambda X, p: p.r.dot(p.r))

    @property
    def K(self):
        return self.integral(lambda X, p: p.r.dot(p.du))

    @property
    def L(self):
        return self.integral(lambda X, p: cross(p.r, p.ddu))

    @property
    def inertia_rows(self) -> sp.Matrix:
        """∫ρ a·∂v/∂q̇ for x0, y0, α: the left-hand side of (3.4)1 by virtual power."""
        return sp.Matrix([self.integral(lambda X, p, k=k: p.a.dot(p.virtual[k])) for k in range(3)])


@lru_cache
def generic_body(n: int = 2, *, centred: bool = False) -> Body:
    """A body of n mass points with symbolic masses, places (∫ρX = 0) and displacement histories.

    `centred`: the last displacement history is chosen so that ∫ρu = 0 at all times.
    """
    m = sp.symbols(f"m1:{n + 1}", positive=True)
    xi = [sp.Matrix(sp.symbols(f"xi{i}x xi{i}y", real=True)) for i in range(1, n)]
    # Scaled by the last mass, so that the last place stays a polynomial.
    X = [m[-1] * place for place in xi]
    X.append(-sum((mass * place for mass, place in zip(m, xi, strict=False)), sp.zeros(2, 1)))
    u = [sp.Matrix([history(f"u{i}x"), history(f"u{i}y")]) for i in range(n)]
    if centred:
        u[-1] = -sum((mass * field for mass, field in zip(m, u[:-1], strict=False)), sp.zeros(2, 1)) / m[-1]
    motions = [move(place, field) for place, field in zip(X, u, strict=True)]
    return Body(m, tuple(X), tuple(motions))


def assert_erratum(derived, printed, correct) -> None:
    """The printed term differs from the derived one; the corrected one does not."""
    assert not vanishes(printed - derived), "the printed term is not wrong"
    assert vanishes(correct - derived), "the corrected term is not right"
