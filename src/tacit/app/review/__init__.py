"""`tacit review`: the page where people answer."""
