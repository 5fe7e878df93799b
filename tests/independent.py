"""Integrations that know nothing of the references they prove: stick and slip by events, bodies by multipliers, lattices."""

import numpy as np
from scipy.integrate import solve_ivp

CLOSELY = {"rtol": 1e-11, "atol": 1e-14, "max_step": 0.02, "dense_output": True}


def stick_slip(mass, force, bound, t_end, *, ground=lambda t: 0.0, x0=0.0):
    """Places and velocities (n,) at 0 <= times <= t_end of m x'' = force(t, x) + friction against x' - ground(t).

    `bound` of friction: a number, or a function of the speed, at rest its value at 0. Phases of slip are integrated until the
    slip is zero, phases of stick until the force that holds the mass on the ground passes it. Returns a function of times (n,).
    """
    limit = bound if callable(bound) else lambda speed: bound
    t, x, v, pieces = 0.0, x0, ground(0.0), []

    def rate_of(s):
        return (ground(s + 1e-6) - ground(s - 1e-6)) / 2e-6

    def needed(s, place):
        return mass * rate_of(s) - force(s, place)

    while t < t_end:
        if abs(needed(t, x)) <= limit(0.0) * (1 + 1e-12):

            def excess(s, y):
                return abs(needed(s, y[0])) - limit(0.0) * (1 + 1e-11)

            excess.terminal, excess.direction = True, 1.0
            done = solve_ivp(lambda s, y: [ground(s)], (t, t_end), [x], "RK45", events=excess, **CLOSELY)
            pieces.append((t, done.t[-1], lambda s, sol=done.sol: (sol(s)[0], np.array([ground(one) for one in s]))))
            t, x, v = done.t[-1], done.y[0, -1], ground(done.t[-1])
            if t >= t_end:
                break
        sign = -np.sign(needed(t, x)) if abs(v - ground(t)) < 1e-9 else np.sign(v - ground(t))

        def rates(s, y, sign=sign):
            return [y[1], (force(s, y[0]) - sign * limit(max(sign * (y[1] - ground(s)), 0.0))) / mass]

        def stopped(s, y, sign=sign, begun=t):
            return sign * (y[1] - ground(s)) if s > begun + 1e-4 else 1.0

        stopped.terminal, stopped.direction = True, -1.0
        done = solve_ivp(rates, (t, t_end), [x, v], "DOP853", events=stopped, **CLOSELY)
        pieces.append((t, done.t[-1], lambda s, sol=done.sol: tuple(sol(s))))
        t, x = done.t[-1], done.y[0, -1]
        v = ground(t)

    def at(times):
        times = np.asarray(times, float)
        place, speed = np.empty_like(times), np.empty_like(times)
        for begin, end, course in pieces:
            inside = (times >= begin) & (times <= end)
            if inside.any():
                place[inside], speed[inside] = course(times[inside])
        return place, speed

    return at


def on_one_point(mass, inertia, arm, mu, gravity, start, t_end):
    """State (x, z, angle and rates, 6) at the end of a rigid body in the plane x, z that slides forward on a point.

    `arm` (2,) of the point at angle 0; the angle turns x into z. The normal force is the multiplier that keeps the point's height.
    """

    def rates(t, y):
        c, s = np.cos(y[2]), np.sin(y[2])
        r = np.array([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]])
        force = np.array([-mu, 1.0])  # for a unit normal force
        # unknowns x'', z'', a'', N: balances, and z'' + a'' r_x - w^2 r_z = 0
        torque = r[0] * force[1] - r[1] * force[0]
        matrix = np.array([[mass, 0, 0, -force[0]], [0, mass, 0, -force[1]], [0, 0, inertia, -torque], [0, 1, r[0], 0]])
        computed = np.linalg.solve(matrix, [0.0, -mass * gravity, 0.0, y[5] ** 2 * r[1]])
        assert computed[3] > 0.0
        return [*y[3:], *computed[:3]]

    return solve_ivp(rates, (0.0, t_end), start, "RK45", rtol=1e-11, atol=1e-13).y[:, -1]


def lattice(mass, stiffness, left, right, steps, dt, *, velocity=0.0, floor=None):
    """Places (steps + 1, n) of a chain of n equal cells by leapfrog with dt = dx/c, which is exact for the wave equation.

    `left(t)`, `right(t)`: forces N on the ends; `floor`: height of the first node above a hard floor.
    """
    n = len(mass)
    u, v = np.zeros(n), np.full(n, float(velocity))
    half, computed = None, [u.copy()]
    for k in range(steps):
        pull = np.zeros(n)
        pull[:-1] += stiffness * np.diff(u)
        pull[1:] -= stiffness * np.diff(u)
        pull[0] += left(k * dt)
        pull[-1] += right(k * dt)
        half = v + 0.5 * dt * pull / mass if half is None else half + dt * pull / mass
        if floor is not None and u[0] + dt * half[0] < -floor:
            half[0] = (-floor - u[0]) / dt
        u = u + dt * half
        computed.append(u.copy())
    return np.array(computed)
