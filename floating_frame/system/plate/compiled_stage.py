"""A stage of a free plate by compiled loops on arrays that are made once: the twin of ``staggered`` and ``semismooth``.

The iteration is the same, to rounding. What semismooth Newton alone does not solve is left to the twin."""

from __future__ import annotations

import math

import numpy as np

from fem import FactorError
from fem.kernels import internal_force
from floating_frame.frame.conditions import FRAME_CODES
from floating_frame.frame.kernels import moment_sums, resultant_sums
from floating_frame.frame.kinematics import Array
from floating_frame.system.model import Model
from floating_frame.system.plate import kernels as k
from floating_frame.system.plate.staggered import FRAME_TOLERANCE, MAX_PASSES, MAX_SWEEPS
from friction import NotPositiveDefinite, TrescaOptions
from friction.nodal import semismooth
from friction.nodal.kernels import newton

ROUNDING = 8.0 * k.EPS
"""As ``StageEquilibrium.rounding``."""


class CompiledStage:
    """Solves stages of a ``model``. ``f``: nodal fields (``kernels``); ``frame`` (3, 3): q, q', q''; ``star`` (2, 3): q*, q'*;
    ``bound`` (N,), N; ``ground`` (2,); ``fixed`` (N,): nodes that are kept at rest on it; ``status`` (N,);
    ``counts``: passes, Newton iterations and factorisations so far; ``taus``: τ_x, τ_v, θ."""

    def __init__(self, model: Model) -> None:
        body, mass, cache = model.body, model.mass, model.cache
        assert cache is not None
        self.model, self.cache, self._options, N = (
            model,
            cache,
            TrescaOptions(rtol=model.options.tolerance),
            len(body.X),
        )
        most = self._options.max_iterations + 1
        self.f = np.zeros((k.FIELDS, N, 2))
        self.frame, self.star, self.ground = np.zeros((3, 3)), np.zeros((2, 3)), np.zeros(2)
        self.bound, self.status = np.zeros(N), np.zeros(N, np.int8)
        self.fixed, self._eliminated, self._factorised = np.zeros((3, N), np.bool_)
        self.counts, self.taus = np.zeros(3, np.int64), (0.0, 0.0, 0.0)
        self.valid = False
        self._d, self._taken = np.zeros((N, 3)), np.empty((most, N, 2))
        self._mass = mass.matrix.indptr, mass.matrix.indices, mass.matrix.data
        self._weights = mass.nodal, np.ascontiguousarray(mass.weighted)
        self._element = body.force_arguments
        self._triangle: Array | None = None
        self._room: Array | None = None
        self._slides = False
        self._rhs, self._kind = self.f[k.RHS].reshape(-1), FRAME_CODES[model.frame.name]
        self._radius = math.sqrt(mass.second_moment / mass.total)
        self._largest, self._extent = 0.0, float(np.abs(body.X).max())
        self._heaviest, self._rounding = float(mass.nodal.max()), 0.0

    def moments(self, x: Array, v: Array, a: Array) -> tuple[float, ...]:
        """Return the numbers of ``moments.Moments``."""
        numbers: tuple[float, ...] = moment_sums(*self._mass, *self._weights, x, v, a)
        return numbers

    def force(self, u: Array, out: Array) -> None:
        """Write the internal force (N, 2), N, at u (N, 2), m, into ``out``."""
        internal_force(u, *self._element, out)

    def moment_force(self, x: Array, v: Array, angle: float, r: Array, internal: Array, out: Array) -> None:
        """Write what makes an ``internal`` force at arms r power-consistent in a frame turned by ``angle``."""
        m = self.moments(x, v, v)
        k.moment_force(self._kind, m, angle, self._weights[1], *self._mass, r, internal, out)

    def decomposed(self, m: tuple[float, ...], angle: float, q: Array) -> bool:
        """Write q, q', q'' (3, 3) that the frame's condition gives moments into ``q``; return whether there are any."""
        return bool(k.decomposed(self._kind, m, self.model.mass.second_moment, angle, q))

    def begin(self, taus: tuple[float, float, float], slip: Array) -> bool:
        """Begin a stage with x*, v*, the load, q*, q'* and a guess in their places; ``slip`` (2, N, 2): of the step's start, and of
        the last stage. Return whether all nodes slid then."""
        self.valid = self.valid and taus == self.taus
        self.taus = taus
        self.fixed[:] = False
        self._slides, self._largest, place, velocity = k.begin(self.f, slip, self.bound)
        stiffness = self.model.stiffness * max(place, self._extent)
        self._rounding = ROUNDING * max(stiffness, self._heaviest * velocity / taus[1])
        self.advance_frame(self.frame)
        return bool(self._slides)

    def advance_frame(self, q: Array) -> None:
        """Give ``q`` (3, 3) the rates and the place to which its accelerations lead (``staggered.advance_frame``)."""
        tau_x, tau_v, _ = self.taus
        if tau_v == np.inf:
            q[2] = 0.0
            q[1] = self.star[1]
        else:
            q[1] = self.star[1] + tau_v * q[2]
        q[0] = self.star[0] + tau_x * q[1]

    def solve(self) -> bool:
        """Solve the stage from the guess by elastic and rigid passes; return whether that succeeded."""
        f, (tau_x, tau_v, _), model = self.f, self.taus, self.model
        for passes in range(1, MAX_PASSES + 1):
            try:
                iterations = self._elastic_pass()
            except (NotPositiveDefinite, FactorError):
                return False
            if iterations is None:
                return False
            newton.outcome(f[k.V], f[k.G], self.bound, self.fixed, f[k.AGAINST], f[k.FOUND], self.status)
            k.ended(f, self.frame[0, 2], self.ground, self.fixed, tau_x, tau_v)
            old, self.frame = self.frame, self.frame.copy()
            if not self._rigid_pass(old):
                return False
            self.counts[0] += 1
            self.counts[1] += iterations
            if model.objective or (passes > 1 and iterations == 0 and self._change(old) <= FRAME_TOLERANCE):
                return True
        return False

    def _rigid_pass(self, old: Array) -> bool:
        """Advance the frame under the forces on the nodes (``staggered.rigid_pass``)."""
        f, (tau_x, tau_v, _), mass = self.f, self.taus, self.model.mass
        m = self.moments(f[k.POSITION], f[k.VELOCITY], f[k.ACCELERATION])
        if tau_v == np.inf:
            return self.decomposed(m, float(old[0, 2]), self.frame)
        forces = resultant_sums(f[k.NET], f[k.POSITION], np.array(m[:2]))
        settled = 1e-3 * FRAME_TOLERANCE
        rate, stands = k.turned_by(self._kind, m, forces, old, self.star, tau_x, tau_v, settled, MAX_SWEEPS)
        self.frame[2] = forces[0] / mass.total, forces[1] / mass.total, rate
        self.advance_frame(self.frame)
        return bool(stands)

    def _change(self, old: Array) -> float:
        """Return ``staggered.frame_change``."""
        (place, rates, _), (before, earlier, _) = self.frame.tolist(), old.tolist()
        change = 0.0
        for j, size in enumerate((self._radius, self._radius, 1.0)):
            scale = size + abs(place[j])
            change = max(change, abs(place[j] - before[j]) / scale)
            change = max(change, abs(rates[j] - earlier[j]) / (scale / self.taus[0] + abs(rates[j])))
        return change

    def _elastic_pass(self) -> int | None:
        """Solve nodal equilibrium in the frame by semismooth Newton; return its iterations, None where it does not converge."""
        f, options, (tau_x, tau_v, _), angle = self.f, self._options, self.taus, float(self.frame[0, 2])
        k.pose(f, self.model.mass.reference, self.frame[0], self.ground, self.fixed, tau_x)
        if not self.model.objective:
            self.force(f[k.U], f[k.F])
            self.moment_force(f[k.POSITION], f[k.VELOCITY], angle, f[k.A], f[k.F], f[k.FRAME_FORCE])
        k.spread(f, tau_x, tau_v)
        residual, tolerance = self._judged()
        best, best_step, previous, taken, saved = residual, 0, math.inf, 0, (math.inf, 0.0)
        visited: dict[bytes, float] = {}
        mask = b""
        for step in range(options.max_iterations + 1):
            if not residual > tolerance:  # or not finite
                return step if residual <= tolerance else None
            if residual < best:
                best, best_step = residual, step
            if step == options.max_iterations or step - best_step >= options.patience or not math.isfinite(residual):
                return None
            if residual >= saved[0]:  # a chord step that made things worse is taken back
                k.take_back(f)
                residual, tolerance = saved
            chord, swept = self._contracts(residual, previous, tolerance) and self._linearised(tolerance), False
            if chord:
                saved = residual, tolerance
            else:
                swept = self._linearised_anew(tolerance)
                new = self._eliminated.tobytes()
                if new != mask and 2.0 * residual >= visited.get(new, math.inf):
                    return None  # a cycle
                mask, taken, saved = new, 0, (math.inf, 0.0)
                visited[mask] = residual
                self._factorise()
            previous = residual
            k.advance(f, self._taken, taken, self.cache.factor.solve(self._rhs), self._eliminated, tau_x, tau_v)
            taken += not swept
            residual, tolerance = self._judged()
        return None

    def _judged(self) -> tuple[float, float]:
        """Return residual and tolerance at the iterate."""
        f, options = self.f, self._options
        self.force(f[k.U], f[k.F])
        residual, size = k.judged(f, *self._mass, self.bound, self.fixed, self.taus[2], not self.model.objective)
        return residual, max(options.rtol * max(self._largest, size), self._rounding)

    def _contracts(self, residual: float, previous: float, tolerance: float) -> bool:
        """Return ``NodalFrictionProblem.contracts``."""
        if not self.valid or residual >= previous:
            return False
        if math.isinf(previous):
            return True
        return math.log(residual / tolerance) / math.log(previous / residual) <= self._options.chord_steps

    def _linearised(self, tolerance: float) -> bool:
        """Linearise the friction law at the iterate; return whether the factor at hand has its sticking nodes."""
        nodes = self._eliminated, self._factorised, self._d
        return bool(k.chord_serves(self.f, self.bound, self.cache.r, self.fixed, tolerance, *nodes))

    def _linearised_anew(self, tolerance: float) -> bool:
        """Make the hessian at the iterate and linearise the friction law where sweeps lead (``semismooth.relaxed``); return whether
        that is elsewhere. Where all nodes slide, as at the start or when last seen, its upper triangle is enough."""
        f, body, cache, (tau_x, tau_v, theta) = self.f, self.model.body, self.cache, self.taus
        k.spread(f, tau_x, tau_v)
        weights = {"share": theta * tau_x, "inertia": 1.0 / tau_v}
        if self._slides:
            self._triangle = body.upper_tangent(f[k.U], **weights, out=self._room)
            self._room, cache.r = self._triangle, newton.scaling(self._triangle, body.triangle.diagonal)
            self._linearised(tolerance)
            self._slides = not self._eliminated.any()
            if self._slides:
                return False
        self._triangle = None
        body.tangent(f[k.U], **weights, out=cache.data)
        cache.r = newton.scaling(cache.data, cache.diagonal)
        self._linearised(tolerance)
        self._slides = not self._eliminated.any()
        if self._slides:
            return False
        f[k.SAVED_V], f[k.SAVED_G] = f[k.V], f[k.G]
        matrix = cache.indptr, cache.indices, cache.data, cache.diagonal
        swept = semismooth.relaxed(matrix, self.bound, tolerance, self.fixed, f[k.SAVED_V], f[k.SAVED_G])
        if swept:
            k.take_back(f)
            self._linearised(tolerance)
        return swept

    def _factorise(self) -> None:
        """Factorise the hessian with the friction tangent; couple jumps to rest to the other nodes."""
        cache, f = self.cache, self.f
        self.valid = False
        self.counts[2] += 1
        if self._triangle is not None:
            self._triangle[self.model.body.triangle.own] += self._d
            cache.factor.refactor(self._triangle, triangle=True)
        else:
            matrix = cache.indptr, cache.indices, cache.data
            newton.eliminate(*matrix, cache.diagonal, self._eliminated, self._d, cache.r, cache.work)
            cache.factor.refactor(cache.work)
            newton.close_rhs(*matrix, self._eliminated, cache.r, f[k.RHS])
        self._factorised[:], self.valid = self._eliminated, True
