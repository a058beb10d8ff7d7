"""Does a penalty for taking no trick end the dodge in Null & Nichtig? The figures of the README.

One dodger (`duck`) among `solid` players, for every number of players, without and with the penalty, on the same cards.

    python scripts/no_trick_penalty.py [--blocks 50000] [--penalty -10] [--seed 1] [--field solid]
"""

from __future__ import annotations

import click
from tabulate import tabulate

import sim


@click.command()
@click.option("--blocks", default=50_000, show_default=True)
@click.option("--penalty", default=-10, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--field", default="solid", show_default=True, help="The strategy of the other seats.")
def main(blocks: int, penalty: int, seed: int, field: str) -> None:
    """Prints the dodger's win share and lead in points a game, in Markdown."""
    rows = []
    for players in (3, 4, 5, 6):
        for value in (0, penalty):
            result = sim.run(
                "null-nichtig",
                players=players,
                rules={"no_trick_penalty": value},
                strategies=["duck", *[field] * (players - 1)],
                blocks=blocks,
                seed=seed,
                record="none",
            )
            shares = result.win_shares().set_index("strategy").loc["duck"]
            lead = result.edges().query("strategy == 'duck' and metric == 'score'").iloc[0]
            trickless = result.metrics(names=["trickless_rate"]).set_index("strategy").loc["duck"]
            rows.append(
                [
                    players,
                    value,
                    f"{100 * shares.estimate:.2f} ±{50 * (shares.high - shares.low):.2f} %",
                    f"{100 / players:.2f} %",
                    f"{lead.estimate:+.2f} ±{(lead.high - lead.low) / 2:.2f}",
                    f"{100 * trickless.estimate:.1f} %",
                ]
            )
    print(
        tabulate(
            rows,
            headers=["players", "penalty", "dodger's win share", "fair share", "lead, points", "trickless rounds"],
            tablefmt="pipe",
            disable_numparse=True,
        )
    )


if __name__ == "__main__":
    main()
