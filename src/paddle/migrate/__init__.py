"""Programs of fluid 1.4-1.8 and 2.0 alpha rewritten for 2.6 (``paddle migrate``). Needs libcst."""


def migrate(text, file="<program>", to="2.6"):
    """A program's text in the names and call forms of 2.6 or "3": a Migration with ``text``, ``marks`` and ``changed``."""
    try:
        from .rewrite import migrate as rewrite  # needs libcst, which is optional
    except ModuleNotFoundError as error:
        if error.name != "libcst":
            raise
        raise ImportError("libcst is needed to rewrite programs: pip install libcst") from error
    return rewrite(text, file, to)
