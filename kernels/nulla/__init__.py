"""Núlla (Flétta): chains of swaps through a row of unknown cards; the lowest sum wins."""
