"""The top of archiv: settings, addresses, the database at hand, and what joins the apps."""
