import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from sfumato.postprocess.quadtree import MeasuredRound, Quadtree, build_quadtree
from sfumato.postprocess.transport import minimise_transport

KINDS = st.sampled_from(["noise", "ties", "negative", "zero", "huge", "peaks"])


def drawn(generator, kind, size):
    """Return measurements of one sort or another."""
    match kind:
        case "ties":
            return generator.integers(-2, 5, size).astype(float)
        case "negative":
            return -generator.exponential(1, size)
        case "zero":
            return np.zeros(size)
        case "huge":
            return generator.laplace(0, 2.0**33, size)
        case "peaks":
            return generator.laplace(0, 1, size) + 50 * (generator.random(size) < 0.1)
        case _:
            return generator.laplace(1, 3, size)


def pyramid(generator, kind, levels, w) -> tuple[Quadtree, np.ndarray]:
    """Return a tree measured from level ⌊log₂ √w⌋ on, and which nodes were kept."""
    start = min(int(math.log2(math.sqrt(w))), levels)
    codes, rounds, chosen = np.arange(4**start), [], []
    for level in range(start, levels + 1):
        values = drawn(generator, kind, len(codes))
        rounds.append(
            MeasuredRound(np.full(len(codes), level), codes, values, rate=0.1 * (level + 1))
        )
        best = np.sort(codes[np.argsort(-values, kind="stable")[:w]])
        chosen += [(level, code) for code in best]
        codes = (4 * best[:, None] + np.arange(4)).ravel()
    tree = build_quadtree(rounds)
    nodes = zip(tree.level, tree.code, strict=True)
    return tree, np.array([node in set(chosen) for node in nodes])


def cost(tree, kept, levels, mass):
    """Return what a choice of masses costs."""
    measured = tree.rate.max(axis=0) > 0
    believed = np.where(kept, tree.value.sum(axis=0), 0.0)
    charged = measured | (tree.first < 0)
    terms = 2.0**-tree.level * abs(believed - mass)
    below = (2.0**-tree.level - 2.0**-levels) * mass
    return terms[charged].sum() + below[tree.leaves].sum()


def highs(tree, kept, levels):
    """Return the optimum by HiGHS, with one variable for the mass of each leaf."""
    above, column = tree.leaves, np.arange(len(tree.leaves))
    pairs = []
    while len(above):
        pairs.append((above, column))
        column, above = column[tree.parent[above] >= 0], tree.parent[above]
        above = above[above >= 0]
    rows, columns = (np.concatenate(each) for each in zip(*pairs, strict=True))
    sums = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)))
    charged = np.flatnonzero((tree.rate.max(axis=0) > 0) | (tree.first < 0))
    weight, unit = 2.0 ** -tree.level[charged], sparse.identity(len(charged))
    prices = 2.0 ** -tree.level[tree.leaves] - 2.0**-levels
    return linprog(
        np.concatenate([prices, weight, weight]),
        A_eq=sparse.hstack([sums[charged], unit, -unit]).tocsr(),
        b_eq=np.where(kept, tree.value.sum(axis=0), 0.0)[charged],
    ).fun


def published(tree, kept, levels):
    """Return the optimum of the program as the paper has it: all cells of all levels."""
    finest = np.arange(4**levels)
    start = int(tree.level[tree.rate.max(axis=0) > 0].min())
    rows, target = [], []
    for level in range(start, levels + 1):
        for code in range(4**level):
            node = np.flatnonzero((tree.level == level) & (tree.code == code) & kept)
            rows.append(2.0**-level * (finest >> 2 * (levels - level) == code))
            target.append(2.0**-level * tree.value[:, node].sum())
    rows, unit = np.array(rows), np.eye(len(rows))
    prices = np.concatenate([np.zeros(len(finest)), np.ones(2 * len(rows))])
    return linprog(prices, A_eq=np.hstack([rows, unit, -unit]), b_eq=target).fun


def optimum(tree, kept, levels):
    """Return the solver's optimum, to nine digits of it or of what was measured."""
    return pytest.approx(highs(tree, kept, levels), rel=1e-9, abs=1e-12 * abs(tree.value).max())


@given(st.integers(0, 2**32), KINDS, st.integers(0, 7), st.integers(1, 40))
def test_the_tree_solver_finds_the_optimum_of_highs(seed, kind, levels, w):
    tree, kept = pyramid(np.random.default_rng(seed), kind, levels, w)
    mass = minimise_transport(tree, kept, levels)
    assert cost(tree, kept, levels, mass) == optimum(tree, kept, levels)


@given(st.integers(0, 2**32), KINDS, st.integers(1, 7), st.integers(1, 40))
def test_inner_nodes_may_go_unmeasured(seed, kind, levels, w):
    generator = np.random.default_rng(seed)
    tree, kept = pyramid(generator, kind, levels, w)
    seen = (generator.random(tree.size) < 0.5) | (tree.first < 0)
    tree = replace(tree, value=tree.value * seen, rate=tree.rate * seen)
    mass = minimise_transport(tree, kept, levels)
    assert cost(tree, kept, levels, mass) == optimum(tree, kept, levels)


@settings(max_examples=25)
@given(st.integers(0, 2**32), KINDS, st.integers(0, 3), st.sampled_from([1, 3, 5, 20, 999]))
def test_leaves_and_kept_cells_are_all_the_published_program_needs(seed, kind, levels, w):
    tree, kept = pyramid(np.random.default_rng(seed), kind, levels, w)
    found = cost(tree, kept, levels, minimise_transport(tree, kept, levels))
    assert found == pytest.approx(published(tree, kept, levels), rel=1e-9)


@given(st.integers(0, 2**32), KINDS, st.integers(0, 7), st.integers(1, 40))
def test_masses_are_not_negative_and_quarters_add_up(seed, kind, levels, w):
    tree, kept = pyramid(np.random.default_rng(seed), kind, levels, w)
    mass = minimise_transport(tree, kept, levels)
    inner = np.flatnonzero(tree.first >= 0)
    quarters = mass[tree.first[inner][:, None] + np.arange(4)].sum(axis=1)
    assert (mass >= 0).all()
    assert mass[inner] == pytest.approx(quarters)


def test_measurements_that_agree_are_kept_as_they_are():
    levels, generator = 4, np.random.default_rng(6)
    finest = np.arange(4**levels)
    values = generator.random(4**levels)
    rounds = [
        MeasuredRound(
            np.full(4**level, level),
            np.arange(4**level),
            np.bincount(finest >> 2 * (levels - level), values),
            rate=1.0,
        )
        for level in range(2, levels + 1)
    ]
    tree = build_quadtree(rounds)
    mass = minimise_transport(tree, np.full(tree.size, True), levels)
    assert mass[tree.leaves] == pytest.approx(values)


def test_ties_are_shared_alike():
    above = MeasuredRound(np.array([0]), np.array([0]), np.array([8.0]), rate=1.0)
    quarters = MeasuredRound(np.full(4, 1), np.arange(4), np.zeros(4), rate=1.0)
    tree = build_quadtree([above, quarters])
    none_of_them = np.array([True, False, False, False, False])
    assert minimise_transport(tree, none_of_them, levels=1).tolist() == [8, 2, 2, 2, 2]


def test_cells_that_are_not_kept_are_taken_to_be_empty():
    quarters = MeasuredRound(np.full(4, 1), np.arange(4), np.array([9.0, 9, 9, 9]), rate=1.0)
    mass = minimise_transport(
        build_quadtree([quarters]), np.array([False, True, False, False, False]), levels=5
    )
    assert mass.tolist() == [9, 9, 0, 0, 0]


def test_the_least_noisy_measurement_of_a_node_counts():
    rough = MeasuredRound(np.array([0]), np.array([0]), np.array([50.0]), rate=0.1)
    fine = MeasuredRound(np.array([0]), np.array([0]), np.array([7.0]), rate=1.0)
    assert minimise_transport(
        build_quadtree([rough, fine]), np.array([True]), levels=0
    ).tolist() == [7]


def test_twenty_levels_are_solved_as_well():
    tree, kept = pyramid(np.random.default_rng(2), "peaks", 20, 20)
    mass = minimise_transport(tree, kept, 20)
    assert cost(tree, kept, 20, mass) == optimum(tree, kept, 20)
