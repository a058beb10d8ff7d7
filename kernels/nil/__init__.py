"""Nil: a hand of tricks that stops once everybody has taken one; who takes none is a nil."""
