"""One table in every form that an engine accepts."""

from __future__ import annotations

import gzip
from urllib.parse import quote

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
import pyarrow.dataset as ds
import pyarrow.parquet as pq


def _written(table, folder, parts):
    folder.mkdir()
    rows = -(-table.num_rows // parts) or 1
    for part in range(parts):
        pq.write_table(table.slice(part * rows, rows), folder / f"part-{part}.parquet")
    return folder


def _file(table, folder):
    return _written(table, folder / "one", 1) / "part-0.parquet"


def _row_groups(table, folder):
    pq.write_table(table, folder / "groups.parquet", row_group_size=100, use_dictionary=False)
    return str(folder / "groups.parquet")


def _glob(table, folder):
    return str(_written(table, folder / "glob", 4) / "part-*.parquet")


def _list(table, folder):
    return sorted(_written(table, folder / "list", 3).iterdir())


def _chunks(table, folder):
    return pa.concat_tables([table.slice(0, 7), table.slice(7, 0), table.slice(7)])


def _views(table, folder):
    wide = {pa.string(): pa.string_view(), pa.int64(): pa.decimal128(30, 0)}
    types = [(field.name, wide.get(field.type, field.type)) for field in table.schema]
    return table.cast(pa.schema(types))


def _coded(table, folder):
    columns = {name: table.column(name).combine_chunks() for name in table.column_names}
    return pa.table({name: column.dictionary_encode() for name, column in columns.items()})


def _dataset(table, folder):
    return ds.dataset(_written(table, folder / "dataset", 3))


def _pandas(table, folder):
    return table.to_pandas()


def _pandas_arrow(table, folder):
    return table.to_pandas(types_mapper=pd.ArrowDtype)


def _pandas_nullable(table, folder):
    return (
        table.drop(["x", "n", "d", "m"] if "x" in table.column_names else [])
        .to_pandas()
        .convert_dtypes()
    )


def _pandas_objects(table, folder):
    # Objects are read as text, so the columns of times would be refused.
    columns = {name: table.column(name).to_pylist() for name in table.column_names if name != "m"}
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})


def _pandas_categories(table, folder):
    frame = table.to_pandas()
    texts = {name: "category" for name in ("t", "g", "u") if name in frame}
    return frame.astype(texts)


def _polars(table, folder):
    return pl.from_arrow(table)


def _polars_categories(table, folder):
    frame = pl.from_arrow(table)
    return frame.with_columns(pl.col(pl.String).exclude("t").cast(pl.Categorical))


def _polars_lazy(table, folder):
    return pl.scan_parquet(_file(table, folder))


def _relation(table, folder):
    connection = duckdb.connect()
    return connection.from_parquet(str(_file(table, folder)))


def _relation_of_frame(table, folder):
    connection = duckdb.connect()
    return connection.from_arrow(table)


def _csv(table, folder, name="table.csv", delimiter=","):
    # Times have no text of their own, and Arrow cannot write what it calls decimals as floats.
    table = table.drop(["m"]) if "m" in table.column_names else table
    options = csv.WriteOptions(delimiter=delimiter, quoting_style="needed")
    csv.write_csv(table, folder / name, write_options=options)
    return folder / name


def _csv_gz(table, folder):
    plain = _csv(table, folder, "plain.csv", ";")
    packed = folder / "packed.csv.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    return packed


def _csv_zst(table, folder):
    plain = _csv(table, folder, "plain.csv", "\t")
    packed = folder / "packed.TSV.ZST"
    packed.write_bytes(pa.compress(plain.read_bytes(), "zstd", asbytes=True))
    return packed


def _csv_folder(table, folder):
    rows = -(-table.num_rows // 3) or 1
    (folder / "csv").mkdir()
    for part in range(3):
        plain = _csv(table.slice(part * rows, rows), folder, "plain.csv")
        (folder / "csv" / f"{part}.csv.gz").write_bytes(gzip.compress(plain.read_bytes()))
    return folder / "csv"


def _codecs(table, folder):
    """Write a file with each codec that Spark and DuckDB offer for Parquet."""
    rows = -(-table.num_rows // 3) or 1
    (folder / "codecs").mkdir()
    for part, codec in enumerate(("snappy", "gzip", "zstd")):
        path = folder / "codecs" / f"part-{part}.{codec}.parquet"
        pq.write_table(table.slice(part * rows, rows), path, compression=codec)
    return folder / "codecs"


def _partitioned(table, folder):
    """Yield a table in pieces, each with a folder that is named after its group."""
    # The name of a folder has at most 255 bytes.
    texts = table["g"].to_pylist() if "g" in table.column_names else ["x" * 256]
    key = "g" if max(map(len, filter(None, texts)), default=0) < 85 else table.column_names[-1]
    groups = table.column(key).cast(pa.string()).combine_chunks()
    for group in groups.unique().to_pylist() or ["nobody"]:
        here = pc.is_null(groups) if group is None else pc.fill_null(pc.equal(groups, group), False)
        name = "__HIVE_DEFAULT_PARTITION__" if group is None else quote(group, safe="é ")
        place = folder / "hive" / f"{quote(key)}={name}"
        place.mkdir(parents=True)
        yield table.filter(here).drop([key]), place


def _hive(table, folder):
    for piece, place in _partitioned(table, folder):
        pq.write_table(piece, place / "part-0.parquet")
    return folder / "hive"


def _hive_csv(table, folder):
    for piece, place in _partitioned(table, folder):
        _csv(piece, place)
    return str(folder / "hive" / "*" / "*.csv")


FORMS = {
    "Arrow table": lambda table, folder: table,
    "Arrow chunks": _chunks,
    "Arrow views": _views,
    "Arrow dictionaries": _coded,
    "Arrow dataset": _dataset,
    "Parquet file": _file,
    "Parquet row groups": _row_groups,
    "Parquet folder": lambda table, folder: _written(table, folder / "folder", 3),
    "Parquet glob": _glob,
    "Parquet list": _list,
    "Parquet codecs": _codecs,
    "Parquet partitions": _hive,
    "pandas": _pandas,
    "pandas on Arrow": _pandas_arrow,
    "pandas nullable": _pandas_nullable,
    "pandas objects": _pandas_objects,
    "pandas categories": _pandas_categories,
    "Polars": _polars,
    "Polars categories": _polars_categories,
    "Polars lazy": _polars_lazy,
    "DuckDB relation": _relation,
    "DuckDB relation of a frame": _relation_of_frame,
    "CSV": _csv,
    "CSV, semicolons, packed": _csv_gz,
    "CSV, tabs, packed": _csv_zst,
    "CSV folder, packed": _csv_folder,
    "CSV partitions": _hive_csv,
}
