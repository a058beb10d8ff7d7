"""alpha-rank: how much of the time a population is made of each strategy when better mutants take over."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special  # type: ignore[import-untyped,unused-ignore]
from scipy.stats import hypergeom  # type: ignore[import-untyped,unused-ignore]

from sim.analysis.symmetric import Floats, Shape

POPULATION = 50
#: the sweep for the limit of strong selection ends when no mass changes by more than this between doublings
SETTLED = 1e-4


def log_fixation(shape: Shape, tables: Floats, alpha: float, population: int = POPULATION) -> Floats:
    """(..., K, K): log chance that one mutant (column) takes over a population of residents (row); diagonal 0.

    tables (..., K, M). Tables of n are drawn without replacement from the population; of a mutant and a resident the
    one that earns f copies the other's place in proportion to exp(alpha f), which gives
    1 / (1 + sum_j exp(-alpha sum_{i<=j} (f_mutant(i) - f_resident(i)))) (Omidshafiei et al., Scientific Reports 9,
    2019, for pairs; Gokhale and Traulsen, PNAS 107, 2010, for n players).
    """
    if population < shape.players:
        raise ValueError(f"a population of {population} cannot fill a table of {shape.players}")
    k, n = shape.strategies, shape.players
    mutants = np.arange(1, population)[:, None]
    met = np.arange(n)[None, :]
    by_mutant = hypergeom.pmf(met, population - 1, mutants - 1, n - 1)
    by_resident = hypergeom.pmf(met, population - 1, mutants, n - 1)
    out = np.zeros((*tables.shape[:-2], k, k))
    for resident in range(k):
        for mutant in range(k):
            if mutant != resident:
                high, low = shape.duel(tables, mutant, resident)
                lead = high @ by_mutant.T - low @ by_resident.T
                terms = -alpha * np.cumsum(lead, axis=-1)
                none = np.zeros((*terms.shape[:-1], 1))
                out[..., resident, mutant] = -special.logsumexp(np.concatenate([none, terms], axis=-1), axis=-1)
    return out


def stationary(log_rates: Floats) -> Floats:
    """(..., K): stationary distribution of chains with off-diagonal log rates (..., K, K).

    Grassmann, Taksar and Heyman's elimination (Operations Research 33, 1985): no subtraction, hence done on
    logarithms and exact for rates of any size.
    """
    rates = np.array(log_rates)
    k = rates.shape[-1]
    for last in range(k - 1, 0, -1):
        away = special.logsumexp(rates[..., last, :last], axis=-1)
        rates[..., :last, last] -= away[..., None]
        detour = rates[..., :last, last, None] + rates[..., last, None, :last]
        rates[..., :last, :last] = np.logaddexp(rates[..., :last, :last], detour)
    mass = np.zeros(rates.shape[:-1])
    for state in range(1, k):
        mass[..., state] = special.logsumexp(mass[..., :state] + rates[..., :state, state], axis=-1)
    return np.asarray(np.exp(mass - special.logsumexp(mass, axis=-1, keepdims=True)))


def masses(shape: Shape, tables: Floats, alpha: float, population: int = POPULATION) -> Floats:
    """(..., K): alpha-rank masses: the stationary distribution of a population that meets rare single mutants."""
    if shape.strategies == 1:
        return np.ones((*tables.shape[:-2], 1))
    return stationary(log_fixation(shape, tables, alpha, population))


def settle(shape: Shape, table: Floats, population: int = POPULATION) -> tuple[float, bool]:
    """The selection strength from which on the masses of one table (K, M) stay as they are, and whether they do.

    Doubled from 1 / range of payoffs until three doublings change no mass by more than SETTLED, at most 40 times.
    """
    width = float(np.ptp(table))
    if width <= 0:
        return 1.0, True
    alpha, before, calm = 1 / width, masses(shape, table, 1 / width, population), 0
    for _ in range(40):
        after = masses(shape, table, 2 * alpha, population)
        calm = calm + 1 if np.abs(after - before).max() <= SETTLED else 0
        if calm == 3:
            return alpha / 2, True  # the strength at the start of the three doublings is alpha / 4
        alpha, before = 2 * alpha, after
    return alpha, False


def transitions(shape: Shape, table: Floats, alpha: float, population: int = POPULATION) -> NDArray[np.float64]:
    """(K, K): chance of each replacement per mutant that appears, rows summing to 1."""
    k = shape.strategies
    out = np.exp(log_fixation(shape, table, alpha, population)) / max(1, k - 1)
    np.fill_diagonal(out, 0.0)
    np.fill_diagonal(out, 1 - out.sum(axis=1))
    return np.asarray(out)
