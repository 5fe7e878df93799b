"""Clamped plates against inertial computations without a frame, which share nothing with the code but the elastic forces."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from convergence import observed_orders
from ff_examples import PRESSURE, plate, rough
from inertial_twin import Elastic
from problems import run
from scipy.integrate import solve_ivp

from floating_frame import BodyForce, Clamped, Cosine, EdgeLoad, InitialState, Ramp
from friction import Coulomb, Foundation, Smooth, StaticKinetic

T_END = 0.06
ALL_FREE = ("x", "y", "angle")


@dataclass
class Driven:
    """The plate in minimal coordinates y = (positions of the other nodes, free ones of the clamp's x0, y0, α), integrated by SciPy:
    the clamp's nodes are slaves, x = x0 + Q(α) X.

    ``clamp`` node numbers, ``free`` (3,) bool, ``drive(t)`` -> q, q', q'' (3,) each of what is not free; ``load(t)`` (N, 2) N;
    ``w`` (N,) N: Coulomb's law, for plates that slide everywhere."""

    body: Elastic
    clamp: np.ndarray
    free: np.ndarray
    drive: object
    load: object
    w: np.ndarray
    others: np.ndarray = field(init=False)

    def __post_init__(self):
        self.others = np.setdiff1d(np.arange(len(self.body.X)), self.clamp)

    def full(self, t, y, rate):
        """q, q', nodal x, v, and the part of a that does not depend on y''."""
        q, q1, q2 = (np.array(z, float) for z in self.drive(t))
        n = 2 * len(self.others)
        q[self.free], q1[self.free], q2[self.free] = y[n:], rate[n:], 0.0
        c, s = np.cos(q[2]), np.sin(q[2])
        arms = self.body.X[self.clamp] @ np.array([[c, s], [-s, c]])
        across = np.stack([-arms[:, 1], arms[:, 0]], 1)
        x, v, a = (np.zeros_like(self.body.X) for _ in range(3))
        x[self.others], v[self.others] = y[:n].reshape(-1, 2), rate[:n].reshape(-1, 2)
        x[self.clamp], v[self.clamp] = q[:2] + arms, q1[:2] + q1[2] * across
        a[self.clamp] = q2[:2] + q2[2] * across - q1[2] ** 2 * arms
        return q, q1, x, v, a, across

    def forces(self, t, x, v):
        speed = np.linalg.norm(v, axis=1, keepdims=True)
        slip = np.where(speed > 0.0, v / np.where(speed > 0.0, speed, 1.0), 0.0)
        return self.body.forces(x)[0] + self.load(t) - self.w[:, None] * slip

    def accelerations(self, t, state):
        """(y'', nodal a, clamp wrench R): NᵀM N y'' = Nᵀ (f − M a_known), R what the prescribed motions take."""
        y, rate = np.split(state, 2)
        _, _, x, v, a, across = self.full(t, y, rate)
        size, n = x.size, 2 * len(self.others)
        modes = np.zeros((len(x), 2, 3))
        modes[self.clamp, 0, 0] = modes[self.clamp, 1, 1] = 1.0
        modes[self.clamp, :, 2] = across
        modes = modes.reshape(size, 3)
        N = np.zeros((size, len(y)))
        N[(2 * self.others[:, None] + [0, 1]).ravel(), np.arange(n)] = 1.0
        N[:, n:] = modes[:, self.free]
        M = np.kron(self.body.M, np.eye(2))
        force = self.forces(t, x, v).ravel()
        second = np.linalg.solve(N.T @ M @ N, N.T @ (force - M @ a.ravel()))
        total = a.ravel() + N @ second
        return second, total.reshape(-1, 2), modes.T @ (M @ total - force)

    def run(self, x, v, q, q1, t_end):
        """(x, v, q, q', reaction wrench (3,)) at ``t_end`` from nodal (x, v) (N, 2) and the clamp's (q, q') (3,)."""
        start = np.concatenate([x[self.others].ravel(), q[self.free], v[self.others].ravel(), q1[self.free]])

        def rhs(t, state):
            return np.concatenate([np.split(state, 2)[1], self.accelerations(t, state)[0]])

        end = solve_ivp(rhs, (0.0, t_end), start, method="DOP853", rtol=1e-10, atol=1e-12).y[:, -1]
        q, q1, x, v, *_ = self.full(t_end, *np.split(end, 2))
        return x, v, q, q1, self.accelerations(t_end, end)[2]


def push(body, t):
    """Nodal forces (N, 2) N of the test's loads at t: a tilted pull cos(20 t) on the right edge and a body force."""
    force = np.cos(20.0 * t) * body.edge_shape("right")[:, None] * np.array([1.2, 0.9])
    mass = np.asarray(body.mass_matrix @ np.ones(len(body.X)))
    return force + mass[:, None] * np.array([0.0, 2.0])


LOADS = (EdgeLoad("right", (1.2, 0.9), Cosine(20.0)), BodyForce((0.0, 2.0)))


def rates_of(free, turning):
    """Smooth prescribed rates of what is not free, the initial rates (3,), and the motion (q, q', q'') of it."""
    given = {
        "x": (lambda t: 0.8 * t + 0.02 * np.sin(30 * t), lambda t: 0.8 + 0.6 * np.cos(30 * t), lambda t: -18 * np.sin(30 * t)),
        "y": (lambda t: 0.5 * t + t * t, lambda t: 0.5 + 2 * t, lambda t: 2.0),
        "angle": (lambda t: 6 * t + 0.1 * np.sin(40 * t), lambda t: 6 + 4 * np.cos(40 * t), lambda t: -160 * np.sin(40 * t)),
    }  # fmt: skip
    if not turning:
        given["angle"] = (lambda t: 0.0,) * 3
    held = {name: given[name] for name in given if name not in free}
    initial = np.array([1.4, 0.5, 10.0 * turning])

    def drive(t):
        return np.array([[held[n][k](t) if n in held else 0.0 for n in given] for k in range(3)])

    return {name: f[1] for name, f in held.items()}, initial, drive


class Case:
    """A plate thrown with spin, sliding everywhere; the clamp free in ``free``, driven otherwise."""

    def __init__(self, free, mu=0.3, *, turning=True):
        self.free, self.mu, self.body = free, mu, plate()
        self.rates, initial, drive = rates_of(free, turning)
        clamp = self.body.boundary("left")
        foundation = rough(mu)
        w = foundation.bound(self.body.X, self.body.nodal_area, 0.0)
        mask = np.array([n in free for n in ALL_FREE])
        twin = Driven(Elastic(self.body), clamp, mask, drive, lambda t: push(self.body, t), w)
        self.initial = InitialState(tuple(initial[:2]), float(initial[2]))
        x, v = self.initial.fields(self.body.X)
        self.exact = twin.run(x, v, np.zeros(3), initial, T_END)
        frame = Clamped("left", free, self.rates)
        self.given = {"foundation": foundation, "loads": LOADS, "frame": frame, "initial": self.initial}

    def run(self, dt, scheme="sdirk2"):
        data = run(self.body, T_END, dt, scheme, **self.given)
        assert not data.stick.values[1:].any()  # the twin knows sliding only
        # The clamp moves with the frame by construction, so no rounding of x - x0 is left of u on it, wherever it is.
        assert not np.any(data.displacement.values[:, self.body.boundary("left")])
        return data

    def errors(self, data):
        """Largest errors at the end: position m, velocity m/s, coordinates of the clamp, its rates, reaction N, N m."""
        x, v, q, q1, wrench = self.exact
        computed = np.array([*data.frame_position.values[-1], float(data.frame_angle[-1])])
        rate = np.array([*data.frame_velocity.values[-1], float(data.frame_spin[-1])])
        reaction = np.array([*data.clamp_reaction.values[-1], float(data.clamp_moment[-1])])
        held = np.where([n in self.free for n in ALL_FREE], 0.0, wrench)
        pairs = (
            (data.position.values[-1], x),
            (data.velocity.values[-1], v),
            (computed, q),
            (rate, q1),
            (reaction, held),
        )
        return np.array([np.abs(one - other).max() for one, other in pairs])


def orders(case, steps, scheme="sdirk2"):
    errors = np.array([case.errors(case.run(dt, scheme)) for dt in steps])
    return observed_orders(errors), errors


CASES = {" ".join(free) or "none": (free, 0.3) for free in (ALL_FREE, ("x", "angle"), ("x",), ("y",), ("angle",), ())}
CASES["x angle, smooth"] = (("x", "angle"), 0.0)


@pytest.mark.parametrize(("free", "mu"), CASES.values(), ids=CASES)
@pytest.mark.quick("none")
def test_a_clamped_plate_converges_in_second_order_to_the_inertial_computation(free, mu):
    """Free, driven, and fully driven (Dirichlet) clamps; large rotation; with friction and without. The reaction holds stage
    accelerations of the prescribed motions, which are of first order."""
    case = Case(free, mu)
    assert 0.1 < Elastic(case.body).largest_strain(case.exact[0]) < 0.3
    assert 0.4 < case.exact[2][2] < (0.6 if mu else 0.65)  # turned by 25 to 37 degrees
    computed, errors = orders(case, (2e-3, 1e-3, 5e-4))
    for column in (0, 1, 2):  # position, velocity, the clamp's coordinates
        assert np.all((computed[:, column] > 1.9) & (computed[:, column] < 2.05)), (column, computed)
    assert 5e-7 < errors[-1, 0] < 4e-6
    assert 1e-4 < errors[-1, 1] < 7e-4
    assert errors[-1, 2] < 2e-6
    if len(free) == 3:
        assert errors[-1, 4] == 0.0  # nothing holds the clamp
    else:
        assert np.abs(case.exact[4]).max() > 0.4
        assert 0.8 < computed[-1, 4] < 2.1
        assert errors[-1, 4] < 1e-2 * np.abs(case.exact[4]).max()
    if mu == 0.0:  # friction matters otherwise
        assert np.abs(Case(free).exact[0] - case.exact[0]).max() > 1e-3


OTHERS = [("backward-euler", ("x", "angle"), True, 0.3, 1), ("backward-euler", ("y",), True, 0.3, 1)]
OTHERS += [("moreau-theta", ("x", "y"), False, 0.0, 2), ("moreau-theta", ("x",), False, 0.0, 2)]
OTHERS += [("moreau-theta", ALL_FREE, True, 0.0, 1)]  # its clamp's equations are those of the end of the step


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "free", "turning", "mu", "order"), OTHERS)
def test_the_other_schemes_have_their_order_with_a_clamp(scheme, free, turning, mu, order):
    case = Case(free, mu, turning=turning)
    assert (np.abs(case.exact[2][2]) > 0.4) == turning
    computed, errors = orders(case, (1e-3, 5e-4, 2.5e-4), scheme)
    for column in (0, 2):
        assert np.all(np.abs(computed[:, column] - order) < 0.15), (column, computed)
    assert errors[-1, 0] < (1e-3 if order == 1 else 2e-6)


GROUNDS = {
    "coulomb": rough(0.5),
    "static": Foundation(StaticKinetic(0.7), 0.5, PRESSURE),
    "smooth": Foundation(Smooth(1e-2), 0.5, PRESSURE),
    "belt": Foundation(Coulomb(), 0.5, PRESSURE, ground_velocity=(0.2, 0.0)),
}


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.quick("smooth", "belt")
def test_a_symmetric_problem_stays_symmetric_and_its_free_clamp_does_not_turn(ground):
    """Through stick, slip and arrest, in which the free clamp is held as a whole while its rates are sought. A clamp that cannot
    turn is one node of the stage, and moves as that one."""
    body, end = plate(2, 2), 0.15
    loads = (EdgeLoad("left", (3.5, 0.0), Ramp(0.025, 0.05)), EdgeLoad("right", (1.6, 0.0), Ramp(0.025, 0.05)))
    given = {"foundation": GROUNDS[ground], "loads": loads}
    data, held = (run(body, end, 2e-3, **given, frame=Clamped("left", free)) for free in (ALL_FREE, ("x",)))
    mirrored = [int(np.argmin(np.linalg.norm(body.X * [1, -1] - point, axis=1))) for point in body.X]
    u = data.displacement.values
    assert np.abs(u[..., 1]).max() > 1e-4  # it contracts sideways
    np.testing.assert_allclose(u[:, mirrored] * [1, -1], u, atol=1e-9 * np.abs(u).max())
    assert np.abs(data.frame_position.values[:, 0]).max() > 0.01
    assert np.abs(data.frame_position.values[:, 1]).max() < 1e-10
    assert np.abs(data.frame_angle.values).max() < 1e-9
    np.testing.assert_allclose(data.position.values, held.position.values, atol=1e-9)
