"""Bugs in what charts plan, divide and measure."""

from __future__ import annotations

from functools import partial

from planted.mutant import Mutant

_charts = partial(Mutant, family="charts")

CHARTS = (
    _charts(
        name="each panel is measured by itself, and all are paid as one",
        file="charts/histogram.py",
        old="noisy = add_noise(meter, engine.counts(keys, plan.guarantee.unit), plan.noise)",
        new="""
        from dataclasses import replace
        for part in [] if plan.facets.col is None else plan.facets.col.categories.values:
            alone = replace(plan.facets.col, categories=Categories((part,)))
            add_noise(meter, engine.counts([alone, *keys[1:]], plan.guarantee.unit), plan.noise)
        noisy = add_noise(meter, engine.counts(keys, plan.guarantee.unit), plan.noise)
""".strip(),
        among="charts/test_facets.py",
        notices="test_a_chart_that_pays_once_and_measures_each_panel_is_withheld",
    ),
    _charts(
        name="rows are replaced among panels, whose sizes are not public",
        file="charts/quantiles.py",
        old="grouped = any(column is not None for column in (self.hue, self.col, self.row))",
        new="grouped = self.hue is not None",
        among="charts/test_facets.py",
        notices="test_rows_are_not_replaced_among_groups_or_panels[col]",
    ),
    _charts(
        name="categories that were chosen by their counts have intervals as if they were not",
        file="releases/histogram/figure.py",
        old="sure.pointwise.coverage) if view.choice is None else None",
        new="sure.pointwise.coverage)",
        among="releases/test_panels.py",
        notices="test_what_is_chosen_by_its_released_count_has_joint_intervals_alone",
    ),
    _charts(
        name="what cost more than was charged is published",
        file="mechanisms/meter.py",
        old="if not spent.within(self._limit, self._order):",
        new="if not spent.within(spent):",
        among="charts/test_histogram.py",
        notices="test_a_release_that_spent_more_than_was_charged_is_withheld",
    ),
    _charts(
        name="where to clip is found by true counts",
        file="charts/means/clipping.py",
        old="noisy = add_noise(meter, partition(exact, [starts.tolist()]), self.law).ravel()",
        new="noisy = partition(exact, [starts.tolist()]).reveal().ravel()",
        among="charts/test_means.py",
        notices="test_where_to_clip_follows_from_numbers_that_were_paid_for",
    ),
    _charts(
        name="walks that find where to clip cost nothing",
        file="charts/means/clipping.py",
        old="law, cost = counts.law(unit.weight), search.cost + counts.cost(unit.weight)",
        new="law, cost = counts.law(unit.weight), counts.cost(unit.weight)",
        among="charts/test_means.py",
        notices="test_a_budget_is_divided_among_the_search_and_the_sums",
    ),
    _charts(
        name="the bias of clipping is told as if noise hid nothing",
        file="postprocess/clip_choice.py",
        old="return seen + _HIDES * self.deviation * math.sqrt(float(away @ away))",
        new="return seen",
        among="charts/test_means.py",
        notices="test_the_range_of_the_bias_holds_what_clipping_does_to_the_mean[1.0-Pareto]",
    ),
    _charts(
        name="a search for where to clip is not taken from the budget of the sums",
        file="charts/means/chart.py",
        old="division = divide_budget(budget, asked, unit, taken=taken)",
        new="division = divide_budget(budget, asked, unit)",
        among="charts/test_means.py",
        notices="test_a_budget_is_divided_among_the_search_and_the_sums",
    ),
    _charts(
        name="intervals of means forget the noise on their counts",
        file="postprocess/noise_law.py",
        old="quantile, whole_radius = _quantiles(law, 2, level)",
        new="quantile, whole_radius = _quantiles(law, 1, level)",
        among="charts/test_means.py",
        notices="test_proportions_have_the_intervals_they_state[PrivacyUnit.rows()]",
    ),
    _charts(
        name="a search and the chart both spend the whole budget",
        file="charts/allocation.py",
        old="return BudgetDivision(whole, searches, whole.part(1 - share))",
        new="return BudgetDivision(whole, searches, whole)",
        among="charts/test_histogram.py",
        notices="test_searches_and_counts_spend_the_budget_and_no_more",
    ),
    _charts(
        name="the list of groups is read from the data",
        file="charts/allocation.py",
        old="values = sorted(read_value(label, kind) for label in found)",
        new="values = sorted(exact.reveal_labels())",
        among="charts/test_histogram.py",
        notices="test_found_categories_are_those_many_people_hold",
    ),
    _charts(
        name="bounds are read from the data",
        file="charts/values.py",
        old="""
        lower, upper = chosen[0].tolist()
""",
        new="""
        found = np.flatnonzero(exact.reveal()).tolist() or [0]
        lower, upper = found[0], found[-1]
""",
        among="charts/test_chart.py",
        notices=(
            "test_releases_of_any_tables_are_alike_where_mechanisms_answer_alike[boxplot "
            "searched-row]"
        ),
    ),
    _charts(
        name="the last bin holds one whole number more than all others",
        file="charts/axes.py",
        old="before, last = step / 2, bounds.upper + step / 2",
        new="before, last = 0.0, bounds.upper",
        among="charts/test_bins.py",
        notices="test_the_usual_bins_hold_one_two_five_or_ten_values[values0-24-edges0]",
    ),
    _charts(
        name="whole numbers lie anywhere between private bounds",
        file="charts/values.py",
        old="spacing = None if known.time else known.spacing",
        new="spacing = None",
        among="test_session.py",
        notices="test_a_search_for_bounds_of_whole_numbers_is_aligned_to_them",
    ),
    _charts(
        name="thresholds and Gaussian noise spend the same δ",
        file="privacy/share.py",
        old="kept = to_fraction(plain_above(thresholds))",
        new="kept = Fraction(0)",
        among="charts/test_histogram.py",
        notices="test_searches_and_counts_spend_the_budget_and_no_more",
    ),
    _charts(
        name="any mechanism may spend what an exponential one may",
        file="privacy/currency.py",
        old="return afford_pure(self.order, amount)",
        new="return afford_range(self.order, amount)",
        among="charts/test_portion.py",
        notices="test_under_a_delta_every_mechanism_diverges_by_the_same",
    ),
    _charts(
        name="counts of a boxplot get the whole budget",
        file="charts/boxplot/fence.py",
        old="laws = size.law(unit.weight), counts.law(unit.weight)",
        new="laws = size.law(unit.weight), whole.law(unit.weight)",
        among="charts/test_boxplot.py",
        notices="test_every_group_has_its_own_box",
    ),
    _charts(
        name="the number of rows of a box is taken exactly",
        file="charts/boxplot/fence.py",
        old="units = (sizes.ravel() * self.step).tolist()",
        new="units = (sum_groups(exact).reveal().ravel() * self.step).tolist()",
        among="charts/test_chart.py",
        notices=(
            "test_releases_of_any_tables_are_alike_where_mechanisms_answer_alike[boxplot fence-row]"
        ),
    ),
    _charts(
        name="a box is solid wherever the counts around it are many",
        file="postprocess/box.py",
        old="reliable = is_well_placed(counted, epsilon, size, size_noise)",
        new="reliable = float(counted.counts.sum()) * epsilon > 60",
        among="charts/test_boxplot_honesty.py",
        notices="test_solid_boxes_of_small_groups_are_right",
    ),
    _charts(
        name="the many empty places that a quartile may leave to are not thought of",
        file="postprocess/misplaced.py",
        old="explained(ranks) + _prior(counted, loss * epsilon / 2 * units, weight)",
        new="explained(ranks) - loss * epsilon / 2 * units",
        among="postprocess/test_misplaced.py",
        notices="test_quartiles_that_left_the_data_are_not[the third above]",
    ),
    _charts(
        name="a quartile among few values is as sure as one among many",
        file="postprocess/misplaced.py",
        old="if units < error.quartile_radius(level) + deviations * math.sqrt(variance):",
        new="if units < 0:",
        among="postprocess/test_misplaced.py",
        notices="test_a_quartile_among_the_few_beyond_the_middle_is_not_clear",
    ),
    _charts(
        name="noisy counts carry a quartile out of its box",
        file="postprocess/box.py",
        old="_FARTHEST = 0.25",
        new="_FARTHEST = 1e9",
        among="charts/test_boxplot_honesty.py",
        notices="test_noisy_counts_move_no_quartile_far_beyond_the_box",
    ),
    _charts(
        name="a caption claims what intervals hold only of values without ties",
        file="releases/boxplot/figure.py",
        old="if release.step is not None or release.coverage == 0:",
        new="if True:",
        among="charts/test_boxplot_honesty.py",
        notices=("test_where_ties_keep_intervals_from_holding_the_caption_says_on_what_they_rest"),
    ),
    _charts(
        name="outliers of a dashed box are taken for known",
        file="postprocess/box.py",
        old="IntervalEstimate.of(count.value, 0.0, units.high / 4) for count in (below, above)",
        new="count for count in (below, above)",
        among="charts/test_boxplot_honesty.py",
        notices="test_the_outliers_of_dashed_boxes_lie_in_their_intervals",
    ),
    _charts(
        name="a quartile at a bound that was found stays solid",
        file="charts/boxplot/plan.py",
        old="above = grid.bounds.upper < limits.upper and summary.high.q3 >= last",
        new="above = False",
        among="charts/test_boxplot_honesty.py",
        notices="test_a_quartile_at_a_bound_that_was_found_is_in_doubt",
    ),
    _charts(
        name="a wanted error forgets the groups it is wanted for",
        file="charts/chart.py",
        old="math.isinf(size) or plan.smallest_group <= size",
        new="math.isinf(size) or size > 0",
        among="charts/test_boxplot_honesty.py",
        notices="test_a_wanted_error_is_bought_for_groups_of_the_wanted_size",
    ),
    _charts(
        name="levels of minimum and maximum follow from the true number of rows",
        file="charts/boxplot/published.py",
        old="noisy_sizes = noisy.ravel() * self.step",
        new="noisy_sizes = sum_groups(exact).reveal().ravel() * self.step",
        among="charts/test_chart.py",
        notices=(
            "test_releases_of_any_tables_are_alike_where_mechanisms_answer_alike[boxplot "
            "jointexp-row]"
        ),
    ),
    _charts(
        name="each of several walks takes the whole budget",
        file="charts/ranks.py",
        old="epsilon = whole.part(Fraction(1, len(levels))).epsilon",
        new="epsilon = whole.epsilon",
        among="charts/test_quantiles.py",
        notices="test_a_delta_buys_a_choice_priced_by_the_range_of_its_losses[unbounded]",
    ),
    _charts(
        name="counts around quantiles get the whole budget",
        file="charts/ranks.py",
        old="laws = sizes.law(unit.weight), counts.law(unit.weight)",
        new="laws = sizes.law(unit.weight), whole.law(unit.weight)",
        among="charts/test_quantile_intervals.py",
        notices="test_choice_size_and_counts_spend_their_shares_and_no_more",
    ),
    _charts(
        name="the number of rows around quantiles is taken exactly",
        file="charts/ranks.py",
        old="return add_noise(meter, sum_groups(exact), self.size_law).ravel().tolist()",
        new="return sum_groups(exact).reveal().ravel().tolist()",
        among="charts/test_chart.py",
        notices=(
            "test_releases_of_any_tables_are_alike_where_mechanisms_answer_alike[quantiles "
            "joint-row]"
        ),
    ),
    _charts(
        name="a row that is replaced is taken to move one bin",
        file="charts/ranks.py",
        old="most = 2 * unit.weight",
        new="most = unit.weight",
        among="charts/test_quantile_intervals.py",
        notices="test_where_a_row_is_replaced_counts_get_noise_for_two_bins",
    ),
    _charts(
        name="a group of nobody has quantiles",
        file="postprocess/rank_interval.py",
        old="return bool(inside)",
        new="return True",
        among="postprocess/test_rank_interval.py",
        notices="test_a_group_of_nobody_and_of_few_is_not_told",
    ),
    _charts(
        name="intervals of quantiles forget half of the noise",
        file="postprocess/rank_interval.py",
        old="radius = np.sqrt(self.noise.variance * squares)",
        new="radius = np.sqrt(self.noise.variance / 4 * squares)",
        among="postprocess/test_rank_interval.py",
        notices="test_an_interval_holds_the_quantile_as_often_as_it_says",
    ),
    _charts(
        name="ties that noise hides are taken to be spread over their bin",
        file="postprocess/rank_interval.py",
        old="_EVEN = 0.7",
        new="_EVEN = 1.1",
        among="charts/test_quantile_intervals.py",
        notices="test_intervals_hold_with_ties_on_a_skewed_scale",
    ),
    _charts(
        name="ties are taken to be spread over their bin",
        file="postprocess/rank_interval.py",
        old="_EVEN = 0.7",
        new="_EVEN = 1e9",
        among="postprocess/test_rank_interval.py",
        notices="test_an_interval_holds_the_quantile_as_often_as_it_says",
    ),
    _charts(
        name="a search that found nothing passes for one that did",
        file="charts/values.py",
        old="found=upper > 0,",
        new="found=True,",
        among="charts/test_extent.py",
        notices="test_where_nothing_is_found_nothing_is_cut_off",
    ),
    _charts(
        name="a search for bounds has a tenth, whatever it needs",
        file="private_search.py",
        old="_USUAL, _FOR_BOUNDS = 0.1, 0.25",
        new="_USUAL, _FOR_BOUNDS = 0.1, 0.1",
        among="charts/test_extent.py",
        notices="test_a_search_takes_what_it_needs_to_succeed_wherever_quartiles_can_be_shown",
    ),
    _charts(
        name="the levels of a pyramid do not sum to the budget",
        file="charts/heatmap/published.py",
        old="return tuple(self.epsilon * part / sum(parts) for part in parts)",
        new="return tuple(self.epsilon * part for part in parts)",
        among="charts/test_heat_methods.py",
        notices="test_the_levels_of_a_pyramid_spend_epsilon_exactly",
    ),
    _charts(
        name="a map is refined where people are and not where they seem to be",
        file="charts/heatmap/adaptive.py",
        old="""
        expected = masses[tree.places(level, codes)] / unit
""",
        new="""
        finer = 2 * (plane.levels - level)
        truth = exact.reveal_between(codes << finer, (codes + 1) << finer)
        expected = truth * exact.step / unit
""",
        among="charts/test_heat_methods.py",
        notices="test_what_is_asked_follows_from_answers_and_not_from_the_data[adaptive]",
    ),
    _charts(
        name="the true total stands beside the map",
        file="charts/heatmap/chart.py",
        old="total=float(found.leaves.mass.sum()),",
        new="total=float(exact.reveal().sum() * exact.step),",
        among="charts/test_chart.py",
        notices=(
            "test_releases_of_any_tables_are_alike_where_mechanisms_answer_alike[heatmap "
            "adaptive-row]"
        ),
    ),
    _charts(
        name="true sums of outer products are released",
        file="charts/pca/analysis.py",
        old="matrix=tuple(noisy[np.triu_indices(moments.size)].tolist()),",
        new="matrix=tuple(exact.reveal()[np.triu_indices(moments.size)].tolist()),",
        among="charts/test_chart.py",
        notices=(
            "test_releases_of_any_tables_are_alike_where_mechanisms_answer_alike[components-row]"
        ),
    ),
    _charts(
        name="the median of every column takes the share of all",
        file="charts/pca/analysis.py",
        old="epsilon = portion.part(each).choice",
        new="epsilon = portion.choice",
        among="charts/test_pca.py",
        notices="test_what_is_spent_is_what_was_planned",
    ),
    _charts(
        name="rows are cut at the length of the longest",
        file="charts/pca/analysis.py",
        old="""
        return key.edges[self.choose(meter, exact, key.cells) + 1]
""",
        new="""
        self.choose(meter, exact, key.cells)
        return key.edges[int(np.flatnonzero(exact.reveal()).max()) + 1]
""",
        among="charts/test_chart.py",
        notices=(
            "test_releases_of_any_tables_are_alike_where_mechanisms_answer_alike[components-row]"
        ),
    ),
    _charts(
        name="the scale of every column takes the share of all",
        file="charts/pca/analysis.py",
        old="RadiusSearch.plan(LEVEL, spread.part(each), _SPREAD)",
        new="RadiusSearch.plan(LEVEL, spread, _SPREAD)",
        among="charts/test_pca.py",
        notices="test_private_scales_take_their_share",
    ),
    _charts(
        name="a column is measured by the row that is farthest from its median",
        file="charts/pca/analysis.py",
        old="rungs = [self.spread.choose(meter, exact, len(RUNGS)) for exact in folded]",
        new="""
        _ = [self.spread.choose(meter, exact, len(RUNGS)) for exact in folded]
        rungs = [int(np.flatnonzero(exact.reveal()[0]).max()) for exact in folded]
""".strip(),
        among="charts/test_chart.py",
        notices=(
            "test_releases_of_any_tables_are_alike_where_mechanisms_answer_alike[corrplot-row]"
        ),
    ),
    _charts(
        name="people whose shares lie in several cells move merged cells no more than one share",
        file="exact.py",
        old="self.l1**2, self.step, np.moveaxis(",
        new="self.l2_squared, self.step, np.moveaxis(",
        among="test_exact.py",
        notices="test_cells_are_merged_and_a_unit_moves_no_more_in_sum",
    ),
    _charts(
        name="correlations forget what clipping may have moved",
        file="releases/pca/__init__.py",
        old="return estimate_correlations(sums, excess, shorter=self._shorter)",
        new="return estimate_correlations(sums, 0.0, shorter=self._shorter)",
        among="charts/test_corrplot.py",
        notices="test_intervals_of_heavy_tails_allow_for_what_clipping_moves",
    ),
    _charts(
        name="correlations forget what the shorter length takes",
        file="releases/pca/__init__.py",
        old="excess = 0.0 if whole else self._tail.excess(length)",
        new="excess = 0.0",
        among="charts/test_corrplot.py",
        notices="test_intervals_hold_the_correlations_of_all_rows_and_not_of_clipped_ones[normal]",
    ),
    _charts(
        name="what clipping took is supposed to be known",
        file="postprocess/correlation.py",
        old="_DOUBT = 0.4",
        new="_DOUBT = 0.0",
        among="charts/test_corrplot.py",
        notices="test_sums_with_less_noise_weigh_more_unless_clipping_took_too_much",
    ),
    _charts(
        name="correlations that hold one by one are said to hold together",
        file="postprocess/correlation.py",
        old="for number in (1, _count_pairs(told))",
        new="for number in (1, 1)",
        among="charts/test_corrplot.py",
        notices="test_what_noise_alone_makes_of_all_pairs_is_grey",
    ),
    _charts(
        name="counts of categories forget which rows were asked for",
        file="charts/countplot.py",
        old="where=self.where,\n",
        new="",
        among="charts/test_countplot.py",
        notices="test_other_counts_are_charged",
    ),
    _charts(
        name="the threshold of a score plot takes no δ from its noise",
        file="charts/scoreplot/chart.py",
        old="division = divide_budget(budget, searched, unit, thresholds=delta)",
        new="division = divide_budget(budget, searched, unit)",
        among="charts/test_scoreplot.py",
        notices="test_what_is_spent_is_what_was_planned",
    ),
    _charts(
        name="every level of a score plot's pyramid takes the whole share",
        file="charts/scoreplot/cells.py",
        old="return self.portion.rho / len(LEVELS)",
        new="return self.portion.rho",
        among="charts/test_score_pyramid.py",
        notices="test_one_question_and_one_price_fill_the_frame",
    ),
    _charts(
        name="counts of regions get the noise of one row, whatever a person weighs",
        file="charts/choropleth/chart.py",
        old="noise=portion.law(unit.weight),",
        new="noise=portion.law(1),",
        among="charts/test_choropleth.py",
        notices="test_a_person_counts_once_and_shares_with_rows_that_lie_nowhere",
    ),
    _charts(
        name="every panel of a choropleth is taken for one alone where noise is told",
        file="releases/choropleth/__init__.py",
        old="return np.reshape(np.array(counted.simultaneous.low) <= 0, self.counts.shape)",
        new="return np.reshape(np.array(counted.pointwise.low) <= 0, self.counts.shape)",
        among="charts/test_choropleth.py",
        notices="test_empty_tables_are_grey_nineteen_times_in_twenty",
    ),
    _charts(
        name="a search for a window is not charged",
        file="charts/heatmap/chart.py",
        old="cost = sum((each.cost for each in window.values()), division.cost) + method.cost",
        new="cost = division.cost + method.cost",
        among="charts/test_window.py",
        notices="test_searches_and_map_spend_the_budget_and_no_more[budget0-None]",
    ),
    _charts(
        name="a window that was found reaches beyond its limits",
        file="charts/heatmap/window.py",
        old="low = max(limits.lower, edges[lower] - margin)",
        new="low = edges[lower] - margin",
        among="charts/test_window.py",
        notices="test_every_table_has_a_window[unit0-huge]",
    ),
    _charts(
        name="few people are taken for a town",
        file="charts/heatmap/window.py",
        old=">= _MANY * self.walk.least",
        new=">= -_MANY * self.walk.least",
        among="charts/test_window.py",
        notices="test_a_town_is_told_from_too_few_people",
    ),
    _charts(
        name="every pair takes the share of all pairs",
        file="charts/pairplot/chart.py",
        old="each = division.left.part((1 - SIZE - QUANTILES) / len(pairs))",
        new="each = division.left.part(1 - SIZE - QUANTILES)",
        among="charts/test_pairplot.py",
        notices="test_groups_cost_nothing_and_pairs_share",
    ),
    _charts(
        name="bins of a pair plot are as many as rows there truly are",
        file="charts/pairplot/chart.py",
        old="bins = choose_bins(most, plan.noise.variance**0.5)",
        new="""
        truth = engine.counts([*groups, *plan.presence], unit).reveal()
        bins = choose_bins(float(truth.max(initial=0)), plan.noise.variance**0.5)
""".strip(),
        among="charts/test_chart.py",
        notices="test_releases_of_any_tables_are_alike_where_mechanisms_answer_alike[pairplot-row]",
    ),
    _charts(
        name="rows that lack a value are counted in the pairs that they have",
        file="charts/pairplot/chart.py",
        old="return [*groups, axes[pair[0]], axes[pair[1]], *others]",
        new="return [*groups, axes[pair[0]], axes[pair[1]], *others[:0]]",
        among="charts/test_pairplot.py",
        notices="test_rows_that_lack_a_value_are_in_no_pair_and_no_distribution",
    ),
    _charts(
        name="each of many empty groups may be drawn in 5 % of releases",
        file="postprocess/presence.py",
        old="return tuple(doubt * len(doubts) < 1 - LEVEL for doubt in doubts)",
        new="return tuple(doubt < 1 - LEVEL for doubt in doubts)",
        among="postprocess/test_presence.py",
        notices="test_empty_maps_stand_out_no_more_often_than_stated",
    ),
    _charts(
        name="empty groups of a heatmap are drawn wherever one place stands out",
        file="releases/heatmap/figure.py",
        old="((around <= doubt) | (not present))",
        new="(around <= doubt)",
        among="charts/test_heatmap_hue.py",
        notices="test_groups_with_people_are_drawn_and_empty_ones_are_named_instead",
    ),
    _charts(
        name="margins of a joint plot are as sure as half of their cells",
        file="releases/heatmap/joint.py",
        old="return REACH * np.sqrt(self.variance)",
        new="return REACH * np.sqrt(self.variance / 2)",
        among="charts/test_scatterplot.py",
        notices="test_intervals_of_margins_cover_what_they_state",
    ),
    _charts(
        name="an answer that decided where to cut is told as if it had not",
        file="charts/distribution/rounds.py",
        old="sound = survey.asked[half : half + 1] if len(survey.asked) > half + 1 else ()",
        new="sound = survey.asked[half : half + 1]",
        among="charts/test_distribution.py",
        notices="test_an_answer_that_decided_where_to_cut_last_is_not_told[200-1-2]",
    ),
    _charts(
        name="a fit of intervals forgets how precise each round was",
        file="postprocess/cumulated.py",
        old="rates = [1 / np.sqrt(max(each.law.variance, _LEAST)) for each in self._rounds]",
        new="rates = [1.0 for _ in self._rounds]",
        among="postprocess/test_cumulated.py",
        notices="test_masses_are_those_of_weighted_least_squares",
    ),
    _charts(
        name="a band holds each value for itself and not the whole curve",
        file="releases/distribution/line.py",
        old="return self._bound(make_band)",
        new="return self._bound(make_intervals)",
        among="charts/test_distribution.py",
        notices="test_bands_hold_the_whole_curve_as_often_as_they_say[1.0]",
    ),
    _charts(
        name="the share at or below a whole number is told half a step beyond it",
        file="releases/distribution/line.py",
        old="return self.places - (self.spacing or 0.0) / 2",
        new="return self.places",
        among="charts/test_distribution.py",
        notices="test_the_share_at_or_below_a_whole_number_is_told_at_that_number",
    ),
    _charts(
        name="a band of a density takes rows to lie evenly in their intervals",
        file="releases/distribution/density.py",
        old="least, most = Kernel(line, width).find_extremes(at)",
        new="least = most = Kernel(line, width).spread(at)",
        among="charts/test_distribution.py",
        notices="test_bands_of_densities_hold_the_smoothed_rows_as_often_as_they_say[normal]",
    ),
)
