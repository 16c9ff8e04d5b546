# What is public, said here and nowhere else: `__init__.py` loads each name from where this file
# imports it, and type checkers read it as it is.

from sfumato import testing as testing
from sfumato.api import barplot as barplot
from sfumato.api import boxplot as boxplot
from sfumato.api import choropleth as choropleth
from sfumato.api import corrplot as corrplot
from sfumato.api import countplot as countplot
from sfumato.api import heatmap as heatmap
from sfumato.api import histplot as histplot
from sfumato.api import jointplot as jointplot
from sfumato.api import lineplot as lineplot
from sfumato.api import pairplot as pairplot
from sfumato.api import pca as pca
from sfumato.api import pointplot as pointplot
from sfumato.api import quantiles as quantiles
from sfumato.api import scatterplot as scatterplot
from sfumato.api import scoreplot as scoreplot
from sfumato.charts.boxplot.chart import Boxplot as Boxplot
from sfumato.charts.choropleth import Choropleth as Choropleth
from sfumato.charts.countplot import Countplot as Countplot
from sfumato.charts.heatmap.chart import Heatmap as Heatmap
from sfumato.charts.heatmap.redrawn import Jointplot as Jointplot
from sfumato.charts.heatmap.redrawn import Scatterplot as Scatterplot
from sfumato.charts.histogram import Histogram as Histogram
from sfumato.charts.means.chart import Barplot as Barplot
from sfumato.charts.means.redrawn import Lineplot as Lineplot
from sfumato.charts.means.redrawn import Pointplot as Pointplot
from sfumato.charts.pairplot.chart import Pairplot as Pairplot
from sfumato.charts.pca.chart import PCA as PCA
from sfumato.charts.pca.corrplot import Corrplot as Corrplot
from sfumato.charts.quantiles import Quantiles as Quantiles
from sfumato.charts.scoreplot.chart import Scoreplot as Scoreplot
from sfumato.domain import Bounds as Bounds
from sfumato.domain import Categories as Categories
from sfumato.domain import Domain as Domain
from sfumato.engines.table import Table as Table
from sfumato.errors import BudgetError as BudgetError
from sfumato.errors import DomainError as DomainError
from sfumato.errors import LedgerError as LedgerError
from sfumato.errors import ReleaseError as ReleaseError
from sfumato.errors import SfumatoError as SfumatoError
from sfumato.errors import SignatureError as SignatureError
from sfumato.errors import SourceError as SourceError
from sfumato.privacy.budget import Budget as Budget
from sfumato.privacy.guarantee import PrivacyUnit as PrivacyUnit
from sfumato.privacy.ledger import Ledger as Ledger
from sfumato.private_search import private as private
from sfumato.releases.combining import combine as combine
from sfumato.releases.document import load as load
from sfumato.releases.release import Release as Release
from sfumato.releases.signature import create_key as create_key
from sfumato.session import Session as Session

__version__: str
