"""Problem files: the suite's read and agree with what they claim, a wrong one is refused in one line."""

from pathlib import Path

import numpy as np
import pytest
from rows import rows

from cases.app.run.errors import BadInput
from cases.app.suite import files, reference_values, signals
from cases.app.suite.formulas import formula
from cases.app.suite.schema import Quantity

ROOT = Path(__file__).resolve().parents[2]
LISTED = (
    "potra_block_plane potra_block_space sdnd100 sdnd104 ssnv128 slope_grid load_and_hold spinning_disc weidman_annuli"
    " curling_disc rolling_sphere leine_belt den_hartog painleve_rod free_top feet_braking rod_pulse filippov_plate"
    " bouncing_bar routh_impact spinning_plate szefer_a szefer_b szefer_c"
)
NAMES = LISTED.split()
SLOW = {"curling_disc", "filippov_plate", "den_hartog", "free_top"}
"""Problems whose references take more than a second."""


def test_the_suite_has_its_problems_by_name():
    assert sorted(NAMES) == files.names()


@rows("name", NAMES)
def test_a_problem_says_what_it_separates_where_its_reference_is_from_and_what_is_admissible(name):
    cited = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
    for problem in files.load(name):
        assert len(problem.separates) > 30
        assert len(problem.description) > 60
        for source in problem.reference.source:
            own = source.startswith(("derived in ", "conservation laws", "Coulomb's law"))
            assert own or f"## {source}\n" in cited, source
            if source.startswith("derived in "):
                assert (ROOT / source.removeprefix("derived in ")).is_file()
        for quantity in problem.quantities:
            limit, known = reference_values.admissible(problem, quantity), reference_values.reference(problem, quantity)
            assert np.isfinite(known)
            assert limit >= 0.0
            assert limit < abs(known) or known == 0.0, quantity.name
        assert (problem.reference.kind == "converged value") == (problem.reference.convergence > 0.0)


@rows("name", NAMES)
def test_ground_that_moves_has_the_acceleration_of_its_velocity(name):
    for problem in files.load(name):
        for part in (problem.ground.velocity if problem.ground else None) or ():
            for t in (0.1, 0.37):
                assert part.rate(t) == pytest.approx((part(t=t + 1e-6) - part(t=t - 1e-6)) / 2e-6, abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.quick(*sorted({*NAMES} - SLOW))
def test_the_table_of_references_holds_what_the_functions_compute(name):
    with reference_values.TABLE.open(encoding="utf-8") as file:
        stored = [line for line in file if line.startswith(f"{name},")]
    rows_now = reference_values.rows_of(name)
    assert len(stored) == len(rows_now) > 0
    for row in rows_now:
        problem = next(one for one in files.load(name) if one.variant == row["variant"])
        quantity = next(one for one in problem.quantities if one.name == row["quantity"])
        reference = reference_values._stored()[name, row["variant"], row["quantity"]]
        assert reference[0] == problem.digest, "run python -m cases.app.suite.reference_values"
        size = max(abs(float(row["value"])), 1e-3 * reference_values.scale(problem, quantity))
        assert reference[1] == pytest.approx(float(row["value"]), rel=1e-9, abs=1e-9 * size)


def test_published_values_of_code_aster_and_of_the_literature_are_found_by_derivation():
    """SDND100: the turns; SDND104: the wear power; Farkas, Weidman and Malhotra: 0.653; Doyen et al.: 300 N, 2/3 s."""
    values = {key: value for key, (_, value) in reference_values._stored().items()}
    turns = [values["sdnd100", "", f"turn_{k}"] for k in (1, 2, 3, 4)]
    assert turns == pytest.approx([-0.65e-3, 0.45e-3, -0.25e-3, 0.05e-3], rel=1e-12)
    wear = (("A 15", "wear_power"), ("A 1.5", "wear_power"), ("A 1.01", "wear_power_barely"))
    powers = [values["sdnd104", *which] for which in wear]
    assert powers == pytest.approx([15.2670995894, 0.40906245, 2.261641e-4], rel=1e-7)
    assert values["spinning_disc", "", "terminal_ratio"] == pytest.approx(0.653, abs=5e-4)
    assert values["weidman_annuli", "ring", "terminal_ratio"] == pytest.approx(1.0, abs=1e-9)
    assert values["bouncing_bar", "", "force"] == 300.0
    assert values["leine_belt", "", "period"] == pytest.approx(12.0, abs=0.05)


GOOD = (files.FOLDER / "load_and_hold.toml").read_text(encoding="utf-8")


def refused(text, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as error:
        files.load(str(path))
    assert "\n" not in str(error.value)
    files.load.cache_clear()
    return str(error.value)


@rows(
    "what, by, said",
    [
        ('mass = "mass"', "mass = -1.0", "body.block.mass: input should be greater than 0, got -1.0"),
        ('mass = "mass"', 'mass = "1/0"', "got '1/0' (float division by zero)"),
        ('mass = "mass"', 'mass = "9**9**9"', "got '9**9**9' ("),
        ('mass = "mass"', 'mass = "log(0)"', "expected a finite number or a formula that gives one, got 'log(0)'"),
        ('mass = "mass"', f"mass = 1{'0' * 400}", "got int(...) ("),
        ('mass = "mass"', f'mass = "{"(" * 500}"', "expected a formula, got str(...)"),
        ('mass = "mass"', f"mass = {'[' * 50_000}", "expected a TOML file, got one nested too deeply"),
        ('name = "creep"', 'name = "creep"\nonly = 3', "expected only as a list of names of variants, got 3"),
        ('mass = "mass"', 'mass = "mas"', "expected a formula of ..., got 'mas'"),
        ('mass = "mass"', "", "body.block.mass: expected a value, got none"),
        ('kind = "block"', 'kind = "blok"', "'blok'"),
        ('mu = "mu"', 'mu = "speed.real"', "expected a formula of numbers and elementary functions, got 'speed.real'"),
        ('mu = "mu"', 'mu = "__import__(1)"', "expected a formula of ..., got '__import__'"),
        ('mu = "mu"', 'mu = "mu +"', "expected a formula, got 'mu +'"),
        ('mu = "mu"', 'mu = 0\nfriction = "mu"', "ground.friction: expected no such name"),
        ("every = 1.0", "every = 0.7", "expected an end that is a multiple of every, got 100 and 0.7"),
        ("share = 0.9", "share = 0.9\nvx = 0.9", "expected names that are no signals, got vx"),
        ("share = 0.9", "share = true", "parameters.share: expected a number or a formula of those above, got True"),
        ('signal = "x"', 'signal = "depth"', "quantity creep: expected a formula of ..., got 'depth'"),
        ('change = [1, "end"]', "change = [1, 200]", "expected change within 0 to 100 s"),
        ('change = [1, "end"]', "change = [0.5, 2]", "expected change at multiples of every"),
        ('change = [1, "end"]', "change = [1, 2]\nat = 3", "creep: expected one of at, mean, max, min, change, period"),
        ("admissible = 1e-9", "", "quantity creep: expected one of admissible, relative"),
        ('name = "loading"', 'name = "creep"', "expected a name of its own for each"),
        ('kind = "definition"', 'kind = "guess"', "reference.kind"),
        ("[parameters]", "grid = 3\n[parameters]", "grid: expected a list of numbers"),
        (
            "[parameters]",
            '[[variants]]\nname = "a"\nmiu = 1\n[parameters]',
            "expected parameters or tables ..., got miu",
        ),
        ("[parameters]", "[[variants]]\nmu = 1\n[parameters]", "expected a name of each"),
        ("[parameters]", "[parameters", "mine.toml: "),
    ],
)
def test_a_wrong_file_is_refused_in_one_line_that_says_where_and_what(what, by, said, tmp_path):
    assert what in GOOD
    message = refused(GOOD.replace(what, by, 1), tmp_path)
    assert all(part in message for part in said.split("...")), message


def test_quantities_of_variants_that_are_not_there_are_refused(tmp_path):
    assert "expected only of the variants" in refused(GOOD + '\nonly = ["fast"]\n', tmp_path)


def test_a_good_file_anywhere_is_read_with_its_variants(tmp_path):
    path = tmp_path / "mine.toml"
    grid = "[grid]\nmu = [0.2, 0.4]\nshare = [0.5]\n[parameters]"
    path.write_text(GOOD.replace("[parameters]", grid, 1), encoding="utf-8")
    computed = [(one.name, one.variant, one.parameters["mu"]) for one in files.load(str(path))]
    assert computed == [("mine", "mu 0.2, share 0.5", 0.2), ("mine", "mu 0.4, share 0.5", 0.4)]


REAL = {
    "2**3": 8.0,
    "where(t < 1, 3, 4)": 3.0,
    "sin(pi/2) + a": 1.5,
    "-maximum(a, t)": -0.5,
    "9**9**9": np.inf,
    "1/0": np.inf,
}


@rows("text", REAL)
def test_a_formula_is_arithmetic_on_real_numbers(text):
    try:
        computed = formula(text, frozenset({"t"}), {"a": 0.5})(t=0.0)
    except (OverflowError, ZeroDivisionError):
        computed = np.inf
    assert computed == pytest.approx(REAL[text])


def test_a_quantity_is_taken_at_an_instant_or_over_an_interval():
    (problem,) = files.load("leine_belt")
    t = problem.time.samples
    courses = signals.complete(problem, {"x": np.sin(2 * np.pi * t / 8.0), "y": 0 * t, "vx": np.cos(t), "vy": 0 * t})
    base = {"name": "q", "unit": "m", "signal": "x", "admissible": 1.0}
    taken = {"at": (2.0, 1.0), "mean": ((8.0, 16.0), 0.0), "max": ((0.0, 8.0), 1.0), "min": ((0.0, 4.0), 0.0)}
    taken |= {"change": ((2.0, 6.0), -2.0), "period": ((0.0, 53.0), 8.0)}
    for kind, (when, value) in taken.items():
        quantity = Quantity.model_validate(base | {kind: when})
        assert signals.value(problem, quantity, courses) == pytest.approx(value, abs=1e-4), kind
    missing = Quantity.model_validate(base | {"signal": "energy", "at": 1.0})
    assert signals.value(problem, missing, {"t": t}) is None
