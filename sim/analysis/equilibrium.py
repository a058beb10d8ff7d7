"""Symmetric mixed equilibria of symmetric n-player games: one by following the logit path, all by supports.

An equilibrium is a mix p such that no strategy earns more than p does against n-1 opponents who play p. A symmetric
game always has one (Nash, Annals of Mathematics 54, 1951); it may have many.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sim.analysis.symmetric import Floats, Shape

#: regret of an accepted equilibrium, as a share of the range of payoffs
TOLERANCE = 1e-9
#: at these precisions (times the range of payoffs) the path is asked whether its end can be told
MILESTONES = (1e3, 1e4, 1e5, 1e6, 1e8)
#: the longest steps along a path: in the logarithm of the precision, and in a share of the mix
_LEAP_PRECISION, _LEAP_MIX = 0.5, 0.05
_STEPS = 1500


def logit_equilibria(shape: Shape, tables: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """The equilibrium at the end of each table's logit path: mixes (D, K) and whether it was reached (D,).

    tables (D, K, M), finite. The path begins with the uniform mix and consists of the fixed points of
    p = softmax(precision * payoffs(p)) as the precision grows from 0 without bound; its limit is unique for almost
    every game and selects one equilibrium (McKelvey and Palfrey, Games and Economic Behavior 10, 1995; Turocy, 51,
    2005). Followed by predictor and corrector along its arc, so that it may turn back; at each milestone Newton's
    method finds the equilibrium with the same strategies in use. Strategies with equal payoffs share equally. Where
    the path gets stuck the equilibrium nearest to its last point is taken.
    """
    tables, scale = _scaled(tables)
    mixes = np.full(tables.shape[:2], 1 / shape.strategies)
    found = scale <= 0  # all payoffs equal: the uniform mix, like every other, is an equilibrium
    left = np.flatnonzero(~found)
    path = _Path(shape, tables[left])
    for goal in MILESTONES:
        path.advance(np.log(goal))
        ends, good = polish(shape, path.tables, path.mixes())
        done = good & (path.position >= np.log(goal))
        mixes[left[done]], found[left[done]] = ends[done], True
        left = left[~done]
        path.keep(~done)
        if not left.size:
            return mixes, found
    mixes[left] = path.mixes()
    rng = np.random.default_rng(1)
    for one in left:
        others = np.array([e.mix for e in all_equilibria(shape, tables[one], rng, starts=16)])
        if len(others):
            mixes[one] = others[np.abs(others - mixes[one]).max(axis=1).argmin()]
            found[one] = True
    return mixes, found


def _scaled(tables: Floats) -> tuple[Floats, Floats]:
    """Tables with payoffs in [0, 1], and their ranges (D,)."""
    low = tables.min(axis=(1, 2))
    scale = tables.max(axis=(1, 2)) - low
    safe = np.where(scale > 0, scale, 1.0)
    return (tables - low[:, None, None]) / safe[:, None, None], scale


def _softmax(y: Floats) -> Floats:
    raised = np.exp(y - y.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


class _Path:
    """Points (y, s) of the logit paths of D tables: p = softmax(y), precision exp(s), sum of y = 0."""

    def __init__(self, shape: Shape, tables: Floats) -> None:
        self.shape, self.tables = shape, tables
        count, k = tables.shape[0], shape.strategies
        self.x = np.zeros((count, k + 1))
        self.x[:, -1] = np.log(1e-4)
        self.step = np.full(count, 0.5)
        self.tangent = np.zeros((count, k + 1))
        self.tangent[:, -1] = 1.0
        self.dead = np.zeros(count, bool)

    @property
    def position(self) -> Floats:
        """The logarithm of the precision reached."""
        return self.x[:, -1]

    def mixes(self) -> Floats:
        return self.mix_at(self.x)

    @staticmethod
    def mix_at(x: Floats) -> Floats:
        return _softmax(x[:, :-1])

    def keep(self, chosen: NDArray[np.bool_]) -> None:
        for name in ("tables", "x", "step", "tangent", "dead"):
            setattr(self, name, getattr(self, name)[chosen])

    def _system(self, x: Floats, who: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Residuals (A, K) and derivatives (A, K, K+1) of y - exp(s) (payoffs - their mean)."""
        y, precision = x[:, :-1], np.exp(np.minimum(x[:, -1], 60.0))[:, None]
        p, tables = _softmax(y), self.tables[who]
        value, slope = self.shape.payoffs(tables, p), self.shape.slopes(tables, p)
        pull = precision * (value - value.mean(axis=1, keepdims=True))
        spread = slope * p[:, None, :] - (slope @ p[..., None]) * p[:, None, :]  # slope (diag p - p p')
        bend = precision[..., None] * (spread - spread.mean(axis=1, keepdims=True))
        eye = np.eye(self.shape.strategies)
        return y - pull, np.concatenate([eye - bend, -pull[..., None]], axis=2)

    def advance(self, goal: float) -> None:
        """Follows every path until its log precision is at least `goal`, or it can be followed no further."""
        for _ in range(_STEPS):
            who = np.flatnonzero((self.position < goal) & ~self.dead)
            if not who.size:
                return
            self._one(who)

    def _one(self, who: NDArray[np.int64]) -> None:
        x, before = self.x[who], self.tangent[who]
        tangent = self._tangent(x, before, who)
        # no step so long that the precision or the mix could leap to another branch
        p = self.mix_at(x)
        drift = p * (tangent[:, :-1] - (p * tangent[:, :-1]).sum(axis=1, keepdims=True))
        pace = np.maximum(np.abs(tangent[:, -1]) / _LEAP_PRECISION, np.abs(drift).max(axis=1) / _LEAP_MIX)
        step = np.minimum(self.step[who], 1 / np.maximum(pace, 1e-12))[:, None]
        start = x + step * tangent
        new = start.copy()
        size = np.full(who.size, np.inf)
        for _ in range(6):
            residual, slope = self._system(new, who)
            wide = np.concatenate([slope, tangent[:, None, :]], axis=1)
            off = np.einsum("ak,ak->a", tangent, new - start)
            move = _solve(wide, np.concatenate([residual, off[:, None]], axis=1))
            new = new - move
            size = np.abs(move).max(axis=1) / (1 + np.abs(new).max(axis=1))
            if (size < 1e-10).all():
                break
        near = np.abs(new - start).max(axis=1) <= 0.5 * step[:, 0] + 1e-9
        good = np.isfinite(new).all(axis=1) & (size < 1e-7) & near & (new[:, -1] > np.log(1e-5))
        self.x[who[good]], self.tangent[who[good]] = new[good], tangent[good]
        self.step[who] = np.where(good, step[:, 0] * 1.6, step[:, 0] * 0.4)
        self.dead[who] |= self.step[who] < 1e-9

    def _tangent(self, x: Floats, before: Floats, who: NDArray[np.int64]) -> Floats:
        slope = self._system(x, who)[1]
        wide = np.concatenate([slope, before[:, None, :]], axis=1)
        goal = np.zeros(x.shape)
        goal[:, -1] = 1.0
        tangent = _solve(wide, goal)
        length = np.linalg.norm(tangent, axis=1, keepdims=True)
        good = np.isfinite(length) & (length > 0)
        return np.where(good, tangent / np.where(good, length, 1.0), before)


def _solve(matrices: Floats, right: Floats) -> Floats:
    """Solutions (A, N) of A systems; the shortest least-squares ones if any of them is singular."""
    try:
        return np.asarray(np.linalg.solve(matrices, right[..., None])[..., 0])
    except np.linalg.LinAlgError:
        return np.asarray((np.linalg.pinv(matrices) @ right[..., None])[..., 0])


def polish(shape: Shape, tables: Floats, mixes: Floats, cutoff: float = 1e-3) -> tuple[Floats, NDArray[np.bool_]]:
    """Equilibria near `mixes` (D, K) with the strategies of share >= `cutoff` in use, and which ones are (D,).

    Newton's method on equal payoffs within the support (the shortest step where that is singular). Accepted if all
    shares are >= 0 and the regret at most TOLERANCE; payoffs of `tables` (D, K, M) must span about 1.
    """
    used = mixes >= cutoff
    p = np.where(used, mixes, 0.0)
    p /= p.sum(axis=1, keepdims=True)
    count, k = p.shape
    identity = np.eye(k)
    for _ in range(12):
        # unknowns p and the common payoff v: payoffs(p) - v = 0 on the support, p = 0 off it, sum of p = 1
        value, slope = shape.payoffs(tables, p), shape.slopes(tables, p)
        common = (value * p).sum(axis=1)
        system = np.zeros((count, k + 1, k + 1))
        system[:, :k, :k] = np.where(used[:, :, None], slope, identity)
        system[:, :k, k] = np.where(used, -1.0, 0.0)
        system[:, k, :k] = 1.0
        right = np.zeros((count, k + 1))
        right[:, :k] = np.where(used, common[:, None] - value, -p)
        right[:, k] = 1 - p.sum(axis=1)
        move = (np.linalg.pinv(system, rcond=1e-11) @ right[..., None])[:, :k, 0]
        p = np.clip(p + np.clip(move, -0.5, 0.5), -1.0, 2.0)
        if np.abs(move).max(initial=0.0) < 1e-14:
            break
    inside = (p >= -1e-12).all(axis=1) & (np.abs(p.sum(axis=1) - 1) < 1e-9)
    p = np.clip(p, 0.0, None)
    p /= np.maximum(p.sum(axis=1, keepdims=True), 1e-300)
    return p, inside & (shape.regret(tables, p) <= TOLERANCE)


@dataclass(frozen=True)
class Equilibrium:
    """A symmetric equilibrium: shares (K,), what everybody then earns, and the best strategy's gain over it."""

    mix: tuple[float, ...]
    payoff: float
    regret: float


def entropy(mixes: Floats) -> Floats:
    """(...): -sum p log p in nats of mixes (..., K); exp of it is the effective number of strategies in use."""
    logs = np.log(np.where(mixes > 0, mixes, 1.0))
    return np.asarray(np.maximum(0.0, -(mixes * logs).sum(axis=-1)))


def at(shape: Shape, table: Floats, mix: Floats) -> Equilibrium:
    """An equilibrium's record from its mix."""
    value = shape.payoffs(table, mix)
    return Equilibrium(
        tuple(float(share) for share in mix), float(value @ mix), max(0.0, float(shape.regret(table, mix)))
    )


def all_equilibria(
    shape: Shape, table: Floats, rng: np.random.Generator, *, starts: int = 64, most: int = 1023
) -> tuple[Equilibrium, ...]:
    """The symmetric equilibria found by trying every support: `table` (K, M) finite.

    Two players: each support's linear equations have one solution, so that all equilibria of a nondegenerate game
    are found. More players: Newton's method from `starts` random mixes of each support, so that there may be more.
    At most `most` supports are tried, small ones first. Sorted by payoff, best first.
    """
    tables, scale = _scaled(table[None])
    k, found = shape.strategies, list[Floats]()
    if scale[0] <= 0:
        return (at(shape, table, np.full(k, 1 / k)),)
    supports = [chosen for size in range(1, k + 1) for chosen in combinations(range(k), size)]
    for chosen in supports[:most]:
        tries = 1 if len(chosen) == 1 or shape.players == 2 else starts
        mixes = np.zeros((tries, k))
        mixes[:, chosen] = 1 / len(chosen)
        if tries > 1:
            mixes[1:, chosen] = rng.dirichlet(np.ones(len(chosen)), size=tries - 1)
            mixes[:, chosen] = np.maximum(mixes[:, chosen], 1e-2)
            mixes /= mixes.sum(axis=1, keepdims=True)
        ends, good = polish(shape, np.broadcast_to(tables, (tries, *tables.shape[1:])), mixes, cutoff=1e-9)
        for mix in ends[good]:
            if all(np.abs(mix - other).max() > 1e-6 for other in found):
                found.append(mix)
    return tuple(sorted((at(shape, table, mix) for mix in found), key=lambda e: (-e.payoff, e.mix)))
