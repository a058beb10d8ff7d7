"""The one place that names compile options and the disk cache.

`entry` marks a function that Python calls: compiled without the GIL and cached on disk. `device` marks a function
that only kernels call; it is compiled into its callers and never cached by itself.

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
from numba import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

ROOT = Path(__file__).parent
KEPT_FOLDERS = 24

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}

#: called with the name of an entry point before it is compiled; set by who wants to announce it
on_compile: Callable[[str], None] | None = None

device = numba.njit(forceinline=True, **OPTIONS)

#: as `device`, but compiled once and called: for what is too large to be compiled into every place of use
outlined = numba.njit(**OPTIONS)


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
