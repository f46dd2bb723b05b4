"""An LSTM along the edges of a graph without cycles (Peng et al., 2017), by hand and by level.

Node t reads x_t and, along each edge e from a node j to it, the state h_j. With a_e = h_j U_kind,
the message of edge e, by a matrix that depends on the edge's kind,

    i_t = sigmoid(z^i_t + sum_e a^i_e)      o_t = sigmoid(z^o_t + sum_e a^o_e)
    g_t = tanh(z^g_t + sum_e a^g_e)         f_e = sigmoid(z^f_t + a^f_e), one for each edge
    c_t = i_t g_t + sum_e f_e c_j           h_t = o_t tanh(c_t),

where z_t = W x_t + b is computed beforehand. A node with two edges adds up the cells of two others,
so that cells could double with every step of a long text; none gets beyond `MOST`.

All nodes of one level are computed at once. The gradient is written out below, because automatic
differentiation would go through the states of all levels once for each level.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from tacit.predictors.recurrent.edge_matrices import edge_matrices
from tacit.predictors.recurrent.graph_reading import Dag

MOST = 50.0  # a cell of 10 is as good as infinite to tanh


class Schedule:
    """A Dag on a device, and its levels as slices; see there what its arrays mean."""

    def __init__(self, dag: Dag, device: torch.device) -> None:
        self.source, self.target, self.kind, self.into, self.into_first, *outward = (
            torch.tensor(array, device=device) for array in dag.arrays()
        )
        self.out_of, self.out_first = outward
        self.nodes = _slices(dag.node_first)  # of each level
        self.edges = _slices(dag.edge_first)  # to each level
        self.outs = _slices(dag.out_bound)  # of `out_of`, for each level


def dag_lstm(z: Tensor, schedule: Schedule, *parameters: Tensor) -> Tensor:
    """(nodes, size): the state of each node.

    `parameters` are the weight of each kind of edge (kinds, size, 4 size), or a mix (kinds, b) and
    bases (b, size, 4 size); see `edge_matrices`. These and z (nodes, 4 size) have the parts of i,
    o, g and f, in this order.
    """
    states: Tensor = _DagLSTM.apply(z, schedule, *parameters)  # type: ignore[no-untyped-call]
    return states


class _DagLSTM(torch.autograd.Function):
    """The equations at the head of this file, and their derivatives; d_x is the slope of x."""

    @staticmethod
    def forward(ctx: Any, z: Tensor, schedule: Schedule, *parameters: Tensor) -> Tensor:
        size, matrices = z.shape[1] // 4, edge_matrices(schedule.kind, parameters)
        gates, z_f = z[:, : 3 * size].clone(), z[:, 3 * size :]
        h, c = z.new_empty(len(z), size), z.new_zeros(len(z), size)
        forget = z.new_empty(len(schedule.source), size)
        for nodes, edges in zip(schedule.nodes, schedule.edges, strict=True):
            gate, cell = gates[nodes], c[nodes]
            if edges.start < edges.stop:
                source, to = schedule.source[edges], schedule.target[edges]
                said = matrices.times(h.index_select(0, source), edges)
                f = torch.add(z_f[nodes].index_select(0, to), said[:, 3 * size :]).sigmoid_()
                forget[edges] = f
                torch.mul(f, c.index_select(0, source), out=said[:, 3 * size :])
                came = _summed(said, schedule.into[edges], schedule.into_first[nodes])
                gate += came[:, : 3 * size]
                cell += came[:, 3 * size :]
            gate[:, : 2 * size].sigmoid_()
            gate[:, 2 * size :].tanh_()
            i, o, g = gate.chunk(3, dim=1)
            cell.addcmul_(i, g).clamp_(-MOST, MOST)
            torch.mul(o, cell.tanh(), out=h[nodes])
        ctx.save_for_backward(h, *parameters)
        ctx.kept = (schedule, c, gates, forget)
        return h

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, ...]:
        (h, *parameters), (schedule, c, gates, forget) = ctx.saved_tensors, ctx.kept
        size, matrices = h.shape[1], edge_matrices(schedule.kind, parameters)
        c_by_h, z_by_gate = _local_slopes(c, gates)
        moves = (c.abs() < MOST).to(c.dtype)
        f_by_c = c.index_select(0, schedule.source) * forget * (1 - forget)
        d_z, d_said = h.new_zeros(len(h), 4 * size), h.new_empty(len(forget), 4 * size)
        d_sent = h.new_empty(len(forget), 2 * size)  # of h and c, at the source of each edge
        for level in reversed(range(len(schedule.nodes))):
            nodes, edges, outs = schedule.nodes[level], schedule.edges[level], schedule.outs[level]
            came = _summed(d_sent, schedule.out_of[outs], schedule.out_first[nodes])
            d_h = came[:, :size] + slopes[0][nodes]
            d_c = torch.addcmul(came[:, size:], d_h, c_by_h[nodes]).mul_(moves[nodes])
            d_gates = d_z[nodes]
            torch.mul(torch.cat([d_c, d_h, d_c], 1), z_by_gate[nodes], out=d_gates[:, : 3 * size])
            if edges.start < edges.stop:
                to, members = schedule.target[edges], schedule.into[edges]
                d_a, d_to = d_said[edges], d_c.index_select(0, to)
                d_f = d_to * f_by_c[edges]
                torch.index_select(d_gates, 0, to, out=d_a)
                d_a[:, 3 * size :] = d_f
                d_gates[:, 3 * size :] = _summed(d_f, members, schedule.into_first[nodes])
                d_sent[edges, :size] = matrices.times_transposed(d_a, edges)
                torch.mul(d_to, forget[edges], out=d_sent[edges, size:])
        return d_z, None, *matrices.slopes(h.index_select(0, schedule.source), d_said)


def _local_slopes(c: Tensor, gates: Tensor) -> tuple[Tensor, Tensor]:
    """How c goes with h; and how i and g go with c, and o with h, all before their squashing."""
    i, o, g = gates.chunk(3, dim=1)
    squashed = c.tanh()
    z_by_gate = torch.cat([g * i * (1 - i), squashed * o * (1 - o), i * (1 - g * g)], dim=1)
    return o * (1 - squashed * squashed), z_by_gate


def _summed(rows: Tensor, members: Tensor, first: Tensor) -> Tensor:
    """Sums of rows by lists of members, each list beginning at its `first`; in a fixed order."""
    if not len(members):
        return rows.new_zeros(len(first), rows.shape[1])
    return F.embedding_bag(members, rows, first, mode="sum")


def _slices(first: list[int]) -> list[slice]:
    return [slice(begin, end) for begin, end in pairwise(first)]
