"""The cache of compiled kernels: kept, found again, and never in the way when it is damaged or cannot be written."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SMALL = """
import numpy as np
from kernels import compile, moments
compile.on_compile = lambda name: print("compiling", name)
z = np.zeros
moments.accumulate(z((1, 2), np.int32), 1, z((1, 2), np.int8), 1, z(1, np.int64), z(1, np.int64), z(1, np.int64),
                   z((3, 5, 1, moments.BATCH), np.int64), z((5, 1, 9), np.int64), z((1, 2, 2), np.int64))
print("done")
"""


def run(cache):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    out = subprocess.run(
        [sys.executable, "-c", SMALL], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300
    )
    assert out.returncode == 0, out.stderr
    return out


def test_a_kernel_is_compiled_once(tmp_path):
    assert run(tmp_path).stdout.split("\n")[0] == "compiling accumulate"
    assert run(tmp_path).stdout == "done\n"


def test_a_damaged_form_is_compiled_anew(tmp_path):
    run(tmp_path)
    files = [path for path in tmp_path.rglob("*.nb*") if path.is_file()]
    assert files
    for file in files:
        file.write_bytes(b"junk" + file.read_bytes()[:50])
    assert run(tmp_path).stdout == "compiling accumulate\ndone\n"
    assert run(tmp_path).stdout == "done\n"


def test_without_a_writable_folder_it_warns_and_goes_on():
    out = run("/proc/nowhere")
    assert out.stdout.endswith("done\n")
    assert "cannot be kept" in out.stderr


def test_an_edit_of_any_kernel_file_makes_another_stamp(tmp_path):
    import shutil

    code = "from kernels.compile import ROOT, fingerprint; print(fingerprint(ROOT / 'nil'))"
    shutil.copytree(ROOT / "kernels", tmp_path / "kernels", ignore=shutil.ignore_patterns("__pycache__"))

    def stamp():
        return subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True).stdout

    seen = [stamp()]
    for name in ("kernels/rng.py", "kernels/nil/state.py"):
        with open(tmp_path / name, "a") as file:
            file.write("\n# changed\n")
        seen.append(stamp())
    assert len(set(seen)) == 3
    with open(tmp_path / "kernels/nulla/state.py", "a") as file:
        file.write("\n# changed\n")
    assert stamp() == seen[-1]


def test_python_may_call_what_a_kernel_has_used():
    """A device function has no machine code of its own; for Python it gets some."""
    import numba

    from kernels.compile import device, outlined

    @device
    def half(x):
        return x // 2

    @outlined
    def quarter(x):
        return half(half(x))

    @numba.njit
    def kernel(x):
        return half(x) + quarter(x)

    assert kernel(40) == 30
    assert (half(40), quarter(40), half(9.0)) == (20, 10, 4.0)
    assert kernel(8) == 6


def test_a_hint_to_the_compiler_changes_no_result():
    from kernels.compile import unlikely

    assert [unlikely(value) for value in (True, False, True)] == [True, False, True]
