"""Frictional contact of an elastic solid's nodes, the normal forces unknown: sparse, one Newton step one linear solve.

    cache = ContactFactor(part.indptr, part.indices, factor, symmetric=True)      # once a run
    contact = ContactNodes(nodes=nodes, axes=axes, mu=mu, ground=ground)      # each stage
    result = solve_contact(part, contact, v, force=p, cache=cache)

``part`` gives g(v) and its matrix (``SpacePart``). ``axes`` (m, 3, 3) have the rows t1, t2, n in the components of v: Q where v is
in a frame turned by Q and the ground is z = 0. A node in a groove comes once for each wall. ``ground`` (m, 3) has the ground's
velocity along t1 and t2 and the least u_n: (min(0, gap at the start) − gap at u_n = 0)/τ. ``result`` has velocity (N, 3), force and
slip (m, 3) along (t1, t2, n), status (m,) and counts. ``factor`` takes symmetric positive definite matrices (``symmetric=True``: at
1e4 unknowns two thirds of the cost) or any.
"""

from friction.cone.kernels import OPEN, SLIPS, STICKS
from friction.signorini.problem import ContactFactor, ContactNodes, SignoriniError, SpacePart
from friction.signorini.solve import METHODS, SignoriniResult, solve_contact

__all__ = [
    "METHODS",
    "OPEN",
    "SLIPS",
    "STICKS",
    "ContactFactor",
    "ContactNodes",
    "SignoriniError",
    "SignoriniResult",
    "SpacePart",
    "solve_contact",
]
