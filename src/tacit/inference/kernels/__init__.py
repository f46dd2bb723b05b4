"""Kernels: arrays in, arrays out; one file for each kind of factor, two functions in each.

`sweep` updates the messages of some factors, `measure` reads off what they say in the end.
"""
