"""The pages: a small server that shows questions, takes answers and draws what a run knows.

It reads and writes a ledger and reads a record; it never loads the data. Starlette is imported
when the first page module is.
"""
