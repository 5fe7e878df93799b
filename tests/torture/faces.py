"""What hypothesis gives to the Python faces: sane arguments, of which one or two are replaced by what a user may give by mistake.

A call ends well with a value whose numbers are finite, or with an error that our code raises on purpose: one line of ValueError or
TypeError, or a failure by name. What a library under it raises is a defect: nobody can read from it what was expected.
"""

import signal
import traceback
import warnings
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import processes
from hypothesis import strategies as st

import fem
import friction
from floating_frame import (
    ArcChain,
    Ball,
    Base,
    BodyForce,
    Box,
    Circle,
    CircleInCircle,
    Contact,
    Couple,
    EdgeLoad,
    Feet,
    FollowerTraction,
    Function,
    InitialState,
    Line,
    Options,
    Problem,
    Ramp,
    RigidBody,
    RigidMotion,
    RigidSolid,
    Signorini,
    SpaceForce,
    SpaceInitial,
    SpaceProblem,
    Spring,
    StepControl,
    StepFailure,
    Table,
    TangentialTraction,
    assemble,
    modes,
    run_warnings,
    simulate,
)

ROOT = Path(__file__).resolve().parents[2]
MESH = fem.rectangle(0.4, 0.2, 2, 1)
STEEL = fem.StVenantKirchhoff(E=2e5, nu=0.3)
PLATE = fem.Plate.build(MESH, thickness=0.01, density=1000.0, material=STEEL)
RIGID = RigidBody.from_plate(PLATE)
ON_GROUND = friction.Foundation(law=friction.Coulomb(), mu=0.5, pressure=98.1)
PULL = EdgeLoad("right", force=(4.0, 3.0), history=Ramp(0.01))
CUBE = RigidSolid(mass=1.0, inertia=(0.1, 0.1, 0.1), shape=Ball(0.1))
CORNERS = [(x, y, -0.05) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
AHEAD = Contact(
    obstacle=Line(point=(0.3, 0.0), normal=(-1.0, 0.0)), edge="right", normal=friction.NormalForce(stiffness=1e4)
)

CALLS = {
    "rectangle": (fem.rectangle, {"length": 0.4, "width": 0.2, "nx": 2, "ny": 1, "cell": "triangle"}),
    "disc": (fem.disc, {"radius": 0.1, "nr": 2, "nt": 6, "cell": "triangle"}),
    "annulus": (fem.annulus, {"inner": 0.1, "outer": 0.2, "nr": 2, "nt": 8}),
    "plate": (fem.Plate.build, {"mesh": MESH, "thickness": 0.01, "density": 1e3, "material": STEEL, "element": "P2"}),
    "material": (fem.NeoHookean, {"E": 1e5, "nu": 0.3, "plane": "strain"}),
    "equilibrium": (
        fem.equilibrium,
        {"plate": PLATE, "load": np.zeros_like(PLATE.X), "held": np.repeat(PLATE.X[:, :1] < -0.19, 2, axis=1)},
    ),
    "read": (fem.read, {"path": "/nonexistent.msh", "merge": 1e-6}),
    "foundation": (
        friction.Foundation,
        {"law": friction.Coulomb(), "mu": 0.5, "pressure": 98.1, "ground_velocity": (0.1, 0.0)},
    ),
    "sliding": (friction.Sliding, {"v_s": 1e-3, "v_d": 1e-2, "dynamic_ratio": 0.7, "cap": 1.0}),
    "stiction": (
        friction.SlidingStiction,
        {"v_s": 1e-3, "v_d": 1e-2, "dynamic_ratio": 0.7, "max_stiction_deformation": 1e-5},
    ),
    "smooth": (friction.Smooth, {"v_reg": 1e-3}),
    "stribeck": (friction.Stribeck, {"dynamic_ratio": 0.5, "stribeck_speed": 0.01, "exponent": 2.0}),
    "static-kinetic": (friction.StaticKinetic, {"dynamic_ratio": 0.8}),
    "elliptic": (friction.Elliptic, {"ratio": 0.5, "angle": 0.3}),
    "spline": (friction.CoefficientSpline, {"speeds": [0.0, 0.1, 1.0], "coefficients": [0.0, 1.0, 0.8]}),
    "forces": (friction.ForceSpline, {"speeds": [0.0, 0.1, 1.0], "forces": [0.0, 1.0, 0.8]}),
    "limited": (friction.Limited, {"law": friction.Coulomb(), "max_force": 2.0}),
    "normal": (friction.NormalForce, {"stiffness": 1e4, "damping": 1.0, "m1": 1.5, "m2": 1.0, "m3": 1.0}),
    "reacting": (friction.Reacting, {"height": 0.01, "pressure": 98.1}),
    "routh": (
        friction.routh_impact,
        {
            "compliance": [[2.0, 0.3], [0.3, 1.0]],
            "velocity": [-1.0, 0.5],
            "mu": 0.3,
            "restitution": 0.5,
            "law": "poisson",
        },
    ),
    "unilateral": (
        friction.solve_unilateral,
        {"compliance": np.eye(4), "velocity": np.array([[-1.0, 0.2], [-0.5, 0.1]]), "mu": np.array([0.3, 0.2])},
    ),
    "ramp": (Ramp, {"ramp": 0.1, "release": 0.5}),
    "table": (Table, {"times": [0.0, 1.0], "values": [0.0, 2.0]}),
    "function": (Function, {"function": np.sin, "breaks": (0.1,)}),
    "edge load": (EdgeLoad, {"edge": "right", "force": (1.0, 0.0), "history": Ramp(0.1)}),
    "follower": (FollowerTraction, {"edge": "right", "normal": 1.0, "tangential": 0.5}),
    "torque": (TangentialTraction, {"edge": "right", "torque": 1.0}),
    "couple": (Couple, {"moment": 1.0, "edge": "right"}),
    "body force": (BodyForce, {"force_per_mass": (1.0, 0.0)}),
    "spring": (Spring, {"at": "left", "to": (-0.5, 0.0), "stiffness": 10.0, "damping": 0.1, "rest_length": 0.2}),
    "circle": (Circle, {"centre": (1.0, 0.0), "radius": 0.1}),
    "hole": (CircleInCircle, {"centre": (0.0, 0.0), "radius": 2.0}),
    "box": (Box, {"centre": (1.0, 0.0), "length": 0.2, "width": 0.2, "corner": 0.01, "angle": 0.1}),
    "line": (Line, {"point": (1.0, 0.0), "normal": (-1.0, 0.0)}),
    "chain": (ArcChain, {"start": (1.0, -1.0), "heading": 1.5, "pieces": [(1.0, 0.0), (0.5, 1.0)]}),
    "motion": (RigidMotion, {"velocity": (0.1, 0.0), "spin": 0.2, "pivot": (0.0, 0.0)}),
    "contact": (
        Contact,
        {"obstacle": Line((1.0, 0.0), (-1.0, 0.0)), "edge": "right", "normal": Signorini(), "mu": 0.2},
    ),
    "signorini": (Signorini, {"restitution": 0.5, "restitution_law": "poisson"}),
    "initial": (InitialState, {"velocity": (1.0, 0.0), "spin": 2.0, "displacement": np.zeros_like(PLATE.X)}),
    "options": (
        Options,
        {
            "dt": 1e-3,
            "scheme": "sdirk2",
            "output_every": 2,
            "max_halvings": 3,
            "tolerance": 1e-10,
            "theta": 0.5,
            "min_step": 0.0,
        },
    ),
    "error control": (Options, {"dt": 1e-3, "error_tolerance": 1e-3, "step_control": StepControl(2.0)}),
    "problem": (
        Problem,
        {"body": PLATE, "t_end": 0.003, "foundation": ON_GROUND, "loads": (PULL,), "contacts": (AHEAD,)},
    ),
    "solid": (RigidSolid, {"mass": 1.0, "inertia": (0.1, 0.2, 0.2), "shape": Feet(CORNERS)}),
    "feet": (Feet, {"points": CORNERS}),
    "base": (Base, {"points": CORNERS, "areas": [1.0] * 4}),
    "space force": (SpaceForce, {"force": (1.0, 0.0, 0.0), "at": (0.0, 0.0, 0.1), "history": Ramp(0.1)}),
    "space start": (
        SpaceInitial,
        {"velocity": (1.0, 0.0, 0.0), "spin_space": (0.0, 0.0, 1.0), "rotation": (1.0, 0.0, 0.0, 0.0)},
    ),
    "space problem": (SpaceProblem, {"body": CUBE, "t_end": 0.01, "mu": 0.3, "gravity": 9.81}),
    "modes": (modes, {"model": assemble(Problem(body=PLATE, t_end=1.0), Options(dt=0.1)), "count": 3}),
}
USED = {
    "plate": lambda found: Problem(body=found, t_end=0.003, foundation=ON_GROUND, loads=(PULL,)),
    "foundation": lambda found: Problem(body=PLATE, t_end=0.003, foundation=found, loads=(PULL,)),
    "initial": lambda found: Problem(body=PLATE, t_end=0.003, initial=found),
    "problem": lambda found: found,
    "space problem": lambda found: found,
    "solid": lambda found: SpaceProblem(body=found, t_end=0.003, mu=0.3),
    "space force": lambda found: SpaceProblem(body=CUBE, t_end=0.003, loads=(found,)),
    "space start": lambda found: SpaceProblem(body=CUBE, t_end=0.003, initial=found),
    "spring": lambda found: Problem(body=RIGID, t_end=0.003, effects=(found,)),
    "contact": lambda found: Problem(
        body=RIGID, t_end=0.003, contacts=(found,), initial=InitialState(velocity=(1.0, 0.0))
    ),
}
USED |= dict.fromkeys(
    ("sliding", "stiction", "smooth", "stribeck", "static-kinetic", "elliptic", "spline", "limited"),
    lambda law: Problem(body=RIGID, t_end=0.003, foundation=friction.Foundation(law, 0.5, 98.1), loads=(PULL,)),
)
USED |= dict.fromkeys(
    ("edge load", "follower", "torque", "couple", "body force"),
    lambda load: Problem(body=PLATE, t_end=0.003, foundation=ON_GROUND, loads=(load,)),
)
USED |= dict.fromkeys(
    ("circle", "box", "line", "chain", "hole"),
    lambda obstacle: Problem(body=RIGID, t_end=0.003, contacts=(Contact(obstacle, edge="right", normal=Signorini()),)),
)
USED |= dict.fromkeys(
    ("ramp", "table", "function"),
    lambda history: Problem(body=PLATE, t_end=0.003, loads=(EdgeLoad("right", (1.0, 0.0), history),)),
)
USED |= dict.fromkeys(
    ("options", "error control"), lambda found: (Problem(body=RIGID, t_end=0.01, loads=(PULL,)), found)
)

FUNCTIONS = {
    "a function of nothing": lambda: 1.0,
    "a function of one": lambda x: x,
    "a function of two": lambda x, t: 1.0,
    "a function to nan": lambda *given: float("nan"),
    "a function to text": lambda *given: "much",
    "a function to nothing": lambda *given: None,
    "a function that fails": lambda *given: 1 // 0,
}
MISTAKES = [
    *(
        None,
        True,
        "",
        "much",
        "0.3",
        "right",
        "nowhere",
        b"1",
        1j,
        float("nan"),
        float("inf"),
        -float("inf"),
        0,
        0.0,
        -1.0,
        1e300,
        5e-324,
    ),
    *(
        1e-12,
        1e9,
        -3,
        2,
        10**40,
        (),
        [],
        {},
        (1.0,),
        (1.0, 2.0),
        (1.0, 2.0, 3.0),
        [[1.0, 2.0]],
        ("a", "b"),
        (None, None),
        [1.0, float("nan")],
    ),
    *(
        np.zeros(0),
        np.ones(2),
        np.full((3, 2), np.nan),
        np.ones((2, 2), int),
        np.array(["x"]),
        np.array(1.0),
        np.float32(0.5),
        np.int64(2),
    ),
    *(
        PLATE,
        RIGID,
        PULL,
        ON_GROUND,
        STEEL,
        Ramp,
        Options,
        CUBE,
        AHEAD,
        friction.Coulomb(),
        friction.Limited(friction.Coulomb(), 2.0),
        InitialState(),
        Signorini(),
        Line((1.0, 0.0), (-1.0, 0.0)),
        Ramp(0.1),
        MESH,
        (AHEAD,),
        (Ramp(0.1),),
        (Signorini(),),
        object(),
        "mean-axis",
        "coulomb",
        "X + 1",
        "0.5*(t < 1)",
        "1/0",
        (0.2, 0.1, 0.0),
    ),
    *FUNCTIONS.values(),
]


@st.composite
def calls(draw):
    """A face, its arguments, and the numbers of the mistakes in it."""
    name = draw(st.sampled_from(list(CALLS)))
    sane = CALLS[name][1]
    changed = draw(st.lists(st.sampled_from(list(sane)), min_size=1, max_size=2, unique=True))
    scaled = {key: draw(st.floats(-6, 6)) for key in changed if isinstance(sane[key], float) and draw(st.booleans())}
    mistakes = {key: draw(st.integers(0, len(MISTAKES) - 1)) for key in changed if key not in scaled}
    return name, {key: float(f"{sane[key] * 10**power:.6g}") for key, power in scaled.items()}, mistakes


def call(drawn, tally):
    """Make the call, use what it gives for three steps, and note how it ended."""
    name, scaled, mistakes = drawn
    make, sane = CALLS[name]
    given = sane | scaled | {key: MISTAKES[number] for key, number in mistakes.items()}
    told = f"{make.__module__}.{make.__qualname__}({', '.join(f'{k}={_short(v)}' for k, v in given.items())})"
    try:
        try:
            kind = _made(name, given, processes.PATIENCE)
        except Late:
            kind = _made(name, given, processes.STUCK)
        tally.count("python", kind)
    except Late:
        tally.defect("python", told, f"a hang: no end within {processes.STUCK:.0f} s")
    except MemoryError:
        tally.count("python", "failed by name")
    except Exception as error:
        fault = judged(error)
        if fault:
            tally.defect("python", told, fault + "\n" + "".join(traceback.format_exc().splitlines(keepends=True)[-9:]))
        else:
            tally.count("python", "failed by name" if isinstance(error, RuntimeError) else "refused in a line")


def _made(name, given, seconds):
    with warnings.catch_warnings(), patience(seconds):
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", RuntimeWarning)  # of NumPy, on numbers beyond its range
        found = CALLS[name][0](**given)
        repr(found)
        return "valid result" if name not in USED else used(USED[name](found))


class Late(BaseException):
    """A call took too long."""


@contextmanager
def patience(seconds):
    """Raise Late after `seconds`."""

    def ring(number, frame):
        raise Late

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def used(problem):
    """Run a problem for some steps; what is stored must be finite."""
    problem, options = problem if isinstance(problem, tuple) else (problem, Options(dt=1e-3))
    if getattr(problem, "t_end", 0.01) / max(getattr(options, "dt", 1e-3), 1e-9) > 1e4:
        return "valid result"
    try:
        with simulate(assemble(problem, options)) as run:
            bad = [k for k, v in run.variables.items() if v.dtype.kind == "f" and not np.all(np.isfinite(v.values))]
            run_warnings(run)
    except StepFailure:
        return "failed by name"
    if bad:
        raise AssertionError(f"not finite: {bad}")
    return "valid result"


def judged(error):
    """Return what is wrong with an error; nothing where our code raises it on purpose."""
    frames = traceback.extract_tb(error.__traceback__)
    inner = Path(frames[-1].filename)
    ours = ROOT in inner.parents and ".venv" not in inner.parts
    text = str(error)
    if isinstance(error, TypeError) and ("argument" in text or "lambda" in text or "<lambda>" in str(frames[-1].name)):
        return ""  # Python's own word on a signature
    if str(frames[-1].name) == "<lambda>" and inner.name == "faces.py":
        return ""  # the user's own function fails
    if (
        isinstance(error, (ValueError, TypeError, RuntimeError, OSError))
        and ours
        and str(frames[-1].line).startswith("raise")
    ):
        return ""
    return f"{type(error).__name__} at {inner.name}:{frames[-1].lineno}: {text[:200]}"


def _short(value):
    for name, function in FUNCTIONS.items():
        if value is function:
            return f"<{name}>"
    text = " ".join(repr(value).split())
    return text if len(text) < 100 else f"<{type(value).__name__}>"
