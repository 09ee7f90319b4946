"""MovieLens 1M ratings as readers. In 2.x: paddle.text.datasets.Movielens."""

import functools
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from .common import download

__all__ = ["MovieInfo", "UserInfo", "age_table", "fetch", "get_movie_title_dict", "max_job_id", "max_movie_id",
           "max_user_id", "movie_categories", "movie_info", "test", "train", "user_info"]

URL = "https://dataset.bj.bcebos.com/movielens%2Fml-1m.zip"
MD5 = "c4d9eecfca2ab87c1945afe126590906"

#: The lower ends of the age groups.
age_table = [1, 18, 25, 35, 45, 50, 56]


@dataclass
class MovieInfo:
    """A film: its number, the names of its categories, its title without the year."""

    index: int
    categories: list[str]
    title: str
    _numbers: tuple[dict, dict] = field(repr=False, compare=False, default=({}, {}))

    def value(self) -> list:
        """[number, numbers of the categories, numbers of the words of the title]."""
        categories, words = self._numbers
        return [self.index, [categories[c] for c in self.categories], [words[w.lower()] for w in self.title.split()]]


@dataclass
class UserInfo:
    """A user: number, sex, age group (a place in `age_table`), job."""

    index: int
    is_male: bool
    age: int
    job_id: int

    def value(self) -> list[int]:
        """[number, 0 for a man or 1 for a woman, age group, job]."""
        return [self.index, 0 if self.is_male else 1, self.age, self.job_id]


@dataclass
class Meta:
    """What the archive says about films and users."""

    movies: dict[int, MovieInfo]
    users: dict[int, UserInfo]
    title_words: dict[str, int]
    categories: dict[str, int]


def train(rand_seed: int = 0, test_ratio: float = 0.1) -> Callable:
    """A reader of nine tenths of the ratings: user's values, film's values, [rating from -3 to 5]."""
    return lambda: read(download(URL, "movielens", MD5), rand_seed, test_ratio, is_test=False)


def test(rand_seed: int = 0, test_ratio: float = 0.1) -> Callable:
    """A reader of the remaining tenth of the ratings, in the form of `train`."""
    return lambda: read(download(URL, "movielens", MD5), rand_seed, test_ratio, is_test=True)


def get_movie_title_dict() -> dict[str, int]:
    """Numbers of the words of all titles, in alphabetical order."""
    return _cached_meta().title_words


def movie_categories() -> dict[str, int]:
    """Numbers of the categories, in alphabetical order."""
    return _cached_meta().categories


def movie_info() -> dict[int, MovieInfo]:
    """Films by number."""
    return _cached_meta().movies


def user_info() -> dict[int, UserInfo]:
    """Users by number."""
    return _cached_meta().users


def max_movie_id() -> int:
    """The largest number of a film."""
    return max(_cached_meta().movies)


def max_user_id() -> int:
    """The largest number of a user."""
    return max(_cached_meta().users)


def max_job_id() -> int:
    """The largest number of a job."""
    return max(user.job_id for user in _cached_meta().users.values())


def fetch() -> None:
    """Makes sure that the file is at hand."""
    download(URL, "movielens", MD5)


def read(path: str, rand_seed: int, test_ratio: float, is_test: bool) -> Iterator[list]:
    """Samples of one part of an archive. A seed always makes the same parts, and no other random state is touched."""
    meta = load_meta(path)
    random = np.random.RandomState(rand_seed)
    for user, movie, rating, _ in _rows(path, "ml-1m/ratings.dat", 4):
        if (random.random_sample() < test_ratio) == is_test:
            score = float(rating) * 2 - 5.0
            yield meta.users[int(user)].value() + meta.movies[int(movie)].value() + [[score]]


@functools.lru_cache(maxsize=2)
def load_meta(path: str) -> Meta:
    """Reads the films and users of an archive."""
    categories: dict[str, int] = {}
    title_words: dict[str, int] = {}
    movies = {}
    for number, title, kinds in _rows(path, "ml-1m/movies.dat", 3):
        plain = re.fullmatch(r"(.*)\(\d+\)", title)
        if plain is None:
            raise ValueError(f"{path}: ml-1m/movies.dat: the title {title!r} has no year")
        movies[int(number)] = MovieInfo(int(number), kinds.split("|"), plain[1], (categories, title_words))
    kinds = {c for movie in movies.values() for c in movie.categories}
    words = {w.lower() for movie in movies.values() for w in movie.title.split()}
    categories.update({name: i for i, name in enumerate(sorted(kinds))})
    title_words.update({word: i for i, word in enumerate(sorted(words))})
    users = {int(number): UserInfo(int(number), sex == "M", age_table.index(int(age)), int(job))
             for number, sex, age, job, _ in _rows(path, "ml-1m/users.dat", 5)}
    return Meta(movies, users, title_words, categories)


def _cached_meta() -> Meta:
    return load_meta(download(URL, "movielens", MD5))


def _rows(path: str, name: str, width: int) -> Iterator[list[str]]:
    """The fields, separated by '::', of each line of a file of the archive."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(name) as file:
            for number, line in enumerate(file, 1):
                fields = line.decode("latin-1").strip().split("::")
                if len(fields) != width:
                    raise ValueError(f"{path}: {name}, line {number}: {len(fields)} fields where {width} are expected")
                yield fields
    except (zipfile.BadZipFile, KeyError) as error:
        raise ValueError(f"{path} is not the MovieLens archive: {error}") from error
