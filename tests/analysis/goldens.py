"""What scripts/goldens.py makes, and how a report is held against the one that was kept."""

import importlib.util
import math
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "tests" / "goldens"


def script(name):
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def differences(mine, kept, place="report"):
    """Where two JSON values differ; numbers may by rounding, as other versions of libraries sum in another order."""
    if isinstance(mine, dict) and isinstance(kept, dict):
        if mine.keys() != kept.keys():
            return [f"{place}: keys {sorted(mine.keys() ^ kept.keys())}"]
        return [line for key in mine for line in differences(mine[key], kept[key], f"{place}.{key}")]
    if isinstance(mine, list) and isinstance(kept, list):
        if len(mine) != len(kept):
            return [f"{place}: {len(mine)} and {len(kept)} entries"]
        pairs = enumerate(zip(mine, kept, strict=True))
        return [line for k, (a, b) in pairs for line in differences(a, b, f"{place}[{k}]")]
    if isinstance(mine, float) and isinstance(kept, int | float) and not isinstance(kept, bool):
        return [] if math.isclose(mine, kept, rel_tol=1e-6, abs_tol=1e-9) else [f"{place}: {mine!r} and {kept!r}"]
    return [] if mine == kept else [f"{place}: {mine!r} and {kept!r}"]
