"""Gives slow shared machines their time."""

from hypothesis import settings

settings.register_profile("tacit", deadline=None)  # the first call of a kernel loads it
settings.load_profile("tacit")
