"""What tests of several files share."""

import sys

import pytest


@pytest.fixture
def run(monkeypatch, tmp_path, capsys):
    """Runs a command in an empty folder: (exit code, stdout, stderr)."""
    from sim import cli

    monkeypatch.chdir(tmp_path)

    def at(*words):
        monkeypatch.setattr(sys, "argv", ["nullsim", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        out = capsys.readouterr()
        return stop.value.code, out.out, out.err

    return at


@pytest.fixture(scope="session")
def report(tmp_path_factory):
    """The folder of a small balance report with a second variant."""
    from sim import cli
    from tests.sim.reporting import AGAINST, COMMON, small

    path = tmp_path_factory.mktemp("balance") / "report"
    with pytest.MonkeyPatch.context() as patch:
        small(patch)
        patch.setattr(sys, "argv", ["nullsim", *COMMON, *AGAINST, "--out", str(path)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
    assert stop.value.code == 0
    return path
