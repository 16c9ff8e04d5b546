"""The bugs that are planted, by the part of the library that they are planted in."""

from __future__ import annotations

from planted.catalogue.charts import CHARTS
from planted.catalogue.distributed import DISTRIBUTED
from planted.catalogue.engines import ENGINES
from planted.catalogue.mechanisms import MECHANISMS
from planted.catalogue.noise import NOISE
from planted.catalogue.privacy import PRIVACY
from planted.catalogue.releases import RELEASES

MUTANTS = (*NOISE, *MECHANISMS, *PRIVACY, *ENGINES, *CHARTS, *RELEASES, *DISTRIBUTED)
