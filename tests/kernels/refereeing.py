"""What the tests of the rules and referees share: fouls wanted, transcripts bent, decks dealt."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from kernels.options import OptionError
from kernels.transcript import Foul

Rounds = list[dict[str, Any]]
Path = tuple[Any, ...]

#: values of a wrong type or out of any range, wherever they stand
JUNK = ({"x": 1}, [[]], "XX", 1.5, True, None, -999, 10**6)

FRENCH = [suit + rank for suit in "CSHD" for rank in "A23456789TJQK"]


def foul(judge: Callable[..., Any], rules: Any, rounds: Rounds, problem: str, at: tuple[Any, Any]) -> None:
    """Assert that the referee rejects the rounds for this (a regular expression), at this round and move."""
    with pytest.raises(Foul, match=problem) as caught:
        judge(rules, rounds)
    assert (caught.value.round, caught.value.move) == at


def refused(complete: Callable[..., Any], key: str, **given: Any) -> OptionError:
    """Assert that the rules are refused because of `key`, in a message that names it."""
    with pytest.raises(OptionError) as caught:
        complete(given)
    assert caught.value.key == key
    assert key in str(caught.value)
    return caught.value


def bent(rounds: Rounds, *path: Any, to: Any) -> Rounds:
    """A copy of the rounds with the value at a path replaced."""
    rounds = copy.deepcopy(rounds)
    node: Any = rounds
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = to
    return rounds


def spoilt(rounds: Rounds) -> Iterator[tuple[Path, Any, Rounds]]:
    """The rounds with a value replaced by junk, a key removed or an unknown one added: all fouls."""
    for path, value in list(_nodes(rounds, ())):
        for junk in JUNK:
            kept = type(junk) is type(value) and junk == value
            if not kept and not (path[-1] == "replaces" and junk is None):
                yield path, junk, bent(rounds, *path, to=junk)
        if isinstance(value, dict):
            yield path, "an unknown key", bent(rounds, *path, "junk", to=1)
            for key in value.keys() - {"dealer", "scores"}:
                lacking = {other: item for other, item in value.items() if other != key}
                yield path, f"no {key}", bent(rounds, *path, to=lacking)


def _nodes(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if path:
        yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        # of a long list the first few items stand for all
        if not isinstance(key, int) or key < 5:
            yield from _nodes(item, (*path, key))


def all_spoilt_are_fouls(judge: Callable[..., Any], rules: Any, rounds: Rounds) -> None:
    """Assert that the referee takes the rounds, and answers every way of spoiling them with a foul."""
    judge(rules, rounds)
    tried = 0
    for path, junk, broken in spoilt(rounds):
        try:
            judge(rules, broken)
        except Foul as caught:  # the text of every kind of foul can be made
            assert str(caught)  # noqa: PT017
        else:
            pytest.fail(f"{path} spoilt by {junk!r} was taken")
        tried += 1
    assert tried > 50


def filled(pack: Sequence[str], wanted: Sequence[str], sizes: Sequence[int]) -> list[list[str]]:
    """The whole pack in lists of these sizes, each with its wanted cards ("CA CK") first."""
    lists = [text.split() for text in wanted]
    lists += [[] for _ in sizes[len(lists) :]]
    rest = list(pack)
    for card in (card for cards in lists for card in cards):
        rest.remove(card)
    for cards, size in zip(lists, sizes, strict=True):
        while len(cards) < size:
            cards.append(rest.pop(0))
    assert not rest
    return lists
