"""Bugs in mechanisms that choose, show or sum up."""

from __future__ import annotations

from functools import partial

from planted.mutant import Mutant

_mechanisms = partial(Mutant, family="mechanisms")

MECHANISMS = (
    _mechanisms(
        name="a category shows one row below its threshold",
        file="mechanisms/stability.py",
        old="found = noisy.values >= threshold",
        new="found = noisy.values >= threshold - 1",
        among="mechanisms/test_stability.py",
        notices=("test_no_neighbours_are_told_apart_by_more_than_epsilon_and_delta[1-1.0-delta0]"),
    ),
    _mechanisms(
        name="a person's rows all open one category",
        file="mechanisms/stability.py",
        old="Fraction(max(together, apart))",
        new="Fraction(together)",
        among="mechanisms/test_stability.py",
        notices="test_no_split_of_a_unit_is_worse_than_the_two_we_look_at[1-2.5-2]",
    ),
    _mechanisms(
        name="the true count and not the noisy one decides what is shown",
        file="mechanisms/sparse.py",
        old="shown = (counts >= 1) & (noisy.values >= threshold)",
        new="shown = counts >= threshold",
        among="mechanisms/test_sparse.py",
        notices=("test_a_units_own_cells_show_as_often_as_charged_and_never_oftener[1-1.0-delta0]"),
    ),
    _mechanisms(
        name="a walk stops at a bar without noise",
        file="mechanisms/threshold.py",
        old="(bar,), private = _geometric(scale, 1)",
        new="(bar, _), private = (0, 0), True",
        among="mechanisms/test_threshold.py",
        notices="test_simulated_walks_follow_the_enumerated_law[0--3-True]",
    ),
    _mechanisms(
        name="a walk forgets that the size of the group is private",
        file="mechanisms/threshold.py",
        old="return weight * (2 * parts if replace else parts + share)",
        new="return weight * (2 * parts if replace else parts)",
        among="mechanisms/test_threshold.py",
        notices="test_no_answer_tells_of_an_added_row_more_than_epsilon[1/4-1/2]",
    ),
    _mechanisms(
        name="a walk down and a walk up pass the same rungs",
        file="mechanisms/threshold.py",
        old="for weight in below[:upper]], scale)",
        new="for weight in below[:-1]], scale)",
        among="mechanisms/test_threshold.py",
        notices="test_both_ends_follow_the_enumerated_law[simulated]",
    ),
    _mechanisms(
        name="every depth of a tree takes all of ε",
        file="mechanisms/approx.py",
        old="part = epsilon / (depth * pair)",
        new="part = epsilon / pair",
        among="mechanisms/test_approx.py",
        notices="test_each_depth_costs_the_same_and_rho_is_the_sum_of_all",
    ),
    _mechanisms(
        name="a row replaced is charged as a row added",
        file="mechanisms/approx.py",
        old="len(levels).bit_length(), 1 if size is None else 2",
        new="len(levels).bit_length(), 1",
        among="mechanisms/test_approx.py",
        notices=(
            "test_epsilon_is_divided_among_depths_and_among_the_nodes_of_a_depth_that_a_row_touches"
        ),
    ),
    _mechanisms(
        name="the sensitivity of a score is halved",
        file="mechanisms/joint.py",
        old="even = float(epsilon / 2)",
        new="even = float(epsilon)",
        among="mechanisms/test_joint.py",
        notices="test_rates_are_epsilon_over_twice_the_sensitivity",
    ),
    _mechanisms(
        name="the rounding of floats is not paid for",
        file="mechanisms/joint.py",
        old="left = epsilon - ROUNDING * draws",
        new="left = epsilon",
        among="mechanisms/test_joint.py",
        notices="test_rounding_is_paid_for_in_every_group_a_unit_can_touch",
    ),
    _mechanisms(
        name="a place is taken without asking how likely it is",
        file="mechanisms/ranks/balance.py",
        old="if chance.survives(rates[1] * penalty - proposed):",
        new="if chance.survives(0.0 * penalty):",
        among="mechanisms/test_joint_law.py",
        notices="test_the_code_draws_what_the_table_of_weights_says[balanced]",
    ),
    _mechanisms(
        name="a person whose rows share a weight counts as so many units",
        file="mechanisms/ranks/profile.py",
        old="unit, rows = exact.l1, exact.reveal()",
        new="unit, rows = 1, exact.reveal()",
        among="mechanisms/test_ranks.py",
        notices="test_a_cell_holds_no_more_units_than_positions_can_tell_apart",
    ),
    _mechanisms(
        name="rows of a shared cell lie on both sides of a cut",
        file="mechanisms/ranks/profile.py",
        old="rest = self.counts[index : index + shared.size] - shared",
        new="rest = self.counts[index : index + shared.size]",
        among="mechanisms/test_approx.py",
        notices="test_the_code_grows_the_tree_that_was_enumerated",
    ),
    _mechanisms(
        name="of all that was asked along a path only the dearest counts",
        file="mechanisms/survey.py",
        old="""
            sum((price for bit, price in enumerate(prices) if asks_held >> bit & 1), Fraction(0))
""",
        new="""
            max((price for bit, price in enumerate(prices) if asks_held >> bit & 1), default=0)
""",
        among="mechanisms/test_survey.py",
        notices="test_a_survey_asks_for_its_squares_and_a_refused_ask_for_nothing",
    ),
    _mechanisms(
        name="a survey forgets what it was asked before",
        file="mechanisms/survey.py",
        old="self._check([*self._asked, Asked(levels, codes, nothing, scale)])",
        new="self._check([Asked(levels, codes, nothing, scale)])",
        among="mechanisms/test_survey.py",
        notices="test_a_survey_asks_for_its_squares_and_a_refused_ask_for_nothing",
    ),
    _mechanisms(
        name="bins forget how much one person weighs",
        file="mechanisms/partition.py",
        old="return Exact(exact.l1, exact.l1**2, exact.step, _values=bins)",
        new="return Exact(1, 1, exact.step, _values=bins)",
        among="mechanisms/test_partition.py",
        notices="test_the_answer_keeps_what_one_unit_can_do",
    ),
    _mechanisms(
        name="a cell lies in the bins on both of its sides",
        file="mechanisms/partition.py",
        old="sums[filled] = _sums(row, places[filled])",
        new=("sums[filled] = _sums(row, places[filled]) + row[np.maximum(places[filled] - 1, 0)]"),
        among="mechanisms/test_partition.py",
        notices="test_a_bin_holds_the_cells_from_its_start_to_the_next",
    ),
    _mechanisms(
        name="true numbers show in a repr",
        file="exact.py",
        old="step={self.step!r}, hidden)",
        new="step={self.step!r}, {self._reveal().values!r})",
        among="test_exact.py",
        notices="test_no_way_of_showing_it_shows_its_numbers[here-repr]",
    ),
)
