"""Imports run one way: commands -> analysis, report -> run -> kernels; kernels know nothing above them."""

import ast
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
FILES = sorted([*ROOT.glob("sim/**/*.py"), *ROOT.glob("kernels/**/*.py")])
GAMES = {path.parent.name for path in ROOT.glob("kernels/*/rules.py")}


def imports(path):
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def starts(names, *prefixes):
    return {name for name in names if any(name == prefix or name.startswith(prefix + ".") for prefix in prefixes)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_layers(path):
    names, place = imports(path), path.relative_to(ROOT).parts
    if place[0] == "kernels":
        assert not starts(names, "sim", "click", "pandas", "pyarrow", "pydantic", "tqdm")
        if len(place) > 2:
            others = GAMES - {place[1]}
            assert not starts(names, *(f"kernels.{other}" for other in others))
            if place[2] in ("rules.py", "referee.py", "transcript.py", "__init__.py"):
                assert not starts(names, "numba", "numpy", "kernels.compile", "kernels.rng", "kernels.table")
    elif place[1] == "stats":
        assert not starts(names, "kernels", "click")
        assert starts(names, "sim") == starts(names, "sim.stats")
    elif place[1] == "analysis":
        assert not starts(names, "kernels", "sim.cli", "click")
    elif place[1] == "report":
        assert not starts(names, "sim.cli", "click", "kernels.compile", "kernels.table", "kernels.rng")
    elif place[1] not in ("cli", "__init__.py"):  # the public surface names things of all layers
        assert not starts(names, "sim.cli", "sim.report", "click")


def test_files_fit_in_the_head():
    long = {str(path.relative_to(ROOT)): n for path in FILES if (n := len(path.read_text().splitlines())) > 450}
    assert not long
