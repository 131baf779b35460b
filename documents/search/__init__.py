"""Full-text search: what is asked (query), how words are compared (words), what is shown (excerpts).

Where the index lies is one module for each engine, behind the protocol in base.
"""
