"""The one place that names compile options and the disk cache.

`entry` marks a function that Python calls: compiled without the GIL and cached on disk. `device` marks a function
that only kernels call; it is compiled into its callers and never cached by itself. Numba would give each of them
machine code and two wrappers for Python, and optimise it in full at every level of nesting, all to be thrown away:
half of the time of compiling a kernel. Here a device function is brought into a form to be inlined, and no further.

Numba stamps a cached kernel with its own file alone, so an edited helper would go unnoticed, and leaves compile
flags out of the key. Here the stamp is a hash of every source file the kernel may draw on (the shared files of this
package and the kernel's own folder) and of the flags; each stamp has a folder of its own, and old ones are pruned.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from llvmlite import ir
from numba import config, types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher
from numba.extending import intrinsic

ROOT = Path(__file__).parent
KEPT_FOLDERS = 24

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}

#: called with the name of an entry point before it is compiled; set by who wants to announce it
on_compile: Callable[[str], None] | None = None


class _Unfinished(JITCodeLibrary):  # type: ignore[misc]
    """The code of a device function: cheaply optimised, for the kernel that it is inlined into to finish."""

    def _optimize_final_module(self) -> None:
        codegen = self._codegen
        passes, builder = codegen._module_pass_manager(
            loop_vectorize=codegen._loopvect, slp_vectorize=False, opt=codegen._opt_level, cost="cheap"
        )
        passes.run(self._final_module, builder)

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """None: it is not compiled to the end."""
        return 0

    @property
    def codegen(self) -> _Unfinished:
        """Who is told the place of numba's environment."""
        return self

    def set_env(self, name: str, env: Any) -> None:
        """Nothing to set in code that never runs by itself."""


class _DeviceCompiler(Compiler):  # type: ignore[misc]
    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        super().__init__(typing, target, library or _Unfinished(target.codegen(), "device"), *rest)


class _Device(CPUDispatcher):  # type: ignore[misc]
    """A function for kernels. Python, as in tests, gets a second one that is compiled to the end."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        wrappers = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        options = {"nopython": True, "boundscheck": None, **wrappers, **OPTIONS, **options}
        super().__init__(function, targetoptions=options, pipeline_class=_DeviceCompiler)
        self._whole: Any = None

    def __call__(self, *arguments: Any) -> Any:
        if self._whole is None:
            self._whole = numba.njit(**OPTIONS)(self.py_func)
        return self._whole(*arguments)


def device(function: Callable[..., Any]) -> Any:
    """Compiles `function` for use in kernels, inlined at every place of use."""
    return _Device(function, forceinline=True)


def outlined(function: Callable[..., Any]) -> Any:
    """As `device`, but inlined only where its caller is (numba hands that wish down) or LLVM sees a gain."""
    return _Device(function)


@intrinsic
def _expected_false(typing_context, condition):  # type: ignore[no-untyped-def]
    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        bit = ir.IntType(1)
        name = "llvm.expect.i1"
        expect = builder.module.globals.get(name) or ir.Function(builder.module, ir.FunctionType(bit, [bit, bit]), name)
        return builder.call(expect, [arguments[0], ir.Constant(bit, 0)])

    return types.boolean(types.boolean), generate


@device
def unlikely(condition):  # type: ignore[no-untyped-def]
    """The condition, with the hint to the compiler that it rarely holds."""
    return _expected_false(condition)


def cache_root() -> Path:
    """The folder that holds compiled kernels: NUMBA_CACHE_DIR if set, else the user's cache folder."""
    if config.CACHE_DIR:
        return Path(config.CACHE_DIR)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "nullsim"


@cache
def fingerprint(folder: Path = ROOT) -> str:
    """Hash of the sources a kernel in `folder` may draw on, and of the flags that change its code."""
    digest = hashlib.sha256()
    sources = list(ROOT.glob("*.py")) + (list(folder.glob("*.py")) if folder != ROOT else [])
    for path in sorted(sources):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    flags = (numba.__version__, config.BOUNDSCHECK, config.OPT, config.DEBUGINFO_DEFAULT, config.ENABLE_AVX)
    digest.update(repr(flags).encode())
    return digest.hexdigest()[:20]


class _Locator(_CacheLocator):  # type: ignore[misc]
    """Tells numba where a kernel's compiled form lies and what it was made from."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        folder = Path(file).parent
        self._stamp = fingerprint(folder)
        self._line = function.__code__.co_firstlineno
        self._path = cache_root() / f"{folder.name}-{self._stamp}"

    def get_cache_path(self) -> str:
        return str(self._path)

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> _Locator:
        locator = cls(function, file)
        locator.ensure_cache_path()
        os.utime(locator._path)
        _prune(locator._path.parent)
        return locator


class _CacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [_Locator]


class _KernelCache(FunctionCache):  # type: ignore[misc]
    _impl_class = _CacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kept form of a kernel; a broken one counts as none. Tells `on_compile` when there is none."""
        try:
            found = super().load_overload(sig, target_context)
        except Exception:  # a damaged file can raise anything while it is unpickled
            self.flush()
            found = None
        if found is None and on_compile is not None:
            on_compile(self._py_func.__name__)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keeps a compiled kernel if the disk takes it."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn_uncached(str(error))


@cache
def _prune(root: Path) -> None:
    """Removes the compiled forms longest unused, once a process."""
    stamped = [path for path in root.glob("*-" + "[0-9a-f]" * 20) if path.is_dir()]
    for path in sorted(stamped, key=lambda path: path.stat().st_mtime)[:-KEPT_FOLDERS]:
        shutil.rmtree(path, ignore_errors=True)


@cache
def _warn_uncached(reason: str) -> None:
    warnings.warn(f"compiled kernels cannot be kept: {reason}; every start compiles anew", stacklevel=4)


def entry(function: Callable[..., Any]) -> Any:
    """Compiles `function` as an entry point, kept on disk; without a writable folder it warns once and goes on."""
    dispatcher = numba.njit(**OPTIONS)(function)
    try:
        dispatcher._cache = _KernelCache(function)
    except OSError as error:
        _warn_uncached(str(error))
    return dispatcher
