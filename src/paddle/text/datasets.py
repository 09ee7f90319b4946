"""Data sets of texts, read from given files or from the cache folder. The parsers are those of ``paddle.dataset``.

Each takes ``data_file``, the path of its archive: None looks into the cache folder and, unless ``download`` is False,
downloads. Archives are read in place, nothing in them is run.
"""

import re

import numpy as np

from ..core import dtype as dtypes
from ..dataset import conll05, imdb, imikolov, movielens, uci_housing, wmt14, wmt16
from ..dataset.common import checked_mode, needed
from ..io import Dataset

__all__ = ["Conll05st", "Imdb", "Imikolov", "Movielens", "UCIHousing", "WMT14", "WMT16"]


class _Samples(Dataset):
    """Samples held as tuples of lists in ``data``; each is given as a tuple of arrays."""

    data: list

    def __getitem__(self, idx):
        return tuple(np.array(part) for part in self.data[idx])

    def __len__(self):
        return len(self.data)


class Conll05st(_Samples):
    """Semantic roles: the public test part of CoNLL-2005, one sample per predicate.

    A sample is nine int64 arrays of the sentence's length: words, the five words around the predicate (two before, one
    before, itself, one after, two after), the predicate, marks of those five places, labels.

    Args:
        data_file: conll05st-tests.tar.gz.
        word_dict_file, verb_dict_file, target_dict_file: words, predicates and labels, one a line.
        emb_file: trained word vectors, needed for ``get_embedding`` only.
        download: False never downloads.
    """

    def __init__(self, data_file=None, word_dict_file=None, verb_dict_file=None, target_dict_file=None, emb_file=None,
                 download=True):
        def found(path, url, md5sum, argument):
            return path or needed(url, "conll05st", md5sum, download, "Conll05st", argument)

        self.data_file = found(data_file, conll05.DATA_URL, conll05.DATA_MD5, "data_file")
        self.word_dict_file = found(word_dict_file, conll05.WORDDICT_URL, conll05.WORDDICT_MD5, "word_dict_file")
        self.verb_dict_file = found(verb_dict_file, conll05.VERBDICT_URL, conll05.VERBDICT_MD5, "verb_dict_file")
        self.target_dict_file = found(target_dict_file, conll05.TRGDICT_URL, conll05.TRGDICT_MD5, "target_dict_file")
        self.emb_file, self._download = emb_file, download
        self.word_dict = conll05.load_dict(self.word_dict_file)
        self.predicate_dict = conll05.load_dict(self.verb_dict_file)
        self.label_dict = conll05.load_label_dict(self.target_dict_file)
        sentences = conll05.corpus_reader(self.data_file, conll05.WORDS, conll05.PROPS)
        self.data = list(conll05.reader_creator(sentences, *self.get_dict())())

    def get_dict(self):
        """The numbers of the words, of the predicates and of the labels."""
        return self.word_dict, self.predicate_dict, self.label_dict

    def get_embedding(self):
        """The path of the trained word vectors."""
        if self.emb_file is None:
            self.emb_file = needed(conll05.EMB_URL, "conll05st", conll05.EMB_MD5, self._download, "Conll05st", "emb_file")
        return self.emb_file


class Imdb(Dataset):
    """Film reviews: sample i is (word numbers, [0] for a good one or [1] for a bad one), int64.

    Args:
        data_file: aclImdb_v1.tar.gz.
        mode: 'train' or 'test'.
        cutoff: words met no more than so often become "<unk>".
        download: False never downloads.
    """

    def __init__(self, data_file=None, mode="train", cutoff=150, download=True):
        self.mode = checked_mode(mode, ("train", "test"), "Imdb")
        self.data_file = data_file or needed(imdb.URL, "imdb", imdb.MD5, download, "Imdb", "data_file")
        self.word_idx = imdb.build_dict(imdb.REVIEWS, cutoff, self.data_file)
        good, bad = (re.compile(rf"aclImdb/{self.mode}/{kind}/.*\.txt$") for kind in ("pos", "neg"))
        samples = list(imdb.reader_creator(good, bad, self.word_idx, self.data_file)())
        self.docs, self.labels = [words for words, _ in samples], [label for _, label in samples]

    def __getitem__(self, idx):
        return np.array(self.docs[idx], np.int64), np.array([self.labels[idx]])

    def __len__(self):
        return len(self.docs)


class Imikolov(_Samples):
    """The Penn Treebank sample of Mikolov's toolkit, as windows of words or as sentences with their shifted twin.

    Args:
        data_file: simple-examples.tgz.
        data_type: 'NGRAM', a sample is ``window_size`` numbers; 'SEQ', a sample is two arrays of numbers.
        window_size: for 'SEQ', longer sentences are left out if it is above 0.
        mode: 'train' or 'test'.
        min_word_freq: words met no more than so often become "<unk>".
        download: False never downloads.
    """

    def __init__(self, data_file=None, data_type="NGRAM", window_size=-1, mode="train", min_word_freq=50, download=True):
        self.mode = checked_mode(mode, ("train", "test"), "Imikolov")
        kinds = {"NGRAM": imikolov.DataType.NGRAM, "SEQ": imikolov.DataType.SEQ}
        if not isinstance(data_type, str) or data_type.upper() not in kinds:
            raise ValueError(f"Imikolov(): data_type must be one of {list(kinds)}, got {data_type!r}")
        self.data_type, self.window_size, self.min_word_freq = data_type.upper(), window_size, min_word_freq
        if self.data_type == "NGRAM" and window_size < 1:
            raise ValueError(f"Imikolov(): window_size must be at least 1 for 'NGRAM', got {window_size}")
        self.data_file = data_file or needed(imikolov.URL, "imikolov", imikolov.MD5, download, "Imikolov", "data_file")
        self.word_idx = imikolov.build_dict(min_word_freq, self.data_file)
        text = f"simple-examples/data/ptb.{self.mode}.txt"
        self.data = list(imikolov.reader_creator(text, self.word_idx, window_size, kinds[self.data_type], self.data_file)())


class Movielens(_Samples):
    """MovieLens 1M: sample i is user, sex, age group, job, film, categories, words of the title, rating from -3 to 5.

    Args:
        data_file: ml-1m.zip.
        mode: 'train' or 'test'.
        test_ratio: the fraction of ratings, drawn with ``rand_seed``, that is for testing.
        download: False never downloads.
    """

    def __init__(self, data_file=None, mode="train", test_ratio=0.1, rand_seed=0, download=True):
        self.mode = checked_mode(mode, ("train", "test"), "Movielens")
        self.data_file = data_file or needed(movielens.URL, "movielens", movielens.MD5, download, "Movielens", "data_file")
        self.test_ratio, self.rand_seed = test_ratio, rand_seed
        meta = movielens.load_meta(self.data_file)
        self.movie_info, self.user_info = meta.movies, meta.users
        self.movie_title_dict, self.categories_dict = meta.title_words, meta.categories
        self.data = [tuple(part if isinstance(part, list) else [part] for part in sample)
                     for sample in movielens.read(self.data_file, rand_seed, test_ratio, self.mode == "test")]


class UCIHousing(Dataset):
    """Boston house prices: sample i is (13 features, centred and scaled; [price]) of the default dtype.

    Args:
        data_file: housing.data.
        mode: 'train', the first four fifths, or 'test', the rest.
        download: False never downloads.
    """

    def __init__(self, data_file=None, mode="train", download=True):
        self.mode = checked_mode(mode, ("train", "test"), "UCIHousing")
        self.data_file = data_file or needed(uci_housing.URL, "uci_housing", uci_housing.MD5, download, "UCIHousing", "data_file")
        self.data = uci_housing.load_data(self.data_file)[self.mode == "test"]
        self.dtype = dtypes.get_default_dtype()

    def __getitem__(self, idx):
        row = self.data[idx].astype(self.dtype)
        return row[:-1], row[-1:]

    def __len__(self):
        return len(self.data)


def _dict_size(size, function, argument):
    if not isinstance(size, int) or size < 3:
        raise ValueError(f"{function}(): {argument} must be an int of at least 3 (a dictionary has three marks), got {size!r}")
    return size


class _Pairs(_Samples):
    """Sentences and translations: a sample is (source, target from "<s>" on, target up to "<e>"), word numbers."""

    src_ids = property(lambda self: [source for source, _, _ in self.data])
    trg_ids = property(lambda self: [target for _, target, _ in self.data])
    trg_ids_next = property(lambda self: [following for _, _, following in self.data])


class WMT14(_Pairs):
    """WMT14 English-French, a small part: sample i is (source, target from "<s>" on, target up to "<e>"), word numbers.

    Pairs of more than 80 words are left out.

    Args:
        data_file: wmt14.tgz.
        mode: 'train', 'test' or 'gen'.
        dict_size: words in each dictionary, "<s>", "<e>" and "<unk>" among them; must be given.
        download: False never downloads.
    """

    def __init__(self, data_file=None, mode="train", dict_size=-1, download=True):
        self.mode = checked_mode(mode, ("train", "test", "gen"), "WMT14")
        self.dict_size = _dict_size(dict_size, "WMT14", "dict_size")
        self.data_file = data_file or needed(wmt14.URL_TRAIN, "wmt14", wmt14.MD5_TRAIN, download, "WMT14", "data_file")
        self.src_dict, self.trg_dict = wmt14.read_dicts(self.data_file, dict_size)
        self.data = list(wmt14.reader_creator(self.data_file, f"{self.mode}/{self.mode}", dict_size)())

    def get_dict(self, reverse=False):
        """The source and the target dictionary: numbers by word, or words by number with ``reverse``."""
        dicts = self.src_dict, self.trg_dict
        return tuple({i: word for word, i in d.items()} for d in dicts) if reverse else dicts


class WMT16(_Pairs):
    """WMT16 Multi30k English-German: sample i is (source, target from "<s>" on, target up to "<e>"), word numbers.

    Each language has a dictionary of its own words. (Paddle 2.6 takes the source's words for both by mistake.)

    Args:
        data_file: wmt16.tar.gz.
        mode: 'train', 'test' or 'val'.
        src_dict_size, trg_dict_size: words in each dictionary, "<s>", "<e>" and "<unk>" among them; must be given.
        lang: the source, 'en' or 'de'; the target is the other one.
        download: False never downloads.
    """

    def __init__(self, data_file=None, mode="train", src_dict_size=-1, trg_dict_size=-1, lang="en", download=True):
        self.mode = checked_mode(mode, ("train", "test", "val"), "WMT16")
        self.src_dict_size = _dict_size(src_dict_size, "WMT16", "src_dict_size")
        self.trg_dict_size = _dict_size(trg_dict_size, "WMT16", "trg_dict_size")
        self.lang = checked_mode(lang, wmt16.LANGUAGES, "WMT16", "lang")
        self.data_file = data_file or needed(wmt16.DATA_URL, "wmt16", wmt16.DATA_MD5, download, "WMT16", "data_file")
        target = wmt16.LANGUAGES[1 - wmt16.LANGUAGES.index(self.lang)]
        self.src_dict = wmt16.build_dict(self.data_file, src_dict_size, self.lang)
        self.trg_dict = wmt16.build_dict(self.data_file, trg_dict_size, target)
        self.data = list(wmt16.reader_creator(self.data_file, f"wmt16/{self.mode}", src_dict_size, trg_dict_size, self.lang)())

    def get_dict(self, lang, reverse=False):
        """The dictionary of 'en' or 'de': numbers by word, or words by number with ``reverse``."""
        words = self.src_dict if checked_mode(lang, wmt16.LANGUAGES, "get_dict", "lang") == self.lang else self.trg_dict
        return {i: word for word, i in words.items()} if reverse else dict(words)


__path__ = []  # a package in Paddle: the paths below it are addresses
