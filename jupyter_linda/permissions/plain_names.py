"""The names that plain code may use: functions by their whole paths, methods, attributes, arguments."""

from __future__ import annotations

import builtins
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

IMPORTS: Mapping[str, frozenset[str]] = {
    "pandas": frozenset(["pd", "pandas"]),
    "numpy": frozenset(["np", "numpy"]),
    "polars": frozenset(["pl", "polars"]),
    "matplotlib.pyplot": frozenset(["plt"]),
    "math": frozenset(["math"]),
    "statistics": frozenset(["statistics"]),
    "random": frozenset(["random"]),
    "datetime": frozenset(["datetime", "dt"]),
}
"""What may be imported, and as which name: these names mean these modules, and nothing else may be called so."""
ROOTS = {alias: module for module, aliases in IMPORTS.items() for alias in aliases}


def _words(names: str) -> frozenset[str]:
    return frozenset(names.split())


def _each(most: int, names: str) -> dict[str, int]:
    return dict.fromkeys(names.split(), most)


FUNCTIONS: Mapping[str, Mapping[str, int]] = {
    "pandas": {
        **_each(4, "DataFrame Series date_range period_range to_datetime to_numeric to_timedelta"),
        **_each(2, "concat merge cut qcut crosstab get_dummies isna isnull notna notnull unique Categorical melt"),
        **_each(1, "pivot_table Timestamp Timedelta"),
    },
    "numpy": {
        **_each(
            1, "sqrt exp log log2 log10 log1p expm1 sin cos tan arcsin arccos arctan tanh abs floor ceil sign isnan"
        ),
        **_each(
            1, "isfinite isinf unique transpose array asarray size shape ravel corrcoef cov square zeros_like argsort"
        ),
        **_each(1, "ones_like meshgrid histogram random.seed random.default_rng random.rand random.randn eye float64"),
        **_each(1, "int64 nonzero column_stack vstack hstack"),
        **_each(
            2, "mean median std var sum prod min max round around cumsum cumprod diff dot nanmean nansum nanstd any"
        ),
        **_each(
            2, "all argmin argmax concatenate stack zeros ones full reshape repeat tile power maximum minimum sort"
        ),
        **_each(2, "polyfit polyval bincount isin nanmin nanmax nanmedian quantile percentile matmul outer"),
        **_each(3, "arange linspace logspace where isclose allclose random.randint random.normal random.uniform"),
        **_each(3, "random.choice random.binomial random.poisson interp"),
    },
    "polars": {
        **_each(4, "DataFrame Series col lit len all concat when"),
    },
    "matplotlib.pyplot": {
        **_each(0, "show tight_layout gca gcf"),
        **_each(1, "figure title xlabel ylabel suptitle legend grid axis colorbar pie boxplot violinplot imshow"),
        **_each(2, "xticks yticks xlim ylim subplots hist axhline axvline axvspan axhspan"),
        **_each(3, "plot scatter bar barh fill_between errorbar step stem hlines vlines text subplot contour contourf"),
    },
    "math": _each(
        3,
        "sqrt floor ceil log log2 log10 exp sin cos tan asin acos atan atan2 pow fabs factorial gcd lcm hypot isnan"
        " isinf isclose comb perm prod fsum radians degrees trunc",
    ),
    "statistics": _each(1, "mean median mode stdev variance pstdev pvariance fmean geometric_mean quantiles"),
    "random": _each(2, "seed random randint uniform choice gauss sample"),
    "datetime": _each(
        7, "date datetime timedelta now today date.today datetime.now datetime.today datetime.strptime strptime"
    ),
}
"""By module: what may be called, with the most arguments that it may get by place."""
VALUES: Mapping[str, frozenset[str]] = {
    "pandas": frozenset(["NA", "NaT"]),
    "numpy": frozenset(["nan", "inf", "pi", "e"]),
    "polars": _words("Int8 Int16 Int32 Int64 UInt8 Float32 Float64 Utf8 String Boolean Date Datetime"),
    "matplotlib.pyplot": frozenset(),
    "math": frozenset(["pi", "e", "inf", "nan", "tau"]),
    "statistics": frozenset(),
    "random": frozenset(),
    "datetime": frozenset(),
}
"""By module: what may be mentioned."""
BUILTINS = _each(
    3, "len sum min max sorted range abs round list dict set tuple str int float bool enumerate zip any all"
) | {"print": 20}
TYPES = frozenset(["int", "float", "str", "bool"])
"""What may be named without being called: as a type of data."""
ATTRIBUTES = _words(
    "shape columns index dtypes dtype values size empty ndim T str dt loc iloc at iat plot year month day hour"
)
ITEMS = frozenset(["loc", "iloc", "at", "iat"])
ALONE = _words(
    "sum mean median min max std var prod mode first last size sem skew kurt count nunique unique any all"
    " cumsum cumprod cummax cummin idxmax idxmin isna isnull notna notnull abs describe info value_counts"
    " duplicated drop_duplicates dropna reset_index sort_index corr cov rank pct_change tolist to_list items"
    " keys values copy transpose flatten ravel stack unstack diff shift is_null is_not_null null_count"
    " n_unique len collect interpolate round ffill bfill memory_usage clip sample expanding argmin argmax"
    " isalpha isdigit isnumeric lower upper title strip year month day hour minute weekday week quarter"
    " total_seconds isoformat day_name month_name"
)
"""Methods that are called without arguments by place."""
NUMBERS: Mapping[str, int] = {
    **_each(1, "head tail sample shift diff quantile rolling round pct_change limit"),
    **_each(2, "clip integers uniform slice"),
    **_each(3, "normal"),
    "reshape": 4,
}
"""Methods whose arguments are written numbers."""
NAMES: Mapping[str, int] = {
    **_each(1, "groupby group_by set_index sort_values explode resample over alias drop drop_duplicates rename dropna"),
    **_each(1, "reset_index unique value_counts astype cast hist boxplot box replace then otherwise when"),
    **_each(2, "nlargest nsmallest"),
    **_each(9, "select filter with_columns sort"),
}
"""Methods whose arguments are names and numbers that stand written in the code, or expressions of polars."""
OF_POLARS = frozenset(["when", "filter", "with_columns"])
"""These take nothing else than expressions of polars: elsewhere a text would be a program in another language."""
EXPRESSIONS = frozenset(["col", "lit", "len", "all", "when"])
"""The functions of polars that give an expression, whatever they get."""
DRAWN: Mapping[str, int] = {
    **_each(0, "pie area kde density"),
    **_each(1, "set_title set_xlabel set_ylabel suptitle set_xticks set_yticks legend grid axhline axvline"),
    **_each(2, "set_xlim set_ylim bar barh line scatter"),
    **_each(3, "plot fill_between"),
}
"""Methods of pictures. They draw what they are given."""
PLOTS = _words("bar barh line scatter hist box pie area kde density")
"""Methods behind `.plot`."""
VALUED: Mapping[str, int] = {**_each(1, "fillna isin merge fill_null is_in"), "between": 2}
"""Methods that compute with what they are given."""
CHOOSING: Mapping[str, int] = _each(1, "where mask")
BARE = ALONE | frozenset(NAMES) | frozenset(["assign", "pivot_table", "pivot", "melt", "resample", "rolling"])
"""What may be called with nothing by place."""
ONE_OF_THEM = _words(
    "max min sum prod first last mode median quantile choice sample get find values items keys tolist to_list"
)
"""They may give back one of the things that they look at."""
LATE = frozenset(["plot", "hist", "boxplot", "corr", "interpolate"])
"""Methods that import something when they are called."""
AGGREGATING = frozenset(["agg", "aggregate", "transform"])
AGGREGATES = _words("sum mean median min max count std var nunique first last size sem skew prod any all idxmax idxmin")
"""The only methods that are called by a name in a text."""
OF_TEXT = _words(
    "contains startswith endswith starts_with ends_with lower upper strip lstrip rstrip len len_chars replace"
    " replace_all split slice title zfill extract count find get cat"
)
"""Methods behind `.str`: their texts are patterns."""
OF_TIME = _words("strftime floor ceil round truncate")
"""Methods behind `.dt`, with one text."""
KEYWORDS = _words(
    "by ascending descending axis n frac random_state normalize dropna subset columns index values on how"
    " left_on right_on suffixes level drop fill_value periods freq start end step figsize bins alpha color c"
    " label marker linestyle linewidth lw s ls width height title xlabel ylabel x y kind rot stacked subplots"
    " legend grid sharex sharey layout fontsize size loc rotation ha va ncols nrows dpi ax cmap density"
    " histtype edgecolor facecolor colors labels autopct startangle explode markersize bottom left align"
    " capsize yerr xerr pad where as_index sort observed group_keys margins names keys ignore_index join"
    " id_vars value_vars var_name value_name include exclude percentiles numeric_only skipna ddof min_periods"
    " window center q errors unit format dayfirst utc name data dtype schema case na regex expand pat repl"
    " n_splits lower upper method limit decimals days hours minutes seconds weeks months years closed keepdims"
    " weights zorder ymin ymax xmin xmax strategy maintain_order nulls_last reverse right duplicates"
    " include_lowest retbins drop_first prefix indicator validate keep return_index return_counts"
    " return_inverse endpoint num deg scale low high replace p orient separator sep ndigits default strict"
)
"""The arguments by name: none of them is a place, a plug-in, or something that is called."""
MAGICS = _words(
    "alias alias_magic autoawait autocall automagic bash bookmark capture cat cd code_wrap colors conda"
    " config connect_info cp clear cls debug dhist dirs doctest_mode ed edit env file gui hist history html"
    " javascript js killbgscripts latex ldir less lf lk ll load load_ext loadpy logoff logon logstart logstate"
    " logstop ls lsmagic lx macro magic mamba man markdown matplotlib micromamba mkdir more mv notebook page"
    " pastebin pdb pdef pdoc perl pfile pinfo pinfo2 pip popd pprint precision prun psearch psource pushd pwd"
    " pycat pylab pypy python python2 python3 qtconsole quickref recall rehashx reload_ext rep rerun reset"
    " reset_selective rm rmdir ruby run save sc script set_env sh sql store svg sx system tb time timeit"
    " unalias uncache unload_ext uv who who_ls whos writefile xdel xmode subshell autosave autoreload aimport"
    " R Rpush Rpull cython memit mprun lprun"
)
"""A line that begins with one of these is no Python to IPython."""
CLOSED = (
    frozenset(dir(builtins)) | frozenset(sys.stdlib_module_names) | MAGICS
    | _words(
    "get_ipython display exit quit In Out ip requests httpx fsspec IPython ipykernel rcParams"
)
)  # fmt: skip
"""Names that are neither read nor bound."""
