"""What a run's results look like: tables of estimates, and one file per output format."""
