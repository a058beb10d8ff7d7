"""The games themselves: rules, kernels, referees and strategies. No input, no output."""
