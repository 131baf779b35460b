"""The steps, one module each; none knows another."""
