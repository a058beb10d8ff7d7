"""Options that several commands share: they look and mean the same everywhere."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

if TYPE_CHECKING:
    from sim.report.document import Document
    from sim.scenario import Scenario

F = TypeVar("F", bound=Callable[..., Any])


def scenario_options(command: F) -> F:
    """GAME and everything that makes a scenario, except how much to play."""
    for option in reversed(
        (
            click.argument("game", required=False),
            click.option("--players", type=int, metavar="N", help="Number of players."),
            click.option("--rule", "rules", multiple=True, metavar="KEY=VALUE", help="A rule option; repeatable."),
            click.option(
                "--strategies",
                metavar="A,B,...",
                help="One strategy per seat, or one for all: NAME, NAME:param=value;param=value or FILE.py:FUNCTION.",
            ),
            click.option("--seed", type=int, metavar="N", help="Seed of all random streams [default: 1]."),
            click.option(
                "--seatings",
                metavar="orbit|rotate|fixed",
                help="Arrangements of the line-up played on the same cards [default: orbit].",
            ),
            click.option(
                "--scenario",
                "file",
                type=click.Path(path_type=Path),
                metavar="FILE.toml",
                help="The same keys in a file; the command line wins over it.",
            ),
        )
    ):
        command = option(command)
    return command


def amount_options(command: F) -> F:
    """How much to play."""
    command = click.option("--games", type=int, metavar="N", help="At least so many games: whole blocks.")(command)
    return click.option(
        "--blocks", type=int, metavar="N", help="Blocks (shuffles played under every seating) [default: 10000]."
    )(command)


def target_options(command: F) -> F:
    """How precise a result is to be, in place of how much to play."""
    command = click.option("--max-blocks", type=int, metavar="N", help="The most to play then [default: 1000000].")(
        command
    )
    return click.option(
        "--target-error",
        type=float,
        metavar="X",
        help="Play until the interval, one that is valid at any time, has a half-width of at most X.",
    )(command)


def output_options(command: F) -> F:
    """Where a table goes and in which format."""
    return _output("text", "markdown", "csv", "json")(command)


def page_options(command: F) -> F:
    """As `output_options`, for what can also be a page of HTML."""
    return _output("text", "markdown", "csv", "json", "html")(command)


def output_option(command: F) -> F:
    """A file in place of stdout; one that cannot be written is refused before anything else is done."""

    def checked(context: click.Context, option: click.Parameter, output: Path | None) -> Path | None:
        check_output(output)
        return output

    return click.option(
        "--output",
        type=click.Path(path_type=Path),
        metavar="FILE",
        callback=checked,
        help="Write to a file instead of stdout.",
    )(command)


def _output(*kinds: str) -> Callable[[F], F]:
    def options(command: F) -> F:
        return click.option(
            "--format",
            "kind",
            type=click.Choice(kinds),
            default="text",
            show_default=True,
            help="Format of the tables.",
        )(output_option(command))

    return options


def level_option(what: str) -> Callable[[F], F]:
    """The level of `what`: intervals, bands, sets."""
    return click.option(
        "--level", type=float, default=0.95, show_default=True, metavar="P", help=f"Level of the {what}: 0.5 to 0.9999."
    )


def threads_option(command: F) -> F:
    """How many threads play."""
    return click.option("--threads", type=int, metavar="N", help="Threads [default: all cores].")(command)


def _checked_cache(cache: Path) -> Path:
    """Refuses a --cache that cannot be made, before anything is played."""
    from sim.errors import UsageError

    try:
        inside = next(place for place in (cache, *cache.parents) if place.exists())
    except OSError as error:
        raise UsageError(f"--cache: cannot write {cache}: {error.strerror}") from None
    if not inside.is_dir() or not os.access(inside, os.W_OK):
        raise UsageError(f"--cache: cannot write {cache}: a folder that may be written is expected")
    return cache


def cache_options(command: F) -> F:
    """Where the blocks of an analysis are kept; `cache` is None with --no-cache."""

    @wraps(command)
    def chosen(cache: Path, no_cache: bool, **rest: Any) -> Any:
        return command(cache=None if no_cache else _checked_cache(cache), **rest)

    for option in (
        click.option("--no-cache", is_flag=True, help="Keep no blocks and use none kept."),
        click.option(
            "--cache",
            type=click.Path(path_type=Path, file_okay=False),
            default=Path("results") / "cache",
            show_default=True,
            metavar="DIR",
            help="Where blocks once played are kept for the next question.",
        ),
    ):
        chosen = option(chosen)
    return cast(F, chosen)


@contextmanager
def interruptible(cache: Path | None) -> Iterator[None]:
    """Turns Ctrl-C into exit code 130 and says what is kept."""
    try:
        yield
    except KeyboardInterrupt:
        kept = f"the blocks played are kept in {cache}; the same command goes on" if cache else "nothing is kept"
        click.echo(f"nullsim: interrupted: {kept}", err=True)
        raise click.exceptions.Exit(130) from None


def pairs(items: tuple[str, ...], option: str = "--rule") -> dict[str, str]:
    """KEY=VALUE items as a dict. Raises a usage error for anything else and for a key given twice."""
    found: dict[str, str] = {}
    for item in items:
        key, equals, value = item.partition("=")
        if not equals or not key.strip():
            raise click.UsageError(f"{option} {item}: KEY=VALUE is expected")
        if key.strip() in found:
            raise click.UsageError(f"{option} {key.strip()} is given twice")
        found[key.strip()] = value.strip()
    return found


def make_scenario(game: str | None, rules: tuple[str, ...], file: Path | None, **given: Any) -> Scenario:
    """The scenario of a command line over the keys of its --scenario file."""
    from sim.scenario import scenario

    return scenario(**scenario_values(game, rules, file, **given))


def scenario_values(game: str | None, rules: tuple[str, ...], file: Path | None, **given: Any) -> dict[str, Any]:
    """The keys of a scenario, those of the command line over those of its --scenario file, not yet checked."""
    from sim.errors import UsageError
    from sim.scenario import read_toml

    values = read_toml(file) if file is not None else {}
    from_file = values.pop("rules", {})
    if not isinstance(from_file, dict):
        raise UsageError(f"scenario {file}: rules must be a table")
    given = {"game": game, **{key: value for key, value in given.items() if value is not None}}
    if given.get("game") is None:
        given.pop("game")
    if {"blocks", "games", "target_error", "max_blocks"} & set(given):
        kept = ("target_error",) if "max_blocks" in given else ()
        for key in {"blocks", "games", "target_error", "max_blocks"} - set(kept):
            values.pop(key, None)
    chosen = pairs(rules)
    if "players" in given:
        from_file.pop("players", None)
        values.pop("players", None)
    if "players" in chosen:
        values.pop("players", None)
    values = {**values, **given, "rules": {**from_file, **chosen}}
    if values.get("strategies") is not None and not values["strategies"]:
        raise UsageError("strategies: none is named; name one, or leave --strategies out")
    if "game" not in values:
        from sim.games import GAMES

        raise UsageError(f"game: which one? games: {', '.join(GAMES)}")
    return values


def known_values(values: dict[str, Any], *keys: str) -> dict[str, Any]:
    """The values of a scenario that a command takes: `keys`, besides `record`, which is left out. Raises
    `UsageError` for any other."""
    from sim.errors import UsageError

    for key in values:
        if key not in (*keys, "record"):
            raise UsageError(f"{key}: not taken here; keys: {', '.join(keys)}")
    return {key: value for key, value in values.items() if key in keys}


def emit(documents: list[Document], kind: str, output: Path | None) -> None:
    """Prints documents, or writes them to a file that appears only when whole."""
    from sim.report.formats import render

    write_text(render(documents, kind), output)


def emit_rows(title: str, rows: list[dict[str, Any]], kind: str, output: Path | None) -> None:
    """Prints plain rows, or writes them to a file, in a format other than text."""
    import pandas as pd

    from sim.report.document import Document, Table

    emit([Document(title, tables=[Table(title, pd.DataFrame(rows), [])])], kind, output)


def check_output(output: Path | None) -> None:
    """Refuses an --output that cannot be written, before anything is played for it."""
    from sim.errors import UsageError

    if output is None:
        return
    try:
        try:
            place, wrong = output, stat.S_ISDIR(output.stat().st_mode)
        except FileNotFoundError:
            place = Path(os.path.realpath(output)).parent
            wrong = not place.is_dir()
        if wrong:
            raise UsageError(f"--output: cannot write {output}: a file in an existing folder is expected")
        if not os.access(place, os.W_OK):
            raise UsageError(f"--output: cannot write {output}: {os.strerror(errno.EACCES)}")
    except OSError as error:
        raise UsageError(f"--output: cannot write {output}: {error.strerror}") from None


def folder_of(context: click.Context, option: click.Parameter, text: str | None) -> Path | None:
    """The folder that an option names; an empty name would be the working directory."""
    if text == "":
        raise click.UsageError(f"{option.name}: an empty name; allowed: the name of a folder")
    return Path(text) if text is not None else None


def keep_out(output: Path, folder: Path, names: Collection[str] | None = None) -> None:
    """Refuses an --output that would stand in a folder among what belongs there: under these names, or anywhere."""
    from sim.errors import UsageError

    place, home = Path(os.path.realpath(output)), Path(os.path.realpath(folder))
    if place.is_relative_to(home) and (names is None or place.relative_to(home).parts[:1] in {(one,) for one in names}):
        raise UsageError(f"--output: {output} belongs to {folder}; name another file")


def write_text(text: str, output: Path | None) -> None:
    """Prints text, or writes it to a file that appears only when whole; to a device or a pipe as it comes."""
    from sim.errors import RunError
    from sim.files import replacing

    if output is None:
        if sys.stdout is None:
            raise RunError("stdout is closed; --output FILE takes what would be printed")
        click.echo(text, nl=False)
        return
    check_output(output)
    try:
        if output.exists() and not output.is_file():  # nothing may take the place of a device
            output.write_text(text, encoding="utf-8")
            return
        target = Path(os.path.realpath(output))  # a link stays, and what it leads to is replaced
        with replacing(target) as fresh:
            fresh.write_text(text, encoding="utf-8")
            if target.exists():
                shutil.copymode(target, fresh)
    except OSError as error:
        raise RunError(f"--output: cannot write {output}: {error.strerror}") from None
