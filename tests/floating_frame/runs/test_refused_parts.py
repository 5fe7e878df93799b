"""Wrong bodies, loads, obstacles, contacts and clamps are refused in one line that says why, or names the right one."""

import numpy as np
import pytest
from contact_examples import WALL, body
from ff_examples import box, plate
from problems import assembled
from rows import rows
from solid_examples import law, solid

import fem
import floating_frame as ff
from fem import NeoHookean, Plate, StVenantKirchhoff, equilibrium, rectangle
from fem.beam import Beam
from fem.beam_axis import BeamAxis
from floating_frame import Contact, EdgeLoad, HalfSpace, Line, Problem, RigidMotion, SpaceHinged, SpaceProblem, Spring
from friction import Coulomb, Foundation, Limited, NormalForce, Sliding

ONES, MESH = (1.0, 1.0, 1.0), rectangle(1, 1, 1, 1)
PLATE, RIGID, SOLID, LAW, NORMAL = plate(), body(), solid("Q1"), StVenantKirchhoff(1.0, 0.3), NormalForce(1.0)
POINT, BALL = ff.RigidSolid(mass=1.0, inertia=ONES), ff.RigidSolid(mass=1.0, inertia=ONES, shape=ff.Ball(0.1))
GROUND = Foundation(Coulomb(), 0.3, 98.1)
DISC = ff.RigidBody.disc(0.1, 1.0, 3, 6)
BEAM = Beam.build(length=1.0, width=0.02, thickness=0.02, E=1e8, density=1000.0, ne=8)


def plane(on=PLATE, **more):
    return assembled(on, 0.1, 0.1, **more)


def clamped(edge="left", free=(), rates=None, **more):
    return plane(frame=ff.Clamped(edge, free, rates or {}), **more)


def touches(edge="right", normal=NORMAL, on=RIGID, **more):
    return plane(on, obstacle=WALL, edge=edge, normal=normal, **more)


def loaded(load, on=PLATE):
    return plane(on, loads=(load,)).loads.nodal_force(0.0)


def build(mesh=MESH, material=LAW, **more):
    return Plate.build(mesh, thickness=1.0, density=1.0, material=material, **more)


def rigid(inertia=ONES, mass=1.0, **more):
    return ff.RigidSolid(mass=mass, inertia=inertia, **more)


def standing(on=None, **more):
    """A rigid body in space on the ground."""
    return assembled(on or box(1, 1, 1), **{"t_end": 1e-3, "dt": 1e-3, "contacts": (Contact(mu=0.8),)} | more)


def base(areas=ONES, height=-0.05):
    points = [[0.1, 0.0, -0.05], [-0.1, 0.1, -0.05], [-0.1, -0.1, height]]
    return rigid((0.01, 0.01, 0.01), shape=ff.Base(points, areas))


def lies(**more):
    return ff.assemble(ff.SolidProblem(**{"body": SOLID, "t_end": 1.0, "contact": "bottom"} | more), ff.Options(0.1))


def flies(effect):
    return assembled(POINT, 0.1, 0.1, gravity=0.0, position=(0.0, 0.0, 0.0), effects=(effect,))


def on_sphere(**more):
    return standing(BALL, contacts=(), obstacle=ff.Sphere((0.0, 0.0, 0.0), 1.0), **more)


def moving(motion, end=0.1):
    return standing(BALL, t_end=end, contacts=(), obstacle=HalfSpace(motion=motion))


LATE = RigidMotion(path=lambda t: (max(0.0, t - 0.3) ** 2, 0.0, 0.0), rates=lambda t: (0.0, 0.0, 0.0))
OTHER = RigidMotion(path=lambda t: (t, 0, t), rates=lambda t: (1, 0, 0.9))
ALL, JUMP = 0.1 * PLATE.X, {"angle": lambda t: np.inf if t > 0.05 else 0.0}
SPIN = ff.SolidInitial(spin_space=(0.0, 1.0, 0.0))
REFUSED = [
    # bodies and materials
    (lambda: build(material="neo-hookean"), "material must be one such as"),
    (lambda: build(np.zeros((3, 2))), "mesh must be one of"),
    (lambda: build(element=["P1"]), "element must be one of"),
    (lambda: plane(MESH), r"Plate.build\(mesh, thickness"),
    (lambda: equilibrium(MESH, 0.0, False), "plate must be one such as Plate.build"),
    (lambda: rigid(mass=0.0), "mass of a body must be a finite number > 0"),
    (lambda: rigid((1, 1, 2.5)), "no body has principal moments"),
    (lambda: rigid(((1, 1, 0), (0, 1, 0), (0, 0, 1))), "must be symmetric"),
    (lambda: rigid((1, -1, 1)), "must be positive definite"),
    (lambda: rigid(outline=[1.0, 2.0]), "points of the outline"),
    (lambda: rigid(shape=[(0.0, 0.0, 0.0)]), "shape must be where it touches the ground"),
    (lambda: ff.Ball(-1.0), "radius of a ball"),
    (lambda: base([1.0, 1.0, -1.0]), "a finite area > 0 m2"),
    (lambda: base([1.0, 1.0]), "a finite area > 0 m2 for each"),
    (lambda: base(height=-0.06), "a base is flat"),
    (lambda: lies(body=solid("Q1", law("small-strain"))), "small-strain is not one, take"),
    (lambda: fem.Solid.build(fem.box(1, 1, 1, 1, 1, 1), density=1.0, material=LAW, viscosity=-1.0), "viscosity must be a finite"),
    (lambda: SpaceProblem(body=np.int64(2), t_end=1.0), "body must be .* or a Solid"),
    # laws, foundations, loads, springs
    (lambda: Sliding(v_s=1e-3, v_d=10**40, dynamic_ratio=0.7), "v_d must be a positive finite speed in m/s, got 1000"),
    (lambda: Foundation(Coulomb(), 0.3, lambda X: 98.1 + X[:, 0]), "pressure must be a function of X and t"),
    (lambda: Foundation(Coulomb(), lambda X, t: 0.3, 98.1), "mu must be a function of X"),
    (lambda: plane(foundation=Limited(Coulomb(), 1.0)), r"foundation must be Foundation\("),
    (lambda: plane(plate(material=NeoHookean(1.0, 0.3)), thermal_strain=lambda X, t: 0.0 * X[:, 0]), "got neo-hookean"),
    (lambda: ff.FollowerTraction("left", np.inf), "normal and tangential force on edge 'left' must be finite"),
    (lambda: ff.FollowerTraction("left", 1.0, measure="deformed"), "measure must be one of reference, current"),
    (lambda: ff.Couple(np.inf), "moment of a couple must be finite"),
    (lambda: loaded(ff.FollowerTraction("rim", 1.0)), "edge must be one of"),
    (lambda: loaded(ff.Couple(1.0, edge="rim")), "edge must be one of"),
    (lambda: loaded(ff.FollowerTraction("rim", 1.0), DISC), "no edge 'rim' with a course"),
    (lambda: loaded(ff.EdgeTraction("rim", lambda X: X)), "edge must be one of"),
    (lambda: loaded(ff.EdgeTraction("left", lambda X: X), DISC), "no edge 'left' with a course"),
    (lambda: loaded(ff.EdgeTraction("left", lambda X: X[:, 0])), "the traction on edge 'left' must be finite with shape"),
    (lambda: loaded(ff.BodyForceField(lambda X, t: X[:, 0])), "a body force field must be finite with shape"),
    (lambda: loaded(ff.BodyForceField(lambda X, t: np.full_like(X, np.inf))), "must be finite"),
    (lambda: plane(loads=EdgeLoad("right", (1.0, 0.0))), r"loads must be a tuple: write loads=\(load,\)"),
    (lambda: plane(loads=(ff.Ramp(0.1),)), "loads must be loads such as EdgeLoad"),
    (lambda: plane(loads=(EdgeLoad("right", ONES),)), r"the force of a load must have 2 components on .*, got \[1.0"),
    (lambda: plane(SOLID, loads=(EdgeLoad("right", (1.0, 1.0)),)), r"the force of a load must have 3 components on .*, got \[1.0"),
    (lambda: plane(loads=(EdgeLoad("right", (1.0, 0.0), np.sin),)), "history must be a course in time such as"),
    (lambda: ff.SpaceForce(force=(1, 0, 0), history=np.sin), "SpaceForce: history must be"),
    (lambda: ff.SpaceForce(force=(1.0, np.inf, 0.0)), "a force in space must be finite"),
    (lambda: standing(loads=(ff.SolidForce(force=(1, 0, 0)),)), "loads must be SpaceForce"),
    (lambda: lies(loads=(ff.SpaceForce(force=ONES),)), "loads must be loads such as EdgeLoad"),
    (lambda: plane(effects=(EdgeLoad("right", (1.0, 0.0)),)), "effects must be effects such as Spring"),
    (lambda: Spring("right"), "stiffness or a damping"),
    (lambda: Spring("right", stiffness=-1.0), "stiffness of a spring"),
    (lambda: Spring("right", stiffness=1.0, rest_length=np.inf), "rest_length"),
    (lambda: Spring("right", stiffness=1.0, rates=lambda t: (0.0, 0.0)), "need the path"),
    (lambda: plane(effects=(Spring((3.0, 0.0), stiffness=1.0),)), "no point at"),
    (lambda: plane(effects=(Spring("roof", stiffness=1.0),)), "roof"),
    (lambda: flies(Spring("left", None, 1.0)), r"no face 'left': attach to a point"),
    (lambda: flies(Spring((0.0, 0.0), None, 1.0)), "three finite numbers"),
    (lambda: flies(Spring((0.0, 0.0, 0.0), (1.0, 0.0), 1.0)), "three finite numbers"),
    (lambda: plane(SOLID, effects=(Spring((9.0, 0.0, 0.0), None, 1.0),)), r"no point at \(9, 0, 0\) m to attach to"),
    (lambda: plane(BEAM, frame=ff.Lateral("cantilever"), effects=(Spring((0.2, 0.1), stiffness=1.0),)), "its axis runs"),
    (lambda: plane(BEAM, frame=ff.Lateral("cantilever"), effects=(Spring("top", stiffness=1.0),)), "ends left and right"),
    # obstacles and their motions
    (lambda: Line((0, 0), (0, 0)), "must not be zero"),
    (lambda: HalfSpace(normal=(0.0, 0.0, 0.0)), "normal must not be zero"),
    (lambda: ff.Circle((0, 0), 0.0), "radius must be a finite length > 0 m, got 0.0"),
    (lambda: ff.Sphere((0.0, 0.0, 0.0), -1.0), "radius must be a finite length > 0 m"),
    (lambda: ff.Sphere((0.0, 0.0), 0.5, axis=(1.0, 0.0, 0.0)), r"a cylinder's point \(m\)"),
    (lambda: ff.Box((0, 0), 1, 1, 0.0), "corner radius must be > 0 and at most half"),
    (lambda: ff.Box((0, 0), 1, 2, 0.6), "corner radius .*got 0.6"),
    (lambda: ff.RoundedEdge((0, 0, 0), ((0, 0, 1), (0, 0, 2))), "must not be parallel"),
    (lambda: ff.ArcChain((0, 0), 0, ((1.0, 0.0), (1.0, 1.0)), closed=True), "misses its"),
    (lambda: ff.ArcChain((0, 0), 0, ((0.0, 1.0),)), "length > 0"),
    (lambda: ff.ArcChain((0, 0), 0, ((13.0, 1.0),)), "whole turn"),
    (lambda: RigidMotion(velocity=(np.inf, 0)), "finite"),
    (lambda: RigidMotion(path=lambda t: (0.0,)), "path .* two or three finite numbers"),
    (lambda: RigidMotion(path=lambda t: (0.0, 0.0, t), velocity=(1.0, 0.0, 0.0)), "either a velocity or a path"),
    (lambda: RigidMotion(rates=lambda t: (0, 0, 0)), "need the path"),
    (lambda: plane(obstacle=Line((0, 1), (0, -1), OTHER), nodes=[0], normal=NORMAL), "they are .1, 0, 0.9., that is .1"),
    (lambda: moving(LATE, 2.0), r"rates \(m/s, rad/s\) must be the derivative of its path: .* they are \(0, 0, 0\), that is \(3.3"),
    (lambda: moving(RigidMotion(path=lambda t: (0.0, t))), "motion of an obstacle must be in space"),
    (lambda: moving(RigidMotion(spin=1.0)), "motion of an obstacle must be in space"),
    # a path that does not begin at 0 moves the ground off z = 0, where no body can be said to stand
    (lambda: moving(RigidMotion(path=lambda t: (0.0, 0.0, -0.1))), "give its initial position"),
    # contacts
    (lambda: touches("rim"), "no edge 'rim'"),
    (lambda: Contact(WALL, edge="right", nodes=[1], normal=NORMAL), "one of them"),
    (lambda: touches(integration="simpson"), "one of gauss, nodes, got 'simpson'"),
    (lambda: touches(mu=-1), "mu of a contact must be a finite number >= 0"),
    (lambda: plane(RIGID, obstacle=WALL, nodes=[99], normal=NORMAL), "different integers from 0 to 14"),
    (lambda: touches(normal=3.0), "must be a NormalForce, a UserForce or Signorini"),
    (lambda: ff.Signorini(1.1), r"restitution must lie in \[0, 1\], got "),
    (lambda: Contact(obstacle="ground"), r"obstacle must be an obstacle such as HalfSpace\(\)"),
    (lambda: plane(contacts=(Line((1.0, 0.0), (-1.0, 0.0)),)), "contacts must be contacts such as Contact"),
    (lambda: standing(contacts=Contact()), "must be a tuple"),
    (lambda: SpaceProblem(body=BALL, t_end=0.1, mu=0.2, contacts=(Contact(),)), "give each its own"),
    (lambda: SpaceProblem(body=PLATE, t_end=1.0), "obstacle of a contact must be in the plane"),
    (lambda: Problem(SOLID, 0.1, contacts=(Contact(WALL, edge="right"),)), "the obstacle of a contact must be in space"),
    (lambda: standing(base(), contacts=(Contact(HalfSpace((0, 0, -2))), Contact())), "a flat base takes the ground z = 0 alone"),
    (lambda: lies(contact=None, mu=0.3), "mu needs the face that touches the ground"),
    (lambda: lies(contact=None, obstacle=HalfSpace((0, 0, -1))), "obstacle needs the face"),
    (lambda: lies(contact=None, contacts=(Contact(),)), "contacts needs the face that touches the ground: face='bottom'"),
    (lambda: lies(contact="base"), "face must be one of boundary, left"),
    (lambda: lies(body=solid("P2")), "contact needs element P1 or Q1, got P2"),
    (lambda: lies(guides=("top",)), "guides are for a given pressure"),
    (lambda: lies(gravity=0.0, contacts=(Contact(),), foundation=GROUND), "leave out the contacts"),
    (lambda: lies(gravity=0.0, obstacle=HalfSpace((0, 0, -1)), foundation=GROUND), "leave out obstacle"),
    # starts
    (lambda: standing(rigid(shape=ff.Feet([(0.0, 0.0, 0.1)]))), "feet are all above its centre of mass"),
    (lambda: standing(rotation=(0.0, 0.0, 0.0, 0.0)), "quaternion .* that is not zero"),
    (lambda: standing(position=(0.0, 0.0, 0.4)), "0.1 m below the ground .* to z = 0.5 m"),
    (lambda: standing(base(), position=(0.0, 0.0, 1.0)), "a flat base stays on the ground"),
    (lambda: standing(base(), rotation=(0.0, 1.0, 0.0, 0.0)), "a flat base stays on the ground"),
    (lambda: standing(base(), velocity=(0.0, 0.0, 1.0)), "without a velocity along z"),
    (lambda: standing(base(), spin=(1.0, 0.0, 0.0)), "spinning about z only"),
    (lambda: on_sphere(), "give its initial position"),
    (lambda: on_sphere(position=(0.0, 0.0, 1.05)), r"begins 0.05 m inside of Sphere.*along \[0.0, 0.0, 1.0\]"),
    (lambda: lies(obstacle=ff.Sphere((0.0, 0.0, -1.0), 1.0)), "give its initial position"),
    (lambda: lies(initial=ff.SolidInitial(position=(0.0, 0.0, 0.2))), "begins 0.05 m below the ground"),
    (lambda: lies(initial=ff.SolidInitial(displacement=-2.0 * SOLID.X)), "displacement turns cell .* inside out: det F = -1"),
    (lambda: plane(initial=(1.0, 0.0)), r"initial must be InitialState\(velocity="),
    # frames and clamps
    (lambda: plane(frame="tisserand"), r"frame must be a frame condition such as MeanAxis\(\)"),
    (lambda: lies(frame=ff.Clamped("left")), "frame must be a frame condition such as MeanAxis"),
    (lambda: lies(contact="left", frame=ff.SpaceClamped("left")), "the face 'left' is clamped"),
    (lambda: lies(frame=ff.SpaceClamped("end")), "face must be one of boundary, left"),
    (lambda: lies(frame=ff.SpaceClamped("left"), initial=ff.SolidInitial(velocity=(1.0, 0.0, 0.0))), "must begin without spin"),
    (lambda: lies(frame=ff.SpaceClamped("left"), initial=SPIN), "must begin without spin"),
    (lambda: ff.Clamped("left", ("x", "z")), "a clamp's motion must be one of x, y, angle, got 'z'"),
    (lambda: ff.Clamped("left", ("x", "y"), {"y": np.sin}), "a clamp's motion is either free or prescribed, not both: y"),
    (lambda: ff.Clamped("left", ("x",), {"y": 2.0}), "the rate of a clamp's y must be a function of time, got 2.0"),
    (lambda: clamped("rim"), r"edge must be one of .*left.* got 'rim'"),
    (lambda: clamped(initial=ff.InitialState(spin=1.0)), r"spin \[0.0, 0.0, 1.0\] contradict .*rates \[0.0, 0.0, 0.0\]"),
    (lambda: clamped(free=("x",), rates={"y": lambda t: 0.5}), r"contradict the clamp's prescribed rates \[0.0, 0.5, 0.0\]"),
    (lambda: clamped(initial=ff.InitialState(displacement=ALL)), "initial displacement must vanish on the clamped edge 'left'"),
    (lambda: clamped(initial=ff.InitialState(rate=ALL)), "initial displacement rate must vanish on the clamped edge 'left'"),
    (lambda: ff.simulate(clamped(rates=JUMP)), "rate of the clamp's angle must be finite, got inf"),
    (lambda: ff.SpaceClamped("left", free=("angle",)), "with all of them in rotation; got 'angle'"),
    (lambda: ff.SpaceClamped("left", free=("rotation",)), "is free along x, y and z, too"),
    (lambda: SpaceHinged("left", axis=(0.0, 0.0, 0.0)), "the axis of a hinge needs a direction"),
    # options
    (lambda: ff.Options(dt=1e-2, step_control=2.0), r"step_control must be StepControl\("),
    (lambda: ff.Options(1e-3, error_tolerance=0.0), "error_tolerance must be none or lie in"),
    (lambda: ff.Options(1e-3, error_tolerance=1.0), "error_tolerance must be none or lie in"),
    (lambda: ff.Options(1e-3, min_step=-1.0), "min_step must be a finite time >= 0 s"),
    (lambda: ff.StepControl(-1.0, 10.0), "buffer radius factor must be finite and >= 0, got -1.0"),
    (lambda: ff.StepControl(1.0, 0.5), "maximum step size factor must be finite and >= 1, got 0.5"),
    (lambda: assembled(BeamAxis.build(BEAM), 0.1, 1e-3, "explicit"), "no lumped mass, which scheme explicit needs"),
    (lambda: standing(gravity=np.inf), "gravity must be a finite number"),
    (lambda: standing(dt=1e-13), "more than 1e"),
    (lambda: assembled(PLATE, 1e6, 1e-3), r"1e\+09 steps of dt = 0.001 s, more than 1e"),
    (lambda: assembled(PLATE, 1.0, 5e-324), "inf steps of dt .* more than 1e"),
    (lambda: assembled(PLATE, 1e9, 0.0, "explicit"), "steps of the stable step .* more than 1e"),
    (lambda: assembled(PLATE, 1e7, 1e-3, error_tolerance=1e-3, output_every=10), "steps of 10 × dt .* more than 1e"),
    (lambda: assembled(PLATE, 1e9, 0.0, "explicit", error_tolerance=1e-3), "steps of the stable step .* more than 1e"),
]  # fmt: skip


@rows(("make", "words"), REFUSED)
def test_a_part_or_a_run_that_cannot_be_is_refused_in_one_line(make, words):
    with pytest.raises(ValueError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_a_hinged_body_that_begins_off_its_hinge_is_told_the_velocity():
    hinge = SpaceHinged("left", through=(-0.2, 0.0, 0.0))
    message = r"with spin_space \(0, 4, 0\) rad/s .* has the velocity \(0, 0, -0.8\) m/s"
    given = {"body": solid("Q1", sizes=(0.4, 0.1, 0.1)), "contact": None, "frame": hinge}
    with pytest.raises(ValueError, match=message):
        lies(**given, initial=ff.SolidInitial(spin_space=(1.0, 4.0, 0.0)))
    lies(**given, initial=ff.SolidInitial(spin_space=(0.0, 4.0, 0.0), velocity=(0.0, 0.0, -0.8)))
