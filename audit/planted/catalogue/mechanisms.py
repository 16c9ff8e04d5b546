"""Bugs in mechanisms that choose, show or sum up."""

from __future__ import annotations

from functools import partial

from planted.mutant import Mutant

_mechanisms = partial(Mutant, family="mechanisms")

MECHANISMS = (
    _mechanisms(
        name="a category shows one row below its threshold",
        file="mechanisms/stability.py",
        old='"laplace", scale) >= threshold',
        new='"laplace", scale) >= threshold - 1',
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
        old="np.where((counts >= 1) & (noisy >= threshold), noisy, 0)",
        new="np.where(counts >= threshold, noisy, 0)",
        among="mechanisms/test_sparse.py",
        notices=("test_a_units_own_cells_show_as_often_as_charged_and_never_oftener[1-1.0-delta0]"),
    ),
    _mechanisms(
        name="a walk stops at a bar without noise",
        file="mechanisms/threshold.py",
        old="(bar,) = _draw_geometric(receipt, scale, 1)",
        new="(bar,) = (0,)",
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
        name="less is set aside than floats may err by",
        file="mechanisms/joint.py",
        old="ROUNDING = Fraction(1, 2**22)",
        new="ROUNDING = Fraction(1, 2**60)",
        among="mechanisms/test_constants.py",
        notices="test_what_is_set_aside_pays_for_floats_and_for_what_is_left_out[6]",
    ),
    _mechanisms(
        name="the uniform draw is too rare to hide what is left out",
        file="mechanisms/joint.py",
        old="UNIFORM = 2**64",
        new="UNIFORM = 2**80",
        among="mechanisms/test_constants.py",
        notices="test_each_sequence_left_out_is_hidden_below_the_uniform_draw[1]",
    ),
    _mechanisms(
        name="sums have more terms than is paid for",
        file="mechanisms/joint.py",
        old="MOST_CELLS = 2**22",
        new="MOST_CELLS = 2**30",
        among="mechanisms/test_constants.py",
        notices="test_what_is_set_aside_pays_for_floats_and_for_what_is_left_out[1]",
    ),
    _mechanisms(
        name="an ε is used that weighs all sequences to nothing",
        file="mechanisms/joint.py",
        old="LARGEST_EPSILON = 64",
        new="LARGEST_EPSILON = 640",
        among="mechanisms/test_constants.py",
        notices="test_each_sequence_left_out_is_hidden_below_the_uniform_draw[6]",
    ),
    _mechanisms(
        name="so many levels are drawn together that their weights leave floats",
        file="mechanisms/joint.py",
        old="MOST_LEVELS = 6",
        new="MOST_LEVELS = 12",
        among="mechanisms/test_constants.py",
        notices="test_weights_that_count_stay_within_the_range_of_floats[12]",
    ),
    _mechanisms(
        name="ranks are gathered less far than the uniform draw hides",
        file="mechanisms/ranks/paths.py",
        old="return 38 + 24 * levels",
        new="return 30 + 24 * levels",
        among="mechanisms/test_constants.py",
        notices="test_each_sequence_left_out_is_hidden_below_the_uniform_draw[1]",
    ),
    _mechanisms(
        name="sizes are tried less far than the uniform draw hides",
        file="mechanisms/ranks/paths.py",
        old="return 17 + 12 * levels",
        new="return 15 + 12 * levels",
        among="mechanisms/test_constants.py",
        notices="test_each_sequence_left_out_is_hidden_below_the_uniform_draw[1]",
    ),
    _mechanisms(
        name="a cell holds so many units that no rank is near a target",
        file="mechanisms/ranks/profile.py",
        old="MOST_UNITS = 2**36",
        new="MOST_UNITS = 2**40",
        among="mechanisms/test_constants.py",
        notices="test_each_sequence_left_out_is_hidden_below_the_uniform_draw[3]",
    ),
    _mechanisms(
        name="the rounding of a heavy cell's ranks is not lifted",
        file="mechanisms/ranks/profile.py",
        old="ROUNDING = 2.0**-48",
        new="ROUNDING = 0.0",
        among="mechanisms/test_constants.py",
        notices="test_ranks_of_a_heavy_cell_lie_within_the_span_that_is_lifted",
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
        file="mechanisms/ranks/paths.py",
        old="if chance.draw_bernoulli_exp(rates[1] * penalty - proposed):",
        new="if chance.draw_bernoulli_exp(0.0 * penalty):",
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
        old="self._check([*self._asked, NoisySquares(levels, codes, nothing, scale)])",
        new="self._check([NoisySquares(levels, codes, nothing, scale)])",
        among="mechanisms/test_survey.py",
        notices="test_a_survey_asks_for_its_squares_and_a_refused_ask_for_nothing",
    ),
    _mechanisms(
        name="a replaced row moves the bins as far as one that is added",
        file="mechanisms/partition.py",
        old="l1 = 2 * exact.l1 if replaced else exact.l1",
        new="l1 = exact.l1",
        among="mechanisms/test_partition.py",
        notices="test_a_row_that_is_replaced_moves_the_bins_by_what_they_carry",
    ),
    _mechanisms(
        name="bins forget how much one person weighs",
        file="mechanisms/partition.py",
        old="return Exact(l1, l1**2, exact.step, _values=bins)",
        new="return Exact(1, 1, exact.step, _values=bins)",
        among="mechanisms/test_partition.py",
        notices="test_the_answer_keeps_what_one_unit_can_do",
    ),
    _mechanisms(
        name="a cell lies in the bins on both of its sides",
        file="mechanisms/partition.py",
        old="sums[filled] = _sum_in_halves(row, places[filled])",
        new=(
            "sums[filled] = _sum_in_halves(row, places[filled]) + "
            "row[np.maximum(places[filled] - 1, 0)]"
        ),
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
    _mechanisms(
        name="a meter forgets what was paid before",
        file="mechanisms/meter.py",
        old="self._spent = spent = self._spent + cost",
        new="self._spent = spent = cost",
        among="mechanisms/test_meter.py",
        notices="test_payments_add_up_to_the_last_fraction",
    ),
    _mechanisms(
        name="noise is drawn first and paid for afterwards",
        file="mechanisms/laplace.py",
        old="""
    receipt = meter.pay(Cost.laplace(Fraction(exact.l1) / Fraction(scale), exact.l1))
    noisy = add_noise(receipt, exact.reveal(), "laplace", scale)
""",
        new="""
    noisy = add_noise(meter.pay(Cost.nothing()), exact.reveal(), "laplace", scale)
    meter.pay(Cost.laplace(Fraction(exact.l1) / Fraction(scale), exact.l1))
""",
        among="mechanisms/test_meter.py",
        notices="test_a_mechanism_pays_before_it_draws[laplace]",
    ),
    _mechanisms(
        name="a meter does not look at the order that the ledger counts at",
        file="mechanisms/meter.py",
        old="if not spent.within(self._limit, self._order):",
        new="if not spent.within(self._limit):",
        among="mechanisms/test_meter.py",
        notices="test_what_diverges_by_more_at_the_order_of_the_ledger_is_refused",
    ),
    _mechanisms(
        name="a meter stays open after its release",
        file="mechanisms/meter.py",
        old="self._open = False",
        new="self._open = bool(self._limit)",
        among="mechanisms/test_meter.py",
        notices="test_a_meter_is_open_in_its_block_and_no_longer",
    ),
    _mechanisms(
        name="a receipt is used in another process than the one that paid",
        file="mechanisms/meter.py",
        old="if os.getpid() != process:",
        new="if os.getpid() < 0:",
        among="mechanisms/test_meter.py",
        notices="test_a_forked_process_cannot_pay_or_draw",
    ),
    _mechanisms(
        name="surveys of several groups pay for none",
        file="mechanisms/survey.py",
        old="""
    receipt = meter.pay(_Noise(family, exact.l1).cost(price))
    return [Survey(
""".rstrip("\n"),
        new="""
    receipt = meter.pay(Cost.nothing())
    return [Survey(
""".rstrip("\n"),
        among="mechanisms/test_meter.py",
        notices="test_surveys_of_all_groups_cost_what_one_costs",
    ),
    _mechanisms(
        name="one draw is continued as often as one likes",
        file="mechanisms/gradual.py",
        old="first, self._taken = not self._taken, True",
        new="first = True",
        among="mechanisms/test_gradual.py",
        notices="test_noise_is_continued_once_and_paid_before_it_is_drawn",
    ),
    _mechanisms(
        name="a continued draw is too seldom the same as the first",
        file="mechanisms/gradual.py",
        old="if chance.draw_geometric(self._inward) <= chance.draw_geometric(self._twice):",
        new="if chance.draw_geometric(self._inward) >= 0:",
        among="mechanisms/test_gradual.py",
        notices="test_the_second_noise_is_laplace_noise_of_its_scale",
    ),
    _mechanisms(
        name="noise is continued where divergences are counted",
        file="session.py",
        old="return Refinement(release, known.unfinished if pure else None)",
        new="return Refinement(release, known.unfinished)",
        among="test_refine.py",
        notices="test_a_ledger_that_counts_divergences_does_not_continue_noise",
    ),
    _mechanisms(
        name="intervals reach into the line of the next group",
        file="mechanisms/survey.py",
        old="((last.first >= 0) & (last.first < last.end) & (last.end <= self._cells)).all()",
        new="((last.first >= 0) & (last.first < last.end)).all()",
        among="mechanisms/test_intervals.py",
        notices="test_intervals_that_overlap_or_leave_their_line_are_refused[first3-end3]",
    ),
    _mechanisms(
        name="a line forgets what it was asked before",
        file="mechanisms/survey.py",
        old="self._check([*self._asked, NoisyIntervals(starts, ends, nothing, scale)])",
        new="self._check([NoisyIntervals(starts, ends, nothing, scale)])",
        among="mechanisms/test_intervals.py",
        notices="test_the_price_is_that_of_the_dearest_cell",
    ),
)
