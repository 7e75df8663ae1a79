"""Random inputs for everything that reads what a stranger may have written. `scripts/fuzz SECONDS` runs all targets."""
