"""Recorded values without a time loop: elements, equilibria, natural modes, and the solvers of friction and of impacts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

import fem
import floating_frame as ff
import friction
from recorded import problems as p
from recorded.bodies import LAW_SET, axis, beam, block, plate
from recorded.solids import stretched

KINDS = ("small-strain", "st-venant-kirchhoff", "neo-hookean")


def bent(X: np.ndarray, size: float = 0.05) -> np.ndarray:
    """A smooth displacement with strains of about ``size``, and a rotation."""
    wave = np.sin(X @ np.linspace(3.0, 9.0, X.shape[1] ** 2).reshape(X.shape[1], -1) + 0.5)
    turned = np.roll(X, 1, axis=1) * np.where(np.arange(X.shape[1]) % 2, 1.0, -1.0)
    return size * (0.1 * wave + 0.5 * turned)


def element(body: Any, size: float = 0.05) -> p.Values:
    """Energy, forces, tangent and mass of a body at a displacement, the matrices by what they make of a field."""
    u, w = bent(body.X, size), np.cos(7.0 * body.X + 0.2)
    stiffness = sp.csr_matrix((body.tangent(u), body.indices, body.indptr))
    found = {
        "X": body.X,
        "energy": body.strain_energy(u),
        "force": body.internal_force(u),
        "stiffness": (stiffness @ w.ravel()).reshape(w.shape),
        "mass": body.mass_matrix @ w,
        "jacobian": body.smallest_jacobian(u)[0],
    }
    found |= {f"strains {name}": value for name, value in body.strains(u).items()}
    for name in ("stress", "cauchy_stress"):
        found |= {name: getattr(body, name)(u)} if hasattr(body, name) else {}
    if getattr(body, "viscosity", 0.0):
        found["viscous"] = body.viscous_force(u, w)
    if getattr(body, "element", "") in ("P1", "Q1") and hasattr(body, "stable_time_step"):
        found["stable step"] = body.stable_time_step()
    return {name: np.asarray(value) for name, value in found.items()}


def element_runs() -> Iterator[tuple[str, p.Run]]:
    """Every element under every law."""
    for kind in KINDS:
        for name in ("P1", "P2", "Q1", "Q2"):
            yield f"element plate {name} {kind}", partial(element, plate(name, kind))
            strain = fem.MATERIALS[kind](2e5, 0.3, "strain")
            mesh = fem.rectangle(0.4, 0.2, 3, 2, cell="triangle" if name[0] == "P" else "quadrilateral")
            body = fem.Plate.build(mesh, thickness=0.01, density=1000.0, material=strain, element=name)
            yield f"element plane strain {name} {kind}", partial(element, body)
            if kind != "neo-hookean":
                heat = 0.01 * (1.0 + plate(name, kind).X[:, 0])
                yield f"element heated {name} {kind}", partial(element, fem.heated_plate(plate(name, kind), heat))
        for name in ("P1", "P2", "Q1"):
            yield f"element solid {name} {kind}", partial(element, block(name, kind, viscosity=1e-3))
    yield "element beam-axis", partial(element, axis(), 0.01)
    for name, mesh in (("disc", fem.disc(0.2, 4, 8)), ("annulus", fem.annulus(0.1, 0.2, 2, 8))):
        cell = "P1" if mesh.t.shape[0] == 3 else "Q1"
        material = fem.NeoHookean(2e5, 0.3)
        body = fem.Plate.build(mesh, thickness=0.01, density=1000.0, material=material, element=cell)
        yield f"element plate {name}", partial(element, body)


def equilibrium(body: Any, load: np.ndarray, edge: str, steps: int = 2, stretch: float = 0.0) -> p.Values:
    """A body held at an edge under a dead load, its other end perhaps moved."""
    held = np.zeros(body.X.shape, bool)
    held[body.boundary(edge)] = True
    far = body.boundary("right")
    given = np.zeros(body.X.shape)
    if stretch:
        held[far, 0], given[far, 0] = True, stretch
    found = fem.equilibrium(body, load, held, prescribed=given, options=fem.NewtonOptions(steps=steps))
    names = ("displacement", "reactions", "fraction", "converged")
    return {name: np.asarray(getattr(found, name)) for name in names} | {
        "newton_iterations": np.array(found.iterations)
    }


def equilibrium_runs() -> Iterator[tuple[str, p.Run]]:
    """Static problems."""
    for kind in KINDS:
        for name in ("P1", "Q1", "Q2"):
            body = plate(name, kind)
            load = np.outer(body.edge_shape("right"), (1.0, 3.0))
            yield f"static plate {name} {kind}", partial(equilibrium, body, load, "left")
            yield f"static plate {name} {kind} stretched", partial(equilibrium, body, 0.0 * load, "left", stretch=0.02)
        for name in ("P1", "P2", "Q1"):
            solid = block(name, kind, 2e5)
            load = np.outer(solid.edge_shape("right"), (5.0, 3.0, -10.0))
            yield f"static solid {name} {kind}", partial(equilibrium, solid, load, "left")


def mode_runs() -> Iterator[tuple[str, p.Run]]:
    """Natural modes: free, clamped, about a displacement."""
    options = ff.Options(1e-3)

    def of(problem: Any, count: int = 5, displacement: Any = None) -> p.Run:
        return partial(p.natural_modes, lambda: (problem, options), count, displacement)

    for name in ("P1", "Q1", "Q2"):
        body = plate(name)
        yield f"mode plate {name}", of(p.plane(body, 1.0))
        for free in ((), ("x",), ("x", "y", "angle")):
            yield f"mode plate {name} clamped {len(free)}", of(p.plane(body, 1.0, frame=p.clamp("left", free)))
        pulled = np.column_stack([0.02 * body.X[:, 0], -0.006 * body.X[:, 1]])
        yield f"mode plate {name} stretched", of(p.plane(body, 1.0), 5, pulled)
    yield "mode beam-axis", of(p.plane(axis(), 1.0))
    for support in ("free", "cantilever", "simply-supported"):
        yield f"mode beam {support}", of(p.deflected(beam(), 1.0, support=support))
    yield "mode beam translating", of(p.deflected(beam(), 1.0, motion="translation"))
    frames = {
        "free": p.frame("mean-axis"),
        "fixed": p.clamp_in_space("left"),
        "guided": p.clamp_in_space("left", "x"),
    }
    frames |= {
        "turning": p.clamp_in_space("left", "x", "y", "z", "rotation"),
        "hinged": p.hinge("left", (0.0, 1.0, 0.0), (-0.15, 0.0, 0.05)),
    }
    for name, frame in frames.items():
        for kind in ("P1", "Q1"):
            yield f"mode solid {kind} {name}", of(p.solid(block(kind), 1.0, frame=frame))
    yield "mode solid stretched", of(p.solid(block(), 1.0), 5, stretched(block()))


def quadratic(nodes: int, seed: int, stiffness: float) -> tuple[Any, np.ndarray]:
    """A random friction problem of a stage, and its bounds."""
    rng = np.random.default_rng(seed)
    B = sp.random_array((2 * nodes, 2 * nodes), density=3.0 / nodes, rng=rng, data_sampler=rng.standard_normal)
    A = sp.csr_array(stiffness * (B @ B.T) + sp.diags_array(rng.uniform(0.5, 2.0, 2 * nodes)))
    return friction.Quadratic(A, rng.standard_normal((nodes, 2))), rng.uniform(0.2, 1.5, nodes)


def stage(name: str, law: Any, seed: int, **options: Any) -> p.Values:
    """A solution of a random stage."""
    part, bound = quadratic(12, seed, 10.0 ** (seed % 4))
    reference = np.random.default_rng(seed + 100).standard_normal((*bound.shape, 2))
    found = friction.solve(part, bound, law=law, reference=reference, options=friction.TrescaOptions(**options))
    return {"velocity": found.velocity, "multiplier": found.multiplier, "stick": found.state.astype(int)}


def friction_runs() -> Iterator[tuple[str, p.Run]]:
    """Random friction problems of a stage under every law without memory, of unilateral contact, and impacts."""
    for name, law in LAW_SET.items():
        if "stiction" not in name:
            for seed in range(4):
                yield f"friction {name} {seed}", partial(stage, name, law, seed)
    for seed in range(4):
        yield f"friction coulomb {seed} fallback", partial(stage, "coulomb", None, seed, fallback_only=True)
    for seed in range(8):
        yield f"friction unilateral {seed}", partial(unilateral, seed)
    for law in friction.RESTITUTION_LAWS:
        for e in (0.0, 0.6, 1.0):
            for mu in (0.0, 0.4, 2.0):
                yield f"friction impact {law} {e} {mu}", partial(impact, law, e, mu)


def unilateral(seed: int) -> p.Values:
    """Contacts that open, stick and slide; every other compliance is singular."""
    rng = np.random.default_rng(seed)
    G = rng.standard_normal((8, 3 if seed % 2 else 9))
    q = np.column_stack([rng.standard_normal(4), rng.standard_normal(4)])
    q = (
        q - 0.5 * (G @ rng.standard_normal(G.shape[1])).reshape(4, 2)
        if seed % 2 == 0
        else (G @ rng.standard_normal(3)).reshape(4, 2)
    )
    found = friction.solve_unilateral(G @ G.T, q, 0.4)
    return {"velocity": found.velocity, "multiplier": (G.T @ found.force.ravel()), "stick": found.state.astype(int)}


def impact(law: str, e: float, mu: float) -> p.Values:
    """Routh's process of one contact."""
    W = np.array([[2.0, 0.9], [0.9, 1.5]])
    found = friction.routh_impact(W, np.array([-1.0, 0.7]), mu, e, law)
    return {"impulse": np.asarray(found.impulse), "velocity": np.asarray(found.velocity)}
