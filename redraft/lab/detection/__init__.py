"""Error detection on the states of a model's encoder: spans that are decoded, and a gate for correct sentences."""
