"""`tacit bench`: how fast all this is here."""
