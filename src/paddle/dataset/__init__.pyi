"""Written by scripts/stubs.py; change the functions, not this file."""

from . import cifar as cifar
from . import common as common
from . import conll05 as conll05
from . import flowers as flowers
from . import image as image
from . import imdb as imdb
from . import imikolov as imikolov
from . import mnist as mnist
from . import movielens as movielens
from . import uci_housing as uci_housing
from . import voc2012 as voc2012
from . import wmt14 as wmt14
from . import wmt16 as wmt16
