"""nullsim: Monte Carlo simulation of five card games called "null". The whole public surface is named here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kernels.strategy import below as below
    from kernels.strategy import param as param
    from kernels.strategy import unit as unit
    from sim.analysis.breakeven import breakeven as breakeven
    from sim.analysis.compare import compare as compare
    from sim.analysis.metagame import metagame as metagame
    from sim.analysis.sweep import sweep as sweep
    from sim.analysis.tournament import tournament as tournament
    from sim.analysis.tune import tune as tune
    from sim.errors import RunError as RunError
    from sim.errors import UsageError as UsageError
    from sim.play import run as run
    from sim.report.balance_report import balance as balance
    from sim.result import Result as Result
    from sim.result import load as load
    from sim.strategies import strategy as strategy

#: name -> module; loaded on first use, so that `import sim` and `nullsim --help` cost nothing
_HOMES = {
    "run": "sim.play",
    "compare": "sim.analysis.compare",
    "sweep": "sim.analysis.sweep",
    "breakeven": "sim.analysis.breakeven",
    "load": "sim.result",
    "tune": "sim.analysis.tune",
    "tournament": "sim.analysis.tournament",
    "metagame": "sim.analysis.metagame",
    "balance": "sim.report.balance_report",
    "Result": "sim.result",
    "strategy": "sim.strategies",
    "UsageError": "sim.errors",
    "RunError": "sim.errors",
    "below": "kernels.strategy",
    "unit": "kernels.strategy",
    "param": "kernels.strategy",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sim' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
