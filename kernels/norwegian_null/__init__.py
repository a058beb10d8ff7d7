"""Null from Norway: low hands win rounds and shrink; the first empty hand wins the game."""
