"""Null & Nichtig: tricks without following suit; the tops of the collected piles count."""
