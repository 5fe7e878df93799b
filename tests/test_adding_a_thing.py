"""A law, a frame, a case, an effect and a body are added from outside, by a file of their own and a line in a registry.

CONTRIBUTING.md says which files adding a thing touches. Here each file is written into a temporary folder, imported, registered and
run as its users would run it; the run shows one thing that it must do.
"""

import functools
import importlib
import json
import math
import textwrap

import numpy as np
import pytest

import cases.registry
from cases.command.cli import main
from fem import DeformableBody, Plate, StVenantKirchhoff, rectangle
from floating_frame import FRAMES, InitialState, Options, Problem, RigidBody, assemble, load_trajectory, simulate
from friction import LAWS


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write a module into a folder of its own and import it."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(name, text):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
        importlib.invalidate_caches()
        return importlib.import_module(name)

    return write


def ran(directory, *arguments):
    """The headline numbers and the trajectory of a run of the command line."""
    assert main(["run", *arguments, "--out", str(directory), "--quiet"]) == 0
    summary = json.loads((directory / "summary.json").read_text(encoding="utf-8"))
    with load_trajectory(directory / "trajectory.nc") as data:
        return summary["results"], data.load()


LAW = '''
    """A law that creeps: m = tanh(s/v_reg)."""

    from dataclasses import dataclass
    from typing import ClassVar

    import numpy as np

    from friction import Radial


    @dataclass(frozen=True)
    class Tanh(Radial):
        """lambda = w tanh(|v|/v_reg) v/|v|."""

        v_reg: float
        set_valued: ClassVar[bool] = False

        def profile(self, s):
            return np.tanh(s / self.v_reg)

        def profile_slope(self, s):
            return (1 - np.tanh(s / self.v_reg) ** 2) / self.v_reg

        def profile_integral(self, s):
            return s + self.v_reg * (np.log1p(np.exp(-2 * s / self.v_reg)) - np.log(2))
'''


def test_a_law_is_a_file_and_a_line_and_creeps_down_a_slope_as_its_profile_says(written, tmp_path, monkeypatch):
    """Its coefficient is called as a parameter of the cases, v_reg: tanh(v/v_reg) = tan(angle)/mu."""
    monkeypatch.setitem(LAWS, "tanh", written("toy_law", LAW).Tanh)
    options = ["--law=tanh", "--v_reg=0.01", "--mu=0.5", "--angle=15", "--t_end=0.2"]
    results, data = ran(tmp_path / "out", "inclined_plane", *options)
    creep = 0.01 * math.atanh(math.tan(math.radians(15.0)) / 0.5)
    assert data.frame_velocity[0, 0] == 0.0 < creep
    assert results["velocity_end"]["value"] == pytest.approx(creep, rel=1e-6)


FRAME = '''
    """A frame that follows the centre of mass and does not turn."""

    from dataclasses import dataclass

    import numpy as np

    from floating_frame.frame.kinematics import FrameMotion


    @dataclass(frozen=True)
    class Translating:
        """x0 is the centre of mass, the angle zero."""

        name: str = "translating"
        holonomic: bool = True

        def decompose(self, found, mass, angle):
            places = (found.centre, found.centre_velocity, found.centre_acceleration)
            return FrameMotion(*(np.array([*place, 0.0]) for place in places))

        def substitute(self, found, angle, spin):
            return found.cross_ya, found.yy

        def spin_gradient(self, mass, r, angle_moments, angle):
            return np.zeros_like(r)
'''


def test_a_frame_is_a_file_and_a_line_and_moves_no_node(written, tmp_path, monkeypatch):
    """The split is a gauge: in a frame that does not turn, all turning is displacement, and the motion in space is the same."""
    monkeypatch.setitem(FRAMES, "translating", written("toy_frame", FRAME).Translating)
    options = [
        "plate_sliding",
        "--t_end=0.1",
        "--dt=0.005",
        "--nx=4",
        "--ny=2",
        "--pull_x=60",
        "--pull_y=40",
        "--ramp=0",
    ]
    (_, usual), (_, own) = (ran(tmp_path / name, *options, f"--frame={name}") for name in ("mean-axis", "translating"))
    assert abs(float(usual.frame_angle[-1])) > 0.01
    assert not own.frame_angle.values.any()
    size = float(np.abs(usual.position).max())
    np.testing.assert_allclose(own.position, usual.position, rtol=0, atol=1e-9 * size)


CASE = '''
    """A block that is pushed off and stops.

    Reference: Coulomb's law. Analysis: a rigid block. Purpose: way and time to rest. Summary: v0**2/(2 mu g), v0/(mu g).
    """

    from typing import Annotated

    from cases.parts import bodies
    from cases.parts.measure import measure
    from cases.parts.parameters import ElasticParameters, EndTime, Mu, Poisson, TimeStep, Young, quantity
    from cases.run.results import headline
    from floating_frame import InitialState, Problem, RigidBody


    class Parameters(ElasticParameters):
        t_end: EndTime = 0.5
        dt: TimeStep = 0.01
        mu: Mu = 0.5
        E: Young = 1e6
        nu: Poisson = 0.3
        nx: int = 1
        ny: int = 1
        v0: Annotated[float, quantity("m/s", "initial velocity", gt=0)] = 1.0


    def problem(params):
        plate = bodies.rectangular_plate(params, params, 0.1, 0.1, thickness=0.1, density=1000.0)
        ground = bodies.foundation(params, mass=1.0, area=0.01)
        start = InitialState((params.v0, 0.0))
        return Problem(RigidBody.from_plate(plate), params.t_end, foundation=ground, initial=start)


    def options(params, *, stress=False):
        return bodies.options(params, stress=stress)


    def way(params):
        return params.v0**2 / (2 * params.mu * params.gravity)


    def summary(params, data):
        return {"way": headline(float(data.frame_position[-1, 0]), "m", "way to rest", exact=way(params))}


    def measures(params, data):
        return {"way": measure(data.frame_position.values[-1, 0], "m", way(params))}


    def draw(params, data, figure):
        axes = figure.add_subplot()
        axes.plot(data.time, data.frame_position[:, 0])
'''


def test_a_case_is_a_file_and_a_line_and_is_run_drawn_and_studied(written, tmp_path, request, capsys):
    """A block that friction stops: v0^2/(2 mu g), exact for SDIRK2 but for the step in which it stops."""
    written("toy_case", CASE)
    for registry in (cases.registry.CASES, cases.registry.MODULES):
        request.addfinalizer(functools.partial(registry.pop, "toy_slide", None))
    cases.registry.register("toy_slide", "a block is pushed off and stops", module="toy_case")
    results, data = ran(tmp_path / "out", "toy_slide", "--v0=2.0")
    way = 2.0**2 / (2 * 0.5 * 9.81)
    assert results["way"]["exact"] == pytest.approx(way, rel=1e-14)
    assert abs(results["way"]["value"] - way) < 0.5 * 0.5 * 9.81 * 0.01**2
    assert not data.frame_velocity[-1].values.any()
    assert (tmp_path / "out" / "toy_slide.png").stat().st_size > 1000
    assert main(["converge", "toy_slide", "--over=dt", "--levels=3"]) == 0
    assert "way" in capsys.readouterr().out
    with pytest.raises(ValueError, match="there is a case 'toy_slide'"):
        cases.registry.register("toy_slide", "again", module="toy_case")


EFFECT = '''
    """Drag of a fluid on a point: F = -c |v| v, with D = c |v|**3."""

    from dataclasses import dataclass

    import numpy as np

    from floating_frame.effect.protocol import NoEffect, PointForce, Record


    @dataclass(frozen=True)
    class Drag:
        """c N s2/m2 at an edge or a point."""

        at: object
        c: float

        def on(self, attached):
            return DragEffect(self.c * attached.shares, attached.points)


    class DragEffect(NoEffect):
        name = "drag"

        def __init__(self, c, points):
            self.c, self.points = c, points

        def for_stage(self, time, internal, tau, *, left=True):
            return Acting(self.c)


    @dataclass(frozen=True)
    class Acting:
        c: np.ndarray
        stiffness = None

        def at(self, x, v):
            speed = np.hypot(*v.T)
            along = np.einsum("pa,pb->pab", v, v) / np.where(speed > 0.0, speed, 1.0)[:, None, None]
            slope = self.c[:, None, None] * (speed[:, None, None] * np.eye(2) + along)
            return PointForce((-self.c * speed)[:, None] * v, None, -slope)

        def frozen(self, x, v):
            return self

        def potential(self, x, v):
            return float(self.c @ np.hypot(*v.T) ** 3) / 3.0

        def record(self, x, v, force):
            return Record(force, dissipated=float(self.c @ np.hypot(*v.T) ** 3))
'''


def small_plate():
    """2 kg, 0.4 x 0.2 m."""
    material = StVenantKirchhoff(E=2e6, nu=0.3)
    return Plate.build(rectangle(0.4, 0.2, 2, 1), thickness=0.025, density=1000.0, material=material)


@pytest.mark.parametrize("rigid", [True, False])
def test_an_effect_is_a_file_and_slows_a_body_by_the_law_of_drag_with_its_loss_booked(written, rigid):
    """m v' = -c v^2: v = v0/(1 + c v0 t/m), and what is lost of m v^2/2 is viscous dissipation."""
    drag = written("toy_effect", EFFECT).Drag
    body = RigidBody.from_plate(small_plate()) if rigid else small_plate()
    at = (0.0, 0.0) if rigid else "left"
    problem = Problem(body, 1.0, initial=InitialState((3.0, 0.0)), effects=(drag(at, 2.0),))
    run = simulate(assemble(problem, Options(0.01)))
    t = run.time.values
    v = 3.0 / (1.0 + 3.0 * t)
    start = 0.5 * 2.0 * 9.0
    assert float(run.frame_velocity[-1, 0]) < 1.0
    np.testing.assert_allclose(run.frame_velocity[:, 0], v, rtol=0, atol=2e-4 if rigid else 2e-2)
    assert float(run.dissipation_viscous[-1]) == pytest.approx(start - v[-1] ** 2, rel=1e-3 if rigid else 2e-2)
    assert float(np.abs(run.balance_error).max()) < 1e-10 * start


BODY = '''
    """Two point masses tied by a bar: a body of the face `fem.DeformableBody` that is no plate."""

    from dataclasses import dataclass
    from typing import ClassVar

    import numpy as np
    from scipy.sparse import csr_matrix


    @dataclass(frozen=True, eq=False)
    class Pair:
        """Masses of `half` kg each, `length` m apart; bar of `stiffness` N/m; each stands on 1 m2."""

        half: float
        length: float
        stiffness: float
        deformable: ClassVar[bool] = True
        planar: ClassVar[bool] = False
        objective: ClassVar[bool] = True
        cells = np.array([[0, 1]], np.int32)
        indptr = np.arange(0, 20, 4, dtype=np.int32)
        indices = np.tile(np.arange(4, dtype=np.int32), 4)
        nodal_area, area = np.ones(2), 2.0

        @property
        def X(self):
            return self.length * np.array([[-0.5, 0.0], [0.5, 0.0]])

        @property
        def mass(self):
            return 2.0 * self.half

        @property
        def mass_matrix(self):
            return csr_matrix(self.half * np.eye(2))

        @property
        def mass_data(self):
            return self.half * np.eye(4).ravel()

        def _bar(self, u):
            d = self.X[1] - self.X[0] + u[1] - u[0]
            return d / np.hypot(*d), np.hypot(*d)

        def strain_energy(self, u):
            return 0.5 * self.stiffness * (self._bar(u)[1] - self.length) ** 2

        def internal_force(self, u):
            n, length = self._bar(u)
            return self.stiffness * (length - self.length) * np.array([n, -n])

        def tangent(self, u):
            n, length = self._bar(u)
            along = np.outer(n, n)
            block = self.stiffness * (along + (1.0 - self.length / length) * (np.eye(2) - along))
            return np.block([[block, -block], [-block, block]]).ravel()

        def smallest_jacobian(self, u):
            return self._bar(u)[1] / self.length, 0

        def boundary(self, name):
            return np.array([["left", "right"].index(name)])

        def edge_shape(self, name):
            return np.eye(2)[self.boundary(name)[0]]
'''


def test_a_body_is_a_file_and_swings_at_its_own_frequency_while_it_flies(written):
    """Half the stretch goes as cos(w t) with w^2 = 2 k/m, the centre of mass straight on; SDIRK2 errs by O(dt^2)."""
    pair = written("toy_body", BODY).Pair(0.5, 0.2, 40.0)
    assert isinstance(pair, DeformableBody)
    start = InitialState((0.3, 0.0), displacement=np.array([[-0.01, 0.0], [0.01, 0.0]]))
    errors = []
    for dt in (4e-3, 2e-3):
        run = simulate(assemble(Problem(pair, 0.5, initial=start), Options(dt)))
        stretch = 0.01 * np.cos(math.sqrt(2 * 40.0 / 0.5) * run.time.values)
        errors.append(float(np.abs(run.displacement.values[:, 1, 0] - stretch).max()))
        assert float(np.ptp(run.displacement.values[:, 1, 0])) > 0.019
        assert float(run.frame_position[-1, 0]) == pytest.approx(0.15, rel=1e-12)
    assert errors[1] < 1e-4
    assert 3.5 < errors[0] / errors[1] < 4.5
