"""Spark sessions for tests: on loopback, small, logged to files, and gone afterwards."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TESTS = Path(__file__).parents[2]
UNTESTED = "The Spark engine was not tested"
BRIEF = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # for a JVM that will not live to be optimised

# Another Spark on this machine, or its settings, would be tested in place of the locked one.
_FOREIGN = [
    "HADOOP_CONF_DIR",
    "PYSPARK_DRIVER_PYTHON",
    "PYSPARK_GATEWAY_PORT",
    "PYSPARK_SUBMIT_ARGS",
    "SPARK_CONF_DIR",
    "SPARK_HOME",
    "SPARK_REMOTE",
]

# Everything is logged, because what is searched for must have had its chance to be written.
_LOGGING = """\
rootLogger.level = info
rootLogger.appenderRef.file.ref = file
appender.file.name = file
appender.file.type = File
appender.file.fileName = {file}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d %p %c: %m%n%ex
"""


def missing() -> str | None:
    """Return what must be installed before Spark can run here, or None."""
    if find_spec("pyspark") is None:
        return f"{UNTESTED}: pyspark is not installed. Install requirements/dev.txt."
    if java_version() < 17:
        return (
            f"{UNTESTED}: it needs Java 17 or newer. Install a Java runtime (Debian and Ubuntu: "
            "openjdk-17-jre-headless), or let JAVA_HOME name the folder of one."
        )
    return None


def java_version() -> int:
    """Return the version of the Java that Spark would use, or 0 where there is none."""
    home = os.environ.get("JAVA_HOME")
    java = Path(home, "bin", "java") if home else shutil.which("java")
    if java is None or not Path(java).exists():
        return 0
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    found = re.search(r'version "(?:1\.)?(\d+)', told.stderr)
    return int(found.group(1)) if found else 0


def environment() -> dict[str, str]:
    """Return the variables that Spark's processes see: our Python, our tests, loopback alone."""
    kept = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    return {
        **kept,
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join([str(TESTS), *filter(None, [kept.get("PYTHONPATH")])]),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


@contextmanager
def session(
    folder: Path, *, master: str = "local[2]", settings: dict[str, str] | None = None
) -> Generator[SparkSession]:
    """Run a Spark driver whose files, logs included, all lie in `folder`.

    Its log is `spark.log`; what its processes print goes to `output.log`.
    """
    from pyspark import SparkConf, SparkContext, java_gateway
    from pyspark.sql import SparkSession

    conf = SparkConf(loadDefaults=False).setMaster(master).setAppName("sfumato")
    conf = conf.setAll([*_settings(folder).items(), *(settings or {}).items()])
    with _environment(), (folder / "output.log").open("wb") as output:
        launch: Any = vars(java_gateway)["launch_gateway"]  # it has no types
        gateway = launch(conf, {"stdout": output, "stderr": output})
    try:
        with _environment():
            context = SparkContext(gateway=gateway, conf=conf)
        context.setLogLevel("INFO")
        yield SparkSession(context)
        context.stop()
    finally:
        gateway.shutdown()
        _ended(gateway.proc)


@contextmanager
def _environment() -> Generator[None]:
    """Lend this process the variables of Spark's; other tests must not see them."""
    with pytest.MonkeyPatch.context() as patch:
        for name in _FOREIGN:
            patch.delenv(name, raising=False)
        for name, value in environment().items():
            patch.setenv(name, value)
        yield


def _settings(folder: Path) -> dict[str, str]:
    logging = folder / "log4j2.properties"
    logging.write_text(_LOGGING.format(file=folder / "spark.log"))
    return {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": f"{BRIEF} -Dlog4j2.configurationFile={logging.as_uri()}",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.python.daemon.module": "engines.spark.daemon",
        "spark.local.dir": str(folder / "scratch"),
        # Small tables too are cut into parts and brought together again.
        "spark.sql.adaptive.coalescePartitions.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }


def _ended(process: subprocess.Popen[bytes]) -> None:
    """End a driver's JVM, which goes by itself when the pipe to it breaks."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def until(happened: Callable[[], bool], seconds: int = 120) -> None:
    """Wait for something that must happen, and fail if it does not."""
    last = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < last, "What was waited for did not happen."
        time.sleep(0.05)
