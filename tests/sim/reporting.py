"""Small balance reports for the tests of their command and their pages."""

from tests.analysis.goldens import script

TINY = script("goldens").TINY
COMMON = ("balance", "null-nichtig", "--players", "3", "--strategies", "duck,solid", "--quiet")
AGAINST = ("--against", "no_trick_penalty=-10")


def small(patch):
    """Makes every report so small that it takes seconds."""
    for name in ("FULL", "QUICK"):
        patch.setattr(f"sim.analysis.balance.question.{name}", TINY)
