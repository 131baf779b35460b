"""Reading originals in processes of their own: no database, no network, bare environment, limits.

`client.read_file` asks for one reader and gives back what it says, page by page; `sniff.sniff` tells
the type of a file from its first bytes. Everything else runs in the reader, and knows no Django.
"""
