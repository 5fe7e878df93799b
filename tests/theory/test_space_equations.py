"""Szefer's section 2 in space, (2.1) to (2.7), corrected: six particles in a turning frame, to forty digits."""

from types import SimpleNamespace

import mpmath as mp
import pytest

mp.mp.dps = 60
TIME, COUNT = mp.mpf("0.37"), 6
MASSES = [mp.mpf(k + 2) / 7 for k in range(COUNT)]
_PLACES = [mp.matrix([mp.sin(3 * k + 1), mp.cos(5 * k), mp.sin(2 * k * k + 1)]) for k in range(COUNT)]
_CENTRE = sum((m * X for m, X in zip(MASSES, _PLACES, strict=True)), mp.zeros(3, 1)) / mp.fsum(MASSES)
REFERENCE = [X - _CENTRE for X in _PLACES]


def rotation(t):
    """Q(t), by three angles that turn at once."""
    a, b, c = mp.sin(t) + 2 * t, mp.mpf("0.7") * t * t + t, mp.cos(2 * t)
    about_z = mp.matrix([[mp.cos(a), -mp.sin(a), 0], [mp.sin(a), mp.cos(a), 0], [0, 0, 1]])
    about_y = mp.matrix([[mp.cos(b), 0, mp.sin(b)], [0, 1, 0], [-mp.sin(b), 0, mp.cos(b)]])
    about_x = mp.matrix([[1, 0, 0], [0, mp.cos(c), -mp.sin(c)], [0, mp.sin(c), mp.cos(c)]])
    return about_z * about_y * about_x


def origin(t):
    """x0(t)."""
    return mp.matrix([t**3 + mp.sin(t), mp.exp(-t), mp.cos(3 * t)])


def arm(k):
    """r = X + u(t) of a particle, in the frame."""
    X = REFERENCE[k]
    return lambda t: X + mp.matrix([mp.sin(t + k) / 3, mp.cos(2 * t - k) / 4, mp.sin(3 * t) * X[0] / 5])


def derivative_at(function, t, order=1):
    """The derivative of a matrix of functions of time."""
    shape = function(t)
    rows, columns = range(shape.rows), range(shape.cols)
    return mp.matrix([[mp.diff(lambda s, i=i, j=j: function(s)[i, j], t, order) for j in columns] for i in rows])


def derivative(function, order=1):
    """The same at the instant that all tests look at."""
    return derivative_at(function, TIME, order)


def cross(a, b):
    return mp.matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def dot(a, b):
    return mp.fsum(x * y for x, y in zip(a, b, strict=True))


def axial(matrix):
    return mp.matrix([matrix[2, 1], matrix[0, 2], matrix[1, 0]])


def total(density):
    return sum((m * density(k) for k, m in enumerate(MASSES)), 0 * density(0))


@pytest.fixture(scope="module")
def motion():
    """All that the equations name, at one instant."""

    now = SimpleNamespace()
    Q = rotation(TIME)
    now.omega = axial(Q.T * derivative(rotation))
    now.domega = axial(derivative(lambda t: rotation(t).T * derivative_at(rotation, t)))
    now.v0, now.a0 = Q.T * derivative(origin), Q.T * derivative(origin, 2)
    now.r = [arm(k)(TIME) for k in range(COUNT)]
    now.du, now.ddu = ([derivative(arm(k), order) for k in range(COUNT)] for order in (1, 2))
    now.v, now.a = ([Q.T * derivative(place(k), order) for k in range(COUNT)] for order in (1, 2))
    now.M = mp.fsum(MASSES)
    now.A, now.P, now.B = (total(lambda k, f=f: f[k]) for f in (now.r, now.du, now.ddu))
    now.J = total(lambda k: dot(now.r[k], now.r[k]) * mp.eye(3) - now.r[k] * now.r[k].T)
    now.dJ = total(lambda k: 2 * dot(now.r[k], now.du[k]) * mp.eye(3) - now.du[k] * now.r[k].T - now.r[k] * now.du[k].T)
    now.k, now.L = total(lambda k: cross(now.r[k], now.du[k])), total(lambda k: cross(now.r[k], now.ddu[k]))
    now.M0 = total(lambda k: cross(now.r[k], now.a[k]))
    return now


def place(k):
    return lambda t: origin(t) + rotation(t) * arm(k)(t)


def size(vector):
    return max(abs(x) for x in vector)


def assert_sum(left, terms):
    """The terms add up to ``left`` to twenty digits, and without any one of them they miss it by a thousandth of the largest."""
    largest = max(size(term) for term in terms)
    whole = sum(terms[1:], terms[0])
    assert size(whole - left) < mp.mpf("1e-20") * largest
    for term in terms:
        assert size(whole - term - left) > largest / 1000


def test_velocity_and_acceleration_of_a_particle_in_the_frame_2_2(motion):
    m = motion
    for k in range(COUNT):
        assert_sum(m.v[k], [m.v0, cross(m.omega, m.r[k]), m.du[k]])
        centrifugal, coriolis = cross(m.omega, cross(m.omega, m.r[k])), 2 * cross(m.omega, m.du[k])
        assert_sum(m.a[k], [m.a0, cross(m.domega, m.r[k]), centrifugal, coriolis, m.ddu[k]])


def test_momentum_2_3_1(motion):
    m = motion
    force = total(lambda k: m.a[k])
    terms = [m.M * m.a0, cross(m.domega, m.A), cross(m.omega, cross(m.omega, m.A)), 2 * cross(m.omega, m.P), m.B]
    assert_sum(force, terms)


def test_moment_of_momentum_2_3_2_has_the_rate_of_inertia(motion):
    m = motion
    gyroscopic = cross(m.omega, m.J * m.omega)
    terms = [cross(m.A, m.a0), m.J * m.domega, gyroscopic, m.dJ * m.omega, cross(m.omega, m.k), m.L]
    assert_sum(m.M0, terms)


def test_the_printed_coriolis_moment_lacks_the_rate_of_inertia_less_its_turning(motion):
    m = motion
    coriolis = 2 * total(lambda k: cross(m.r[k], cross(m.omega, m.du[k])))
    printed = 2 * cross(m.omega, m.k)  # -2 omega x K0
    assert_sum(coriolis, [m.dJ * m.omega, cross(m.omega, m.k)])
    missing = m.dJ * m.omega - cross(m.omega, m.k)
    assert size(coriolis - printed) > size(coriolis) / 10
    assert size(coriolis - printed - missing) < mp.mpf("1e-20") * size(coriolis)


def test_moment_of_momentum_about_the_frames_origin_changes_by_moments_and_the_origins_motion(motion):
    m = motion

    def moment(t):
        """Σ m (x - x0) x v, in the frame."""
        v0, dQ, Q = derivative_at(origin, t), derivative_at(rotation, t), rotation(t)
        found = mp.zeros(3, 1)
        for k, mass in enumerate(MASSES):
            r = arm(k)(t)
            velocity = Q.T * (v0 + dQ * r) + derivative_at(arm(k), t)
            found += mass * cross(r, velocity)
        return found

    H = m.J * m.omega + cross(m.A, m.v0) + m.k
    assert_sum(moment(TIME), [m.J * m.omega, cross(m.A, m.v0), m.k])
    rate = mp.matrix([mp.diff(lambda t, i=i: moment(t)[i], TIME) for i in range(3)])
    assert_sum(rate + cross(m.omega, H), [m.M0, -cross(m.v0, m.P), -cross(m.v0, cross(m.omega, m.A))])


def test_kinetic_energy_in_the_frames_terms(motion):
    m = motion
    energy = mp.fsum(mass * dot(v, v) for mass, v in zip(MASSES, m.v, strict=True)) / 2
    relative = mp.fsum(mass * dot(d, d) for mass, d in zip(MASSES, m.du, strict=True)) / 2
    parts = [
        m.M * dot(m.v0, m.v0) / 2,
        dot(m.v0, cross(m.omega, m.A) + m.P),
        dot(m.omega, m.J * m.omega) / 2,
        dot(m.omega, m.k),
        relative,
    ]
    assert_sum(mp.matrix([energy]), [mp.matrix([part]) for part in parts])
