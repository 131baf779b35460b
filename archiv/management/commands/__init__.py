"""The commands of archiv as a whole."""
