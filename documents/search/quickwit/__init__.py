"""Search by Quickwit: an index for each tenant, fed by the job `index-document`, asked over HTTP.

What is said of its interface is from its documentation: this never met a real one.
"""
