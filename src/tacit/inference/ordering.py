"""The order in which factors are visited, so that what they read and write lies near in memory.

Messages go to variables all over memory, and far memory is slow. Where all beliefs together are
larger than a core's own cache, factors are sorted by the tile of memory that their last variable
lies in, and within a tile by the line of memory that their first one lies in: then one end stays in
cache and the other moves on steadily. It passes once for each tile, so there are no more tiles than
leave every pass a factor for each line of memory that it touches.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from tacit.graph import TableFactors
from tacit.graph.factor_graph import Ints
from tacit.inference.components import Components
from tacit.inference.kernels import components as kernel

TILE = 2**16  # log-odds of a tile: with what is added to them, as much as a core's own cache holds
LINE = 8  # log-odds of a line of memory


def visiting_order(block: TableFactors, n_odds: int, components: Components) -> Ints | None:
    """The order to visit the factors of a block in; None: as they lie.

    Components lie together, so that one that has settled is passed over as a whole, unless one
    component has nearly all the factors.
    """
    first, last = block.variables[:, 0], block.variables[:, -1]
    n_variables = len(components.of_variable)
    n_factors = np.zeros(len(components), dtype=np.int64)
    in_order = kernel.count_factors(first, components.of_variable, n_factors)
    if not in_order and n_factors.max(initial=0) <= 0.9 * len(block):
        return counting_order(components.of_variable[first], len(components))
    if n_odds <= TILE:
        return None
    n_tiles = max(1, min(-(-n_odds // TILE), LINE * len(block) // n_odds))
    by_line = counting_order(first // LINE, n_variables // LINE + 1)
    return tiled_order(by_line, last, n_variables, n_tiles)


@njit(cache=True)
def counting_order(keys: Ints, n_keys: int) -> Ints:
    """The places of keys from 0 to n_keys in ascending order, equal ones as they come."""
    place = np.zeros(n_keys + 1, dtype=np.int32)
    for i in range(len(keys)):
        place[keys[i] + 1] += 1
    for key in range(n_keys):
        place[key + 1] += place[key]
    order = np.empty(len(keys), dtype=np.int32)
    for i in range(len(keys)):
        order[place[keys[i]]] = i
        place[keys[i]] += 1
    return order


@njit(cache=True)
def tiled_order(order: Ints, last: Ints, n_variables: int, n_tiles: int) -> Ints:
    """Factors in a given order sorted by the tile of their last variable, else as they come."""
    place = np.zeros(n_tiles + 1, dtype=np.int64)
    for factor in order:
        place[last[factor] * n_tiles // n_variables + 1] += 1
    for tile in range(n_tiles):
        place[tile + 1] += place[tile]
    tiled = np.empty_like(order)
    for factor in order:
        tile = last[factor] * n_tiles // n_variables
        tiled[place[tile]] = factor
        place[tile] += 1
    return tiled
