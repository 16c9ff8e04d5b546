"""Bugs in how tables become exact integers."""

from __future__ import annotations

from functools import partial

from planted.mutant import Mutant

_engines = partial(Mutant, family="engines")

ENGINES = (
    _engines(
        name="sums of many rows wrap around the end of 64 bits",
        file="engines/sums.py",
        old="_MOST_ROWS = 2**31",
        new="_MOST_ROWS = 2**33",
        among="mechanisms/test_constants.py",
        notices="test_sums_never_wrap_around",
    ),
    _engines(
        name="a pseudo-crowd makes sums wrap around",
        file="exact.py",
        old="_LARGEST_CROWD = 2**30",
        new="_LARGEST_CROWD = 2**34",
        among="mechanisms/test_constants.py",
        notices="test_sums_never_wrap_around",
    ),
    _engines(
        name="so many columns are summed that a row's length is rounded",
        file="lattice.py",
        old="MOST_COLUMNS = 100",
        new="MOST_COLUMNS = 10_000",
        among="mechanisms/test_constants.py",
        notices="test_points_of_a_lattice_are_exact_in_floats",
    ),
    _engines(
        name="points lie so far out that a row's length is rounded",
        file="lattice.py",
        old="REACH = 2**20",
        new="REACH = 2**24",
        among="mechanisms/test_constants.py",
        notices="test_points_of_a_lattice_are_exact_in_floats",
    ),
    _engines(
        name="the sensitivity of sums by groups is halved",
        file="engines/queries.py",
        old="most = addend_weight(unit) * addend.steps",
        new="most = addend_weight(unit) * addend.steps // 2 + 1",
        among="engines/test_addends.py",
        notices="test_a_row_moves_the_sums_by_at_most_its_steps",
    ),
    _engines(
        name="a row without a number is summed as if it had the lowest one",
        file="engines/addends.py",
        old="along[nowhere] = -1.0",
        new="along[nowhere] = 0.0",
        among="engines/test_addends.py",
        notices="test_rows_without_a_number_a_group_or_a_person_are_nowhere",
    ),
    _engines(
        name="values are summed before they are clipped",
        file="engines/addends.py",
        old="along = np.clip(values, low, high)",
        new="along = np.nan_to_num(values, nan=np.nan)",
        among="engines/test_addends.py",
        notices="test_sums_are_those_of_the_oracle[by ward-PrivacyUnit.rows()]",
    ),
    _engines(
        name="the sensitivity of counts is halved",
        file="engines/queries.py",
        old="""
        return Exact(unit.weight, unit.weight**2, unit.step, _values=sums)
""",
        new="""
        half = max(1, unit.weight // 2)
        return Exact(half, half**2, unit.step, _values=sums)
""",
        among="engines/test_duck.py",
        notices="test_the_answer_has_the_sensitivity_of_its_unit",
    ),
    _engines(
        name="sums of outer products forget what stands before each row",
        file="engines/queries.py",
        old="most = weight * moments.longest",
        new="most = weight * (moments.longest - moments.constant**2)",
        among="engines/test_moments.py",
        notices="test_the_answer_states_what_one_unit_can_change",
    ),
    _engines(
        name="people who count once open as many categories as they have rows",
        file="engines/queries.py",
        old="""
        if unit.shared:
            raise DomainError(
                f"The texts of""",
        new="""
        if unit.column is None:
            raise DomainError(
                f"The texts of""",
        among="engines/test_duck.py",
        notices="test_occupied_texts_are_counted_and_sorted[Arrow table]",
    ),
    _engines(
        name="shares of a weight are rounded up",
        file="engines/bounding.py",
        old="return (weight * steps // wholes).take(who)",
        new="return (-(-weight * steps // wholes)).take(who)",
        among="engines/test_bounding.py",
        notices="test_people_of_any_number_of_rows_weigh_no_more_than_their_number",
    ),
    _engines(
        name="a person may fill every cell to its cap",
        file="engines/people.py",
        old="return np.clip(most - before, 0, amounts)",
        new="return np.minimum(most, amounts)",
        among="engines/test_duck.py",
        notices=(
            "test_every_form_of_a_hostile_table_weighs_people_alike"
            "[Arrow table-PrivacyUnit.users('u', max_rows=3)]"
        ),
    ),
    _engines(
        name="the order of rows decides which of a person's count",
        file="engines/people.py",
        old="places = places[_order_parts(rows.take(pa.array(first[places])), who[places], salt)]",
        new="places = places[np.lexsort((first[places], who[places]))]",
        among="engines/test_duck.py",
        notices="test_order_partition_and_threads_do_not_matter",
    ),
    _engines(
        name="which rows of a person count can be foretold",
        file="engines/dispatch.py",
        old="self._salt = secrets.token_hex(16)",
        new='self._salt = ""',
        among="engines/test_duck.py",
        notices="test_which_rows_of_a_person_count_is_decided_anew_for_each_engine",
    ),
    _engines(
        name="rows of nobody count",
        file="engines/bounding.py",
        old="rows = rows.filter(whose.is_valid())",
        new=(
            'nobody = b"" if whose.type == pa.large_binary() else 0\n'
            '            rows = rows.set_column(0, "person", whose.fill_null(nobody))'
        ),
        among="engines/test_duck.py",
        notices="test_people_are_told_apart_exactly[string-]",
    ),
    _engines(
        name="shares of a map are rounded up",
        file="engines/bounding.py",
        old="return weight * steps // wholes.take(who)",
        new="return -(-weight * steps // wholes.take(who))",
        among="engines/test_sharing.py",
        notices=(
            "test_rows_that_are_nowhere_share_the_weight_of_their_person"
            "[Weight(column='w', most=2.5)]"
        ),
    ),
    _engines(
        name="each thread gives a person a weight of its own",
        file="engines/bounding.py",
        old="work.weigh(PeoplePartition(held, index), lambda found: weigh(sums, found), note)",
        new=(
            "[work.weigh(PeoplePartition([each], index), lambda found: weigh(sums, found), note) "
            "for each in held]"
        ),
        among="engines/test_masses.py",
        notices=(
            "test_every_form_of_a_hostile_table_has_the_same_masses[Parquet row "
            "groups-PrivacyUnit.users('u')]"
        ),
    ),
    _engines(
        name="a person's rows are divided among companies",
        file="engines/bounding.py",
        old="return (hash_values(whose, level) >> np.uint64(64 - BITS)).astype(np.uint8)",
        new="return np.arange(len(whose)).astype(np.uint8) % 2 + 0 * len(level)",
        among="engines/test_bounding.py",
        notices=(
            "test_people_are_weighed_alike_however_little_room_there_is"
            "[PrivacyUnit.users('u')-room0]"
        ),
    ),
    _engines(
        name="others decide between cells that draw the same number",
        file="engines/people.py",
        old="return order[np.lexsort((rank, drawn, who))]",
        new="return order[np.lexsort((drawn, who)) + 0 * rank[:1].astype(np.int64)]",
        among="engines/test_walking.py",
        notices="test_cells_that_draw_the_same_number_come_in_their_own_order",
    ),
    _engines(
        name="a company of too many people ends in an error",
        file="engines/bounding.py",
        old="""
            if totals.size() > size and company.depth < DEEPEST:
                return False
""",
        new="""
            if totals.size() > size:
                raise MemoryError
""",
        among="engines/test_duck.py",
        notices=(
            "test_no_table_fails_for_want_of_memory[ids leave one remainder-PrivacyUnit.users('u')]"
        ),
    ),
    _engines(
        name="what a person has taken is held however much it is",
        file="engines/bounding.py",
        old="if taken.nbytes > size and people > 1 and company.depth < DEEPEST:",
        new="if taken.nbytes < 0:",
        among="engines/test_bounding.py",
        notices=("test_one_person_with_all_rows_and_everyone_with_one_need_no_more_than_the_room"),
    ),
    _engines(
        name="identities are grouped however long they are",
        file="engines/people.py",
        old="_LONGEST = hashlib.sha512().digest_size",
        new="_LONGEST = 2**40",
        among="engines/test_people.py",
        notices="test_identities_of_any_length_take_64_bytes_and_stay_apart",
    ),
    _engines(
        name="an identity that is repeated is written out on every row",
        file="engines/people.py",
        old="if kinds.is_dictionary(column.type):  # where",
        new="if kinds.is_dictionary(column.type) and not len(column):  # where",
        among="engines/test_people.py",
        notices="test_a_long_identity_on_every_row_is_not_written_out",
    ),
    _engines(
        name="a row that points beyond the words of its column ends the reading",
        file="engines/people.py",
        old="return read_persons(coded.dictionary).take(read_indices(coded))",
        new="return read_persons(coded.dictionary).take(coded.indices)",
        among="engines/test_people.py",
        notices="test_a_row_that_points_beyond_the_words_is_nobodys",
    ),
    _engines(
        name="units of several columns are joined without their lengths",
        file="engines/people.py",
        old="for piece in (_write_lengths(part), part)]",
        new="for piece in (part,)]",
        among="engines/test_composite_units.py",
        notices="test_no_two_pairs_of_texts_become_one",
    ),
    _engines(
        name="a unit of several columns is told by the first of them",
        file="engines/people.py",
        old="if len(columns) == 1:",
        new="if columns:",
        among="engines/test_composite_units.py",
        notices="test_a_household_may_count_once_a_year_and_not_once_for_all",
    ),
    _engines(
        name="numbers that floats do not tell apart share a label in a private search",
        file="engines/columns.py",
        old="known = (np.abs(values) < _EXACT) & (np.floor(values) == values)",
        new="known = (np.abs(values) < 2**63) & (np.floor(values) == values)",
        among="engines/test_number_labels.py",
        notices="test_no_two_numbers_have_one_label",
    ),
    _engines(
        name="a private search that finds no number fails after the charge",
        file="engines/engine.py",
        old="return [(column, tuple(_plural))]",
        new='return [(column, _category_kinds["text"])]',
        among="engines/test_number_labels.py",
        notices="test_a_search_that_finds_nothing_is_released_like_any_other",
    ),
    _engines(
        name="bytes that mean nothing in an encoding make one person of several",
        file="engines/file_format.py",
        old="""return "".join(chr(0xDC00 + octet) for octet in lost), end""",
        new="""return chr(0xDC00) * len(lost), end""",
        among="engines/sources/test_encodings.py",
        notices="test_people_whose_names_hold_bytes_that_mean_nothing_stay_apart",
    ),
    _engines(
        name="half a letter in quotes takes the quote, and with it the records that follow",
        file="engines/file_format.py",
        old="""end = problem.end if problem.encoding.startswith("utf") else problem.start + 1""",
        new="""end = problem.end""",
        among="engines/sources/test_encodings.py",
        notices="test_half_a_letter_in_quotes_takes_neither_the_quote_nor_other_records",
    ),
    _engines(
        name="people who are counted by 1 and not by 32 share a number",
        file="engines/people.py",
        old="if not (apart & (PEOPLE_PARTITIONS - 1)).any():",
        new="if apart.size:",
        among="engines/test_people.py",
        notices="test_numbers_that_leave_different_remainders_are_different_people",
    ),
    _engines(
        name="what a person's rows weigh together wraps around",
        file="engines/sums.py",
        old="self._values, self._sums = coded.dictionary, np.minimum(sums, CAP)",
        new="self._values, self._sums = coded.dictionary, sums",
        among="engines/test_bounding.py",
        notices=("test_a_person_who_weighs_more_than_64_bits_hold_gets_nothing_and_takes_nothing"),
    ),
    _engines(
        name="a limit that nothing fits into is accepted",
        file="engines/table.py",
        old="return limit is None or limit >= _LEAST_MEMORY",
        new="return limit is None or limit > 0",
        among="engines/test_resources.py",
        notices="test_memory_that_nothing_fits_into_is_refused[1MB]",
    ),
    _engines(
        name="a thread that cannot be had ends the reading",
        file="engines/table.py",
        old="""
        except RuntimeError:
            return
""",
        new="""
        except RuntimeError:
            raise InterruptedError from None
""",
        among="engines/test_parallel.py",
        notices="test_parts_that_get_no_thread_are_done_by_those_that_have_one[1]",
    ),
    _engines(
        name="floats hold sums of products that they cannot tell apart",
        file="engines/moments.py",
        old="MOST_WEIGHT = 2**53 // LENGTH**2",
        new="MOST_WEIGHT = 2**60 // LENGTH**2",
        among="engines/test_gram.py",
        notices="test_light_rows_beside_heavy_ones_are_not_lost",
    ),
    _engines(
        name="rows are weighed before they are clamped",
        file="engines/cells.py",
        old="inside = np.clip(read_numbers(column), 0.0, weight.most)",
        new="inside = np.maximum(read_numbers(column), 0.0)",
        among="engines/test_places.py",
        notices="test_a_weight_is_rounded_down_to_steps[1073741824.0]",
    ),
    _engines(
        name="values beyond the bounds are counted before they are moved",
        file="engines/cells.py",
        old="inside = np.clip(values, key.bounds.lower, key.bounds.upper)",
        new="inside = values",
        among="engines/test_kernel.py",
        notices="test_uneven_edges_hold_what_lies_between_them",
    ),
    _engines(
        name="what stands behind a NULL is counted",
        file="engines/cells.py",
        old="""
    found[gaps] = -1
    if key.drop:
""",
        new="""
    found[gaps & np.isnan(values)] = -1
    if key.drop:
""",
        among="engines/test_kernel.py",
        notices="test_several_keys_combine_with_the_first_slowest",
    ),
    _engines(
        name="long rows are not cut",
        file="engines/moments.py",
        old="points *= self._moments.reach / np.maximum(lengths, self._moments.radius)",
        new="points *= self._moments.reach / self._moments.radius",
        among="engines/test_gram.py",
        notices="test_no_row_of_any_number_of_columns_is_too_long",
    ),
    _engines(
        name="rounding makes rows longer than they may be",
        file="lattice.py",
        old="return LENGTH - (math.isqrt(columns - 1) + 1) / 2 - 2**-10",
        new="return LENGTH - 2**-10 + 0 * columns",
        among="engines/test_gram.py",
        notices="test_no_row_of_any_number_of_columns_is_too_long",
    ),
    _engines(
        name="sums wrap around at the end of 64 bits",
        file="engines/masses.py",
        old="return np.where(high >= 2**_HALF, CAP, np.minimum(whole, CAP))",
        new="return whole",
        among="engines/test_sparse.py",
        notices="test_huge_sums_stop_at_the_cap_and_never_wrap",
    ),
    _engines(
        name="one person with two zeros for a number is two",
        file="engines/columns.py",
        old="values = _convert_to_floats(column) + 0.0",
        new="values = _convert_to_floats(column)",
        among="engines/test_people.py",
        notices="test_minus_zero_is_zero",
    ),
    _engines(
        name="a record that begins a piece of a file loses its byte order mark",
        file="engines/sources/delimited.py",
        old='.encode() + b"\\n" + records',
        new='.encode() + b"\\n" + records.removeprefix(b"\\xef\\xbb\\xbf")',
        among="engines/sources/test_together.py",
        notices="test_rows_read_together_are_those_read_alone[CSV]",
    ),
    _engines(
        name="rows are read with the names of columns, before the charge",
        file="engines/sources/delimited.py",
        old="start = _read_line(written.open(stream.read))",
        new='start = b"".join(stream.read(LONGEST).partition(b"\\n")[:2])',
        among="engines/sources/test_delimited.py",
        notices="test_no_more_than_the_first_line_is_asked_for_before_a_charge[-4]",
    ),
    _engines(
        name="one field that is no number takes the numbers of its block along",
        file="engines/columns.py",
        old="pc.match_substring_regex(text, written.pattern)",
        new="pc.all(pc.match_substring_regex(text, written.pattern))",
        among="engines/test_number_format.py",
        notices="test_no_bytes_are_an_error_or_move_another",
    ),
    _engines(
        name="long names that begin alike are one person",
        file="engines/columns.py",
        old="sha256(text).hexdigest()",
        new="sha256(text[:LONGEST_TEXT]).hexdigest()",
        among="engines/test_decoding.py",
        notices="test_people_with_long_names_are_told_apart_by_digests",
    ),
    _engines(
        name="a row that points beyond its dictionary stops all others",
        file="engines/columns.py",
        old="if all(end is None or 0 <= end < len(coded.dictionary) for end in ends):",
        new="if ends:",
        among="engines/test_decoding.py",
        notices="test_rows_read_together_are_rows_read_alone[int64-in_a_dictionary]",
    ),
    _engines(
        name="runs are decoded by Arrow, which cannot decode them all",
        file="engines/columns.py",
        old="return _look_up_words(*_find_runs(column))",
        new="return decode_column(pc.run_end_decode(column))",
        among="engines/test_decoding.py",
        notices="test_rows_read_together_are_rows_read_alone[int64-in_runs_of_a_dictionary]",
    ),
    _engines(
        name="a decimal with more digits than its type says wraps around",
        file="engines/columns.py",
        old="long = np.flatnonzero((high != low >> 63) | (low > _EXACT) | (low < -_EXACT))",
        new="long = np.flatnonzero((low > _EXACT) | (low < -_EXACT))",
        among="engines/test_columns.py",
        notices="test_a_decimal_may_have_more_digits_than_its_type_says[decimal128(38, 2)]",
    ),
    _engines(
        name="a block has as many long texts as rows",
        file="engines/sources/source.py",
        old="if half and not all(texts_fit(column, LARGEST) for column in block.columns):",
        new="if half > BLOCK:",
        among="engines/test_blocks.py",
        notices="test_long_texts_come_in_small_blocks",
    ),
    _engines(
        name="one text of pandas that is not Unicode changes how others are read",
        file="engines/sources/frames.py",
        old="""
        return lambda here: _write_texts(column.iloc[here])
""",
        new="""

        def some(here: slice) -> pa.Array:
            try:
                return pa.array(column.iloc[here].to_numpy(object), pa.large_string())
            except (UnicodeEncodeError, pa.ArrowException):
                return _write_texts(column.iloc[here].map(str))

        return some
""",
        among="engines/sources/test_pandas_frame.py",
        notices="test_one_text_that_is_not_unicode_changes_no_other[dtype1]",
    ),
    _engines(
        name="whether a categorical has a value decides what it may be declared as",
        file="engines/sources/frames.py",
        old="""
    if _is_categorical(empty) or _is_objects(empty):
        return "text"
""",
        new="""
    if _is_categorical(empty):
        return _find_pandas_kind(empty.cat.categories[:0].to_series())
    if _is_objects(empty):
        return "text"
""",
        among="engines/sources/test_pandas_frame.py",
        notices="test_whether_a_categorical_is_refused_depends_on_no_value[texts]",
    ),
    _engines(
        name="one value decides how the durations of a categorical are written",
        file="engines/sources/frames.py",
        old="return str(pd.Timedelta(cast(Any, value)))",
        new="return str(value)",
        among="engines/sources/test_pandas_frame.py",
        notices="test_no_other_value_decides_how_one_is_written",
    ),
    _engines(
        name="a long text that Parquet stores once is written out on all rows of a block",
        file="engines/sources/parquet.py",
        old="return not _STORED_EACH.issuperset(column.encodings)",
        new="return not _READ_AS_WORDS.union(_STORED_EACH).issuperset(column.encodings)",
        among="engines/sources/test_parquet.py",
        notices="test_a_long_text_that_is_stored_once_is_never_written_out_on_many_rows",
    ),
    _engines(
        name="texts of Parquet are read as dictionaries from encodings that are not",
        file="engines/sources/parquet.py",
        old="and all(_READ_AS_WORDS.issuperset(each.encodings) for each in stored[name])",
        new="and stored[name]",
        among="engines/sources/test_parquet.py",
        notices="test_how_many_texts_differ_does_not_decide_whether_they_are_read[12]",
    ),
    _engines(
        name="categories of Parquet are read as Arrow's own schema says",
        file="engines/sources/parquet.py",
        old="plainly=not self._coded.isdisjoint(names)",
        new="plainly=False",
        among="engines/sources/test_parquet.py",
        notices=(
            "test_a_file_is_read_whatever_encodings_its_writer_chose[DELTA_BYTE_ARRAY-categories]"
        ),
    ),
    _engines(
        name="a value decides whether files of two types are read",
        file="engines/sources/arrow.py",
        old="if stored == wanted or kinds.is_null(stored):",
        new="if stored == wanted or not kinds.is_null(wanted):",
        among="engines/sources/test_arrow.py",
        notices="test_files_of_other_types_are_refused_whatever_stands_in_them[one]",
    ),
    _engines(
        name="DuckDB hands on long texts, of which two gibibytes stop it",
        file="engines/sources/relation.py",
        old='_SHORTENED.get(kind, "{0}")',
        new='"{0}"',
        among="engines/sources/test_frames.py",
        notices="test_a_relation_hands_on_digests_of_long_texts",
    ),
    _engines(
        name="texts that a table takes for one are several people",
        file="engines/engine.py",
        old="if column in self.folded:",
        new="if column in self.folded - {column}:",
        among="engines/test_engine.py",
        notices="test_people_whose_texts_the_table_does_not_tell_apart_by_bytes_are_refused",
    ),
    _engines(
        name="a budget is spent on text that no number can be read from",
        file="engines/engine.py",
        old="if kinds in _PARSED and not parsing:",
        new="if kinds in _PARSED and parsing:",
        among="test_session.py",
        notices=(
            "test_text_under_bounds_is_refused_where_it_has_a_type_and_announced_elsewhere"
            "[histogram]"
        ),
    ),
    _engines(
        name="one number among texts decides whether a chart of a pandas frame is refused",
        file="engines/sources/frames.py",
        old='return type(column.dtype).__name__ in _CHOSEN and str(column.dtype) != "str"',
        new="return type(column.dtype).__name__ in _CHOSEN",
        among="engines/sources/test_types.py",
        notices="test_what_pandas_infers_from_one_value_changes_nothing[values3-3]",
    ),
    _engines(
        name="one missing value decides how whole numbers of a pandas frame are binned",
        file="engines/sources/frames.py",
        old='return 1.0 if kind == "time" else None',
        new="return find_spacing(pa.array(empty, from_pandas=True).type)",
        among="engines/sources/test_types.py",
        notices="test_what_pandas_infers_from_one_value_changes_nothing[values0-None]",
    ),
    _engines(
        name="what a reader says about a value is passed on",
        file="engines/engine.py",
        old="failure = KeyboardInterrupt() if interrupted else _make_unreadable_error(what)",
        new="failure = KeyboardInterrupt() if interrupted else SourceError(*[str(error)] * 3)",
        among="engines/test_discretion.py",
        notices=(
            "test_a_reader_that_quotes_the_data_is_not_quoted[failing_relation-PrivacyUnit.rows()]"
        ),
    ),
    _engines(
        name="progress tells the number of batches",
        file="engines/reading.py",
        old="if progress is not None and step > told and time.monotonic() - begun > PATIENCE:",
        new="if progress is not None:",
        among="engines/test_duck.py",
        notices="test_progress_is_told_in_steps_that_rise_to_the_end[Arrow table]",
    ),
    _engines(
        name="a person whose rows lie apart on a cluster goes unnoticed",
        file="engines/spark/frames.py",
        old='split = sums.column("bucket").null_count < sums.num_rows',
        new="split = False",
        among="engines/spark/test_work.py",
        notices="test_sums_that_tell_of_trouble_are_refused",
    ),
    _engines(
        name="sums of two runs of one task are mixed",
        file="engines/spark/frames.py",
        old='if xor_marks(np.asarray(sums.column("mark"))):',
        new='if not sums.column("mark"):',
        among="engines/spark/test_work.py",
        notices="test_sums_that_tell_of_trouble_are_refused",
    ),
    _engines(
        name="an executor logs what went wrong",
        file="engines/spark/task.py",
        old="""
        except Exception:  # noqa: BLE001 - any message may quote the data
            failed = FAILED
""",
        new="""
""",
        among="engines/spark/test_work.py",
        notices="test_work_that_fails_says_that_it_failed_and_nothing_else",
    ),
    _engines(
        name="values outside are clipped where they should be dropped",
        file="engines/cells.py",
        old="    if key.drop:",
        new="    if key.drop and not gaps.size:",
        among="engines/test_times.py",
        notices="test_values_outside_are_dropped_to_the_bit_and_clipped_otherwise",
    ),
    _engines(
        name="one text that is no date decides how all are read",
        file="engines/times.py",
        old="    return np.where(known, moments, np.nan)",
        new="    return np.where(known.all(), moments, np.nan)",
        among="engines/test_times.py",
        notices="test_texts_are_read_together_as_each_alone",
    ),
    _engines(
        name="a moment that no calendar holds makes parts of dates fail",
        file="engines/times.py",
        old="known = np.abs(values) < 2.0**62",
        new="known = values == values",
        among="engines/test_times.py",
        notices="test_parts_of_moments_that_no_calendar_holds_are_nowhere",
    ),
    _engines(
        name="a cell at the end of a range adds to the next one too",
        file="engines/spark/maps.py",
        old="return np.where(cells < self.end[places], places, -1)",
        new="return np.where(cells <= self.end[places], places, -1)",
        among="engines/spark/test_maps.py",
        notices="test_ranges_of_a_partition_have_the_sums_of_their_cells",
    ),
    _engines(
        name="a chart's filter comes before a person's weight is shared",
        file="engines/selection.py",
        old="return place_nowhere(self.question.place(block), find_rows(block, self.where))",
        new="return self.question.place(filter_rows(block, find_rows(block, self.where)))",
        among="engines/test_selection.py",
        notices="test_a_chart_leaves_a_tenth_to_one_of_ten_rows_and_a_session_all",
    ),
    _engines(
        name="rows that a filter drops from a map are drawn all the same",
        file="engines/masses.py",
        old="cells[~find_rows(block, self.where)] = -1",
        new="find_rows(block, self.where)",
        among="engines/test_selection.py",
        notices="test_every_verb_counts_the_rows_that_are_picked_by_hand[PrivacyUnit.rows()]",
    ),
    _engines(
        name="a missing value is unlike every other, and so meets a condition",
        file="engines/selection.py",
        old="return _COMPARISONS[symbol](left, right) & known",
        new="return _COMPARISONS[symbol](left, right)",
        among="engines/test_selection.py",
        notices="test_the_rule_for_missing_values_is_one_rule",
    ),
    _engines(
        name="a person's identity is computed, so that one becomes many",
        file="engines/engine.py",
        old="self.check_stored(*unit.columns, *numbers)",
        new="self.check_stored(*numbers)",
        among="engines/test_selection.py",
        notices="test_neither_unit_nor_weight_can_be_derived",
    ),
    _engines(
        name="a logarithm is rounded by where in a block its row stands",
        file="engines/selection.py",
        old='"log": log,',
        new='"log": lambda values: np.log(values) + 1e-15 * np.arange(values.size),',
        among="engines/test_selection.py",
        notices="test_rows_together_are_what_each_is_alone[log(i)]",
    ),
    _engines(
        name="a text too long to be read is searched to its end",
        file="engines/selection.py",
        old="long = measure_lengths(texts) > LONGEST_TEXT",
        new="long = measure_lengths(texts) > 2**40",
        among="engines/test_selection.py",
        notices="test_a_long_text_is_missing_and_takes_no_time",
    ),
    _engines(
        name="a derived column stands in for a stored one",
        file="engines/selection.py",
        old="    if name in taken:",
        new="    if False:",
        among="engines/test_selection.py",
        notices="test_what_no_row_could_meet_is_refused_in_words[None-columns1]",
    ),
    _engines(
        name="a point counts in the last of the regions that hold it",
        file="engines/locating.py",
        old="np.minimum.at(first, point[holds], area[holds])",
        new="first[point[holds]] = area[holds]",
        among="engines/test_locating.py",
        notices="test_the_first_region_that_holds_a_point_or_its_border_counts_it",
    ),
    _engines(
        name="the squares of a region end before its last column",
        file="engines/locating.py",
        old="np.arange(left, right + 1) * side",
        new="np.arange(left, max(left + 1, right)) * side",
        among="engines/test_locating.py",
        notices="test_an_index_finds_what_is_found_one_region_after_the_other",
    ),
    _engines(
        name="a tile that several regions reach into is all of the first one's",
        file="engines/locating.py",
        old="held[where[first[where] == holding]] = True",
        new="held[where] = True",
        among="engines/test_locating.py",
        notices="test_a_tile_is_decided_as_each_of_its_points_is[0.0]",
    ),
    _engines(
        name="regions that cross themselves are counted in",
        file="engines/locating.py",
        old="return not shapely.is_valid(areas).all() or bool(",
        new="return bool(",
        among="test_regions.py",
        notices="test_a_ring_that_crosses_itself_or_holds_nothing_is_refused[ring1]",
    ),
    _engines(
        name="a cluster may locate points by other rules",
        file="engines/engine.py",
        old="if not self.locates and any(",
        new="if not self.columns and any(",
        among="charts/test_choropleth.py",
        notices="test_a_cluster_that_locates_otherwise_is_refused_before_the_charge",
    ),
)
