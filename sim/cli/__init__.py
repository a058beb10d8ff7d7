"""The command line. Every command is one light file; what is heavy is imported inside its body."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from importlib import import_module
from typing import Any

import click

COMMANDS = (
    "games",
    "rules",
    "strategies",
    "run",
    "report",
    "replay",
    "referee",
    "bench",
    "compare",
    "sweep",
    "breakeven",
    "tournament",
    "tune",
    "metagame",
    "balance",
)


class Commands(click.Group):
    """The commands, each loaded when it is named, with errors shown as one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"sim.cli.{cmd_name}").command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"no command {args[0]}; commands: {', '.join(COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="nullsim")
def cli() -> None:
    """Monte Carlo simulation of five card games called "null".

    \b
    nullsim run null-nichtig --strategies duck,solid,solid,solid --rule no_trick_penalty=-10
    """


def main() -> None:
    """Entry point: runs the command and turns every expected failure into one line and an exit code."""
    from sim import interrupt
    from sim.cli import streams
    from sim.errors import RunError, UsageError

    streams.install()
    warnings.showwarning = _warn
    interrupt.install()
    code = 0
    try:
        result = cli.main(standalone_mode=False)
        code = result if isinstance(result, int) else 0  # click hands on the code of an `Exit`
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        code = 2
    except click.UsageError as error:
        code = _fail(error.format_message(), 2)
    except click.ClickException as error:
        code = _fail(error.format_message(), error.exit_code)
    except UsageError as error:
        code = _fail(str(error), 2)
    except RunError as error:
        code = _fail(str(error), 1)
    except (click.Abort, KeyboardInterrupt):
        code = _fail("interrupted", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except OSError as error:
        long = error.errno == errno.ENAMETOOLONG  # such a name was typed
        code = _fail(f"{error.filename or 'output'}: {error.strerror or error}", 2 if long else 1)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = _fail(f"output: {error.strerror}", 1) if not isinstance(error, BrokenPipeError) else 1
    sys.exit(code)


def _fail(message: str, code: int) -> int:
    if sys.stderr is not None:  # print would fall back on stdout
        print(f"nullsim: {' '.join(message.split())}", file=sys.stderr)
    return code


def _warn(message: Warning | str, *rest: Any, **more: Any) -> None:
    if sys.stderr is not None:
        print(f"nullsim: warning: {message}", file=sys.stderr)
