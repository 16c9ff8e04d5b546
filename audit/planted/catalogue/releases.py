"""Bugs in what a release says, writes and draws."""

from __future__ import annotations

from functools import partial

from planted.mutant import Mutant

_releases = partial(Mutant, family="releases")

RELEASES = (
    _releases(
        name="a picture without privacy has no watermark",
        file="releases/histogram/figure.py",
        old='watermark="" if release.private else WATERMARK,',
        new='watermark="",',
        among="releases/test_release.py",
        notices="test_every_picture_of_simulated_noise_says_so_and_no_other_does[histplot]",
    ),
    _releases(
        name="a stranger's names are printed as they are",
        file="cli/output.py",
        old='print_text("\\n".join(map(make_printable, text.split("\\n"))))',
        new="print_text(text)",
        among="test_names.py",
        notices="test_everything_is_printed_by_three_functions",
    ),
    _releases(
        name="a stranger's ledger steers whoever prints it in Python",
        file="privacy/statement.py",
        old="protected = describe_protected(terms.protects)",
        new='protected = terms.protects.removeprefix("user ")',
        among="test_names.py",
        notices="test_a_strangers_ledger_is_printed_without_control_characters",
    ),
    _releases(
        name="a name of a million letters is drawn on an axis",
        file="figure.py",
        old='object.__setattr__(self, "label", abbreviate(self.label))',
        new='object.__setattr__(self, "label", self.label)',
        among="test_names.py",
        notices=("test_a_name_of_a_million_letters_is_loaded_and_cut_where_it_is_drawn[histplot]"),
    ),
    _releases(
        name="a release without privacy is loaded as one that has it",
        file="releases/document.py",
        old="said = first.read({key: document[key] for key in named})",
        new='said = first.read({key: document[key] for key in named}) | {"private": True}',
        among="releases/test_histogram_release.py",
        notices="test_what_is_loaded_equals_what_was_saved_to_the_bit[simulated]",
    ),
    _releases(
        name="a picture names the folder it was made in",
        file="render/matplotlib/drawing.py",
        old="""
        metadata = {**_METADATA[kind], **said}
""",
        new="""
        from pathlib import Path

        metadata = {**_METADATA[kind], **said, "Title": f"{clean(figure.title)}, in {Path.cwd()}"}
""",
        among="render/test_matplotlib_files.py",
        notices="test_a_picture_holds_no_date_and_no_host[svg]",
    ),
    _releases(
        name="a picture is dated",
        file="render/matplotlib/drawing.py",
        old='"svg": {"Date": None, "Creator": None},',
        new='"svg": {"Creator": None},',
        among="render/test_matplotlib_files.py",
        notices="test_a_picture_holds_no_date_and_no_host[svg]",
    ),
    _releases(
        name="what is spent is shown rounded to the nearest",
        file="privacy/budget.py",
        old="rounding=ROUND_CEILING if up else ROUND_FLOOR)",
        new='rounding="ROUND_HALF_EVEN" if up else ROUND_FLOOR)',
        among="privacy/test_amount.py",
        notices="test_what_is_spent_is_never_shown_smaller_nor_what_is_left_larger",
    ),
    _releases(
        name="bins of different numbers of values are passed off as alike",
        file="releases/wording.py",
        old="counts.max() <= 1.01 * counts.min():",
        new="counts.max() <= 2 * counts.min():",
        among="charts/test_bins.py",
        notices=(
            "test_every_whole_number_is_in_one_bin_and_bins_hold_as_many_unless_the_caption_says_so"
        ),
    ),
    _releases(
        name="text that is read as numbers goes without saying",
        file="releases/spelling.py",
        old="""
    parsed: _Parsed
    zone: _Zoned
    clock: _Parsed
    duration: _Duration


@dataclass(frozen=True)
class ScaledColumn:
""",
        new="""
    zone: _Zoned
    clock: _Parsed
    duration: _Duration


@dataclass(frozen=True)
class ScaledColumn:
""",
        among="releases/test_histogram_release.py",
        notices="test_what_is_loaded_equals_what_was_saved_to_the_bit[whole]",
    ),
    _releases(
        name="an axis ends where the noisy counts do",
        file="releases/axes.py",
        old="    limits = float(key.edges[0]), float(key.edges[-1])",
        new="    limits = None",
        among="releases/test_release.py",
        notices="test_the_axes_of_counts_end_where_was_declared_whatever_the_data[1]",
    ),
    _releases(
        name="scores about simulated components call themselves private",
        file="releases/scoreplot/__init__.py",
        old="pca = own if self.alone else self.pca",
        new="pca = own",
        among="test_metering.py",
        notices="test_scores_are_no_more_private_than_the_components_they_are_about",
    ),
    _releases(
        name="what is signed is the guarantee and not the numbers",
        file="releases/signature.py",
        old='if name != "signature"}',
        new='if name not in ("signature", "values")}',
        among="releases/test_signature.py",
        notices="test_one_value_changed_as_little_as_can_be_is_refused[histogram]",
    ),
    _releases(
        name="numbers are signed as they are rounded for the eye",
        file="releases/signature.py",
        old="return _CONTEXT + text.encode()",
        new="return _CONTEXT + text.replace('.0', '').encode()",
        among="releases/test_signature.py",
        notices="test_what_is_signed_can_be_worked_out_without_sfumato",
    ),
    _releases(
        name="a signature that does not fit is let pass",
        file="releases/signature.py",
        old="""
    except InvalidSignature:
        return False
""",
        new="""
    except InvalidSignature:
        return len(signature.value) == 128
""",
        among="releases/test_signature.py",
        notices="test_a_signature_by_another_key_is_refused_and_so_is_none",
    ),
    _releases(
        name="a private key can be read by everybody",
        file="releases/signature.py",
        old="secret, 0o600",
        new="secret, 0o644",
        among="releases/test_signature.py",
        notices="test_a_new_private_key_is_read_by_its_owner_alone_and_no_file_is_written_over",
    ),
    _releases(
        name="the noisier of two releases weighs more",
        file="postprocess/combined_noise.py",
        old="best = second / both if both > 0 else 0.5",
        new="best = first / both if both > 0 else 0.5",
        among="releases/test_combining.py",
        notices="test_the_less_noisy_one_weighs_more_by_inverse_variance",
    ),
    _releases(
        name="of two releases one is paid for",
        file="releases/combining.py",
        old="cost = first.cost + second.cost",
        new="cost = first.cost",
        among="releases/test_combining.py",
        notices="test_costs_and_promises_add_up_and_can_be_loaded",
    ),
    _releases(
        name="a simulated chart is returned as a private one",
        file="kept.py",
        old="        if release.private:\n",
        new="        if True:\n",
        among="test_kept.py",
        notices="test_simulated_releases_are_not_kept_and_private_ones_not_simulated",
    ),
    _releases(
        name="a chart in hand answers whatever else is asked",
        file="kept.py",
        old="""
        same = known and self.words == other.words and self.domain == other.domain
        alike = same and _are_equal(self.chart.question, other.chart.question)
        return alike and other.cost.within(self.cost)
""",
        new="""
        return known and self.domain == other.domain and other.cost.within(self.cost)
""",
        among="test_kept.py",
        notices="test_a_list_that_changed_since_is_another_question",
    ),
    _releases(
        name="a chart in hand answers whoever would pay for a better one",
        file="kept.py",
        old="and other.cost.within(self.cost)",
        new="",
        among="test_kept.py",
        notices="test_less_budget_is_answered_and_more_is_measured",
    ),
)
