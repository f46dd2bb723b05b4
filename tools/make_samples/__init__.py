"""Makes the sample corpora that ship with tacit."""
