"""Monte Carlo simulator of card games."""
