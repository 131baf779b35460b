"""Template tags of the pages that join several apps."""
