"""The house rules, read from every source file: who may import whom, and how large functions, files and folders may be.

Each test lists all offenders.
"""

import ast
import functools
import importlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NUMERIC = {"numpy", "scipy"}
INNER = {"floating_frame", "fem", "friction"}
# Third parties and packages of this repository that each package may import; the standard library is free.
MAY_IMPORT = {
    "friction": NUMERIC | {"lazy_loader", "numba", "numexpr"},
    "fem": NUMERIC | {"lazy_loader", "skfem", "numba", "meshio", "pypardiso"},
    "floating_frame": NUMERIC | {"lazy_loader", "fem", "friction", "xarray", "pandas", "numba", "netCDF4"},
    "cases": NUMERIC
    | INNER
    | {"xarray", "pydantic", "pydantic_core", "cyclopts", "rich", "matplotlib", "PIL", "meshio", "dask", "distributed"}
    | {"numba", "lazy_loader"},
    "paper_figures": NUMERIC | INNER | {"cases", "matplotlib", "xarray", "cyclopts", "rich"},
}  # fmt: skip

# What the suite is entered with: an adapter imports its code, and nothing else does.
ADAPTERS = "cases/app/suite/adapters/"
PEERS = {"mujoco", "pydrake", "exudyn", "newton", "warp", "elastica", "pybullet", "pybullet_data", "pymunk"}

# The layers of floating_frame/, top to bottom: a module imports its own layer and lower ones.
LAYERS = (
    {"simulate"},
    {"assemble", "assembly", "natural_modes"},
    {"output", "verdict"},
    {"stepping"},
    {"leapfrog"},
    {"scheme"},
    {"system"},
    {"problem", "problems", "initial", "rigid_body", "rigid_solid", "checks", "coefficients", "step_control"},
    {"effect"},
    {"contact"},
    {"loads"},
    {"frame"},
    {"errors", "input_checks"},
)  # fmt: skip

LINES_OF_A_FUNCTION, PARAMETERS, LINES_OF_A_FILE, FILES_OF_A_FOLDER = 60, 8, 400, 14
LINES_OF_A_SCRIPT = 180
ANY_NUMBER_OF_FILES = {"cases", "paper_figures/figures"}  # one script a case, one file a figure


def sources(*folders):
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


@functools.cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def place(path):
    return path.relative_to(ROOT).as_posix()


def module_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def last_name(node):
    """The name of a function as it is called, without the module or object before it; '' of anything else."""
    return getattr(node, "attr", getattr(node, "id", ""))


@functools.cache
def imported(path):
    """(module, name or "", line) of every import in a file, wherever in it, TYPE_CHECKING and import_module included."""
    computed = []
    package = module_of(path).split(".") if path.name == "__init__.py" else module_of(path).split(".")[:-1]
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            computed += [(alias.name, "", node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            module = ".".join([*base, node.module or ""]).strip(".")
            computed += [(module, alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.Call) and last_name(node.func) in ("import_module", "__import__"):
            names = [a.value for a in node.args[:1] if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            computed += [(name, "", node.lineno) for name in names]
    return computed


def exceeding(sizes, limit):
    """Lines that name what is larger than `limit`; `sizes`: full name -> size."""
    return [f"{name}: {size}" for name, size in sizes.items() if size > limit]


def circles(edges):
    """The sets of modules that import one another in a circle: strongly connected components of more than one."""

    @functools.cache
    def reached(start):
        seen, open_ = set(), [start]
        while open_:
            for target in edges[open_.pop()] - seen:
                seen.add(target)
                open_.append(target)
        return frozenset(seen)

    around = {module for module in edges if module in reached(module)}
    return {frozenset(other for other in around if other in reached(one) and one in reached(other)) for one in around}


def module_edges():
    """module -> modules of this repository that it imports, itself and the packages around it apart."""
    modules = {module_of(path): path for path in sources(*MAY_IMPORT)}
    edges = {}
    for module, path in modules.items():
        targets = set()
        for base, name, _ in imported(path):
            full = f"{base}.{name}" if name else base
            targets |= {full if full in modules else base} & set(modules)
        edges[module] = {t for t in targets if t != module and not module.startswith(f"{t}.")}
    return edges


def test_packages_import_only_what_they_may_and_never_the_tests():
    tests = {path.stem for path in sources("tests")} | {"tests", "pytest", "hypothesis"}
    offenders, packages = [], set()
    for path in sources(*MAY_IMPORT):
        package = path.relative_to(ROOT).parts[0]
        allowed = MAY_IMPORT[package] | {package} | (sys.stdlib_module_names - tests)
        allowed |= PEERS if place(path).startswith(ADAPTERS) else set()
        for module, _, line in imported(path):
            packages.add((package, module.split(".")[0]))
            if module.split(".")[0] not in allowed:
                offenders.append(f"{place(path)}:{line} imports {module}")
    assert {("floating_frame", "fem"), ("floating_frame", "friction"), ("cases", "floating_frame")} <= packages
    assert not offenders, "\n".join(offenders)


def test_private_names_and_modules_of_another_package_are_not_imported():
    offenders, across = [], 0
    for path in sources(*MAY_IMPORT):
        own = path.relative_to(ROOT).parts[0]
        for module, name, line in imported(path):
            if module.split(".")[0] in set(MAY_IMPORT) - {own}:
                across += 1
                if any(part.startswith("_") for part in (*module.split("."), name)):
                    offenders.append(f"{place(path)}:{line} imports {module}.{name}")
    assert across > 100
    assert not offenders, "\n".join(offenders)


def test_no_modules_import_one_another_in_a_circle():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set()}) == {frozenset("abc")}
    edges = module_edges()
    assert "floating_frame.problem" in edges["floating_frame.system.model"]
    computed = [", ".join(sorted(circle)) for circle in circles(edges)]
    assert not computed, "\n".join(computed)


def upward(edges, layers):
    """Lines that name modules of floating_frame which import a higher layer, or have none."""
    layer = {f"floating_frame.{name}": number for number, names in enumerate(layers) for name in names}

    def of(module):
        return layer.get(".".join(module.split(".")[:2]))

    inner = [module for module in edges if module.startswith("floating_frame.")]
    offenders = [f"{module} is in no layer" for module in inner if of(module) is None]
    for module in inner:
        for target in edges[module]:
            if None not in (of(module), of(target)) and of(target) < of(module):
                offenders.append(f"{module} -> {target}")
    return sorted(offenders)


def test_modules_of_floating_frame_import_their_own_layer_and_lower_ones():
    """Wherever in a file the import stands: for types alone and within functions, too."""
    example = {"floating_frame.a.x": {"floating_frame.b"}, "floating_frame.b": {"floating_frame.a.x"}}
    assert upward(example, ({"a"}, {"b"})) == ["floating_frame.b -> floating_frame.a.x"]
    assert upward(example, ({"a"},)) == ["floating_frame.b is in no layer"]
    edges = module_edges()
    assert "floating_frame.system.stages" in edges["floating_frame.scheme.step"]
    homes = {module.split(".")[1] for module in edges if module.startswith("floating_frame.")}
    assert set.union(*LAYERS) <= homes, "a layer names what is not there"
    offenders = upward(edges, LAYERS)
    for path in sources("floating_frame"):
        whole = {f"{module}.{name}".strip(".") for module, name, _ in imported(path) if module == "floating_frame"}
        inner = edges.keys() - {"floating_frame"}
        offenders += [f"{place(path)} imports {name}, which is offered to users" for name in whole - inner]
    assert not offenders, "\n".join(offenders)


def test_a_module_is_found_by_one_name_and_nothing_by_a_name_that_it_had():
    """No folder is joined to a package's path, and nothing warns that it is called otherwise now."""
    packages = [path.parent for path in sources(*MAY_IMPORT) if path.name == "__init__.py"]
    paths = {folder: list(importlib.import_module(module_of(folder / "__init__.py")).__path__) for folder in packages}
    assert len(paths) > 40
    assert {place(folder): path for folder, path in paths.items() if path != [str(folder)]} == {}
    named = [place(path) for path in sources(*MAY_IMPORT) if "DeprecationWarning" in path.read_text(encoding="utf-8")]
    assert named == []


def test_functions_have_at_most_60_lines_and_8_parameters():
    """Compiled kernels apart. Records (dataclasses, NamedTuples) are made of named values, not of parameters."""
    lines, parameters = {}, {}
    for path in sources(*MAY_IMPORT):
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.FunctionDef) or any("jit" in ast.unparse(d) for d in node.decorator_list):
                continue
            name = f"{place(path)}:{node.name}"
            lines[name] = max(lines.get(name, 0), node.end_lineno - node.lineno + 1)
            given = [a.arg for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs]
            parameters[name] = max(parameters.get(name, 0), len(given) - (given[:1] in (["self"], ["cls"])))
    assert len(lines) > 1000
    assert exceeding(lines, LINES_OF_A_FUNCTION) == []
    assert exceeding(parameters, PARAMETERS) == []


def test_files_have_one_subject_which_their_first_line_states_and_at_most_400_lines():
    paths = sources(*MAY_IMPORT, "tests", "benchmarks", "docs")
    untold = [place(path) for path in paths if len((ast.get_docstring(tree(path)) or "").split("\n")[0]) < 15]
    assert untold == []
    sizes = {place(path): len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    assert exceeding(sizes, LINES_OF_A_FILE) == [], "are there two subjects?"


def test_case_scripts_read_from_the_reference_down_to_what_a_study_measures():
    """Reference, Analysis, Purpose, Summary; Parameters, problem, options, exact values, summary, study, measures: two pages."""
    parts = ["Parameters", "problem", "options", "exact", "summary", "STUDY", "measures"]
    scripts = [
        path for path in (ROOT / "cases").glob("*.py") if "class Parameters(" in path.read_text(encoding="utf-8")
    ]
    assert len(scripts) >= 18
    for path in scripts:
        assert len(path.read_text(encoding="utf-8").splitlines()) <= LINES_OF_A_SCRIPT, path.name
        text = ast.get_docstring(tree(path))
        heads = [text.index(f"{word}: ") for word in ("Reference", "Analysis", "Purpose", "Summary")]
        assert heads == sorted(heads), path.name
        nodes = tree(path).body
        names = [getattr(node, "name", "") or ast.unparse(getattr(node, "targets", [node])[0]) for node in nodes]
        own = [part for part in parts if part in names]
        assert {*parts} - {"options", "exact"} <= {*own}, path.name
        assert own == sorted(own, key=names.index), path.name


def test_a_system_has_at_most_24_members():
    nodes = tree(ROOT / "floating_frame/system/protocol.py").body
    (system,) = (node for node in nodes if isinstance(node, ast.ClassDef) and node.name == "System")
    members = [node for node in system.body if isinstance(node, ast.FunctionDef | ast.AnnAssign)]
    assert 10 < len(members) <= 24


def test_folders_hold_at_most_14_files():
    folders = [place(path.parent) for path in sources(*MAY_IMPORT) if path.name != "__init__.py"]
    sizes = {folder: folders.count(folder) for folder in set(folders) - ANY_NUMBER_OF_FILES}
    assert sizes["friction"] > 0
    assert exceeding(sizes, FILES_OF_A_FOLDER) == []


def test_test_modules_import_no_test_modules():
    modules = {path.stem for path in sources("tests") if path.stem.startswith("test_")}
    seen = {(place(path), module.rsplit(".", 1)[-1]) for path in sources("tests") for module, _, _ in imported(path)}
    assert ("tests/test_adding_a_thing.py", "added_files") in seen
    assert [pair for pair in seen if pair[1] in modules] == []


def test_test_modules_have_unique_names_since_each_folder_is_on_the_path():
    names = [path.name for path in sources("tests") if path.name not in ("__init__.py", "conftest.py")]
    assert len(names) > 10
    assert sorted(names) == sorted(set(names))
