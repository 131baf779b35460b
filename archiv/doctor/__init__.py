"""The doctor: looks at everything an operator would look at, and says what to do."""
