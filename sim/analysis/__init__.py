"""Analyses of finished runs; they read results and know no kernels."""
