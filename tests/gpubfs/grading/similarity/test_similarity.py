"""Winnowing over words of kernels: what changes nothing, what is always found, what never."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from gpubfs.cli.main import group
from gpubfs.errors import UsageError
from gpubfs.grading.exercise import MAX_BYTES
from gpubfs.grading.loading import load
from gpubfs.grading.similarity.pairs import Comparison
from gpubfs.grading.similarity.passages import Passage, passages
from gpubfs.grading.similarity.report import compare_class
from gpubfs.grading.similarity.winnowing import Thresholds, grams, winnow
from gpubfs.grading.similarity.words import words
from tests.timing import soon

LESSONS = Path(__file__).parents[4] / "lessons"
SUM = load(LESSONS / "00-warp" / "exercises" / "sum")
LOOP = load(LESSONS / "01-levels" / "exercises" / "level-loop")
KERNEL = SUM.solution.read_text("utf-8")
DRIVER = LOOP.solution.read_text("utf-8")
#: Names of the author's in the kernel.
OWN = ("warp", "lane", "value", "total", "i")


def plain(text: str, suffix: str = ".cu") -> list[str]:
    return [word.text for word in words(text, suffix)]


#: The kernel's words.
WORDS = plain(KERNEL)
names = st.from_regex(r"[a-w]{3}_[a-z]{2,6}", fullmatch=True)
spaces = st.sampled_from([" ", "  ", "\n", "\t", " /* x */ ", " // y = 1;\n", "\\\n "])


@given(st.lists(names, min_size=len(OWN), max_size=len(OWN), unique=True))
def test_other_names_change_nothing(new: list[str]) -> None:
    text = KERNEL
    for old, name in zip(OWN, new, strict=True):
        text = re.sub(rf"\b{old}\b", name, text)
    assert plain(text) == WORDS


@given(st.lists(spaces, min_size=1, max_size=20))
def test_comments_and_white_space_change_nothing(gaps: list[str]) -> None:
    lines = re.sub(r"//.*", "", KERNEL)
    pieces = re.split(r" +|\n", lines)
    text = "".join(piece + gaps[n % len(gaps)] for n, piece in enumerate(pieces))
    assert plain(text) == WORDS


@given(st.integers(0, 10**6))
def test_other_numbers_change_nothing(number: int) -> None:
    assert plain(re.sub(r"\b\d+\b", str(number), KERNEL)) == WORDS


def test_names_of_cuda_are_kept() -> None:
    assert plain("__syncthreads(); atomicAdd(&a, threadIdx.x);") == plain(
        "__syncthreads() ; atomicAdd(& b,threadIdx.y ) ;"
    )
    assert "__syncthreads" in plain("__syncthreads();")
    assert plain("atomicAdd(a, 1);") != plain("atomicMax(a, 1);")


def test_drivers_are_words_too() -> None:
    renamed = re.sub(r"\bdepth\b", "tiefe", DRIVER) + "\n# a comment\n"
    assert plain(renamed, ".py") == plain(DRIVER, ".py")
    assert len(plain(DRIVER, ".py")) > 20


@given(st.text(max_size=60), st.sampled_from([".cu", ".py"]))
def test_any_text_has_words(text: str, suffix: str) -> None:
    for word in words(text, suffix):
        assert 1 <= word.line <= text.count("\n") + text.count("\r") + text.count("\f") + 2


alphabet = st.lists(st.sampled_from("abc"), max_size=60)
#: At least as long as any guarantee below.
long_texts = st.lists(st.sampled_from("abc"), min_size=12, max_size=40)
thresholds = st.tuples(st.integers(1, 6), st.integers(0, 6)).map(
    lambda pair: Thresholds(pair[0], pair[0] + pair[1])
)


@given(long_texts, alphabet, alphabet, alphabet, alphabet, thresholds)
def test_a_copy_as_long_as_the_guarantee_is_found(
    copy: list[str], a: list[str], b: list[str], c: list[str], d: list[str], limits: Thresholds
) -> None:
    copy = copy[: limits.guarantee]
    one, other = [*a, *copy, *b], [*c, *copy, *d]
    prints = [winnow(grams(text, limits.noise), limits.window) for text in (one, other)]
    assert {value for value, _ in prints[0]} & {value for value, _ in prints[1]}


@given(alphabet, alphabet, alphabet, thresholds)
def test_the_guarantee_holds_beside_what_was_given(
    a: list[str], b: list[str], given_text: list[str], limits: Thresholds
) -> None:
    """As many k-grams in a row as the window, none of which was given, share a fingerprint."""
    without = {value for value, _ in grams(given_text, limits.noise)}
    copy = list("xyzxxyyzzxyxzyxzzyx")
    fresh = [value for value, _ in grams(copy, limits.noise) if value not in without]
    if len(fresh) < limits.window:
        return
    found = [
        {v for v, _ in winnow(grams(text, limits.noise), limits.window, without)}
        for text in ([*a, *copy, *given_text], [*given_text, *copy, *b])
    ]
    assert found[0] & found[1]
    assert not found[0] & without


@given(alphabet, alphabet, thresholds)
def test_nothing_shorter_than_the_noise_is_found(
    one: list[str], other: list[str], limits: Thresholds
) -> None:
    runs = {tuple(one[n : n + limits.noise]) for n in range(len(one) - limits.noise + 1)}
    shared = any(
        tuple(other[n : n + limits.noise]) in runs for n in range(len(other) - limits.noise + 1)
    )
    prints = [winnow(grams(text, limits.noise), limits.window) for text in (one, other)]
    found = {value for value, _ in prints[0]} & {value for value, _ in prints[1]}
    assert shared or not found


@given(alphabet, thresholds)
def test_every_window_has_its_smallest_last_one(text: list[str], limits: Thresholds) -> None:
    made = grams(text, limits.noise)
    kept = winnow(made, limits.window)
    windows = [made[n : n + limits.window] for n in range(len(made) - limits.window + 1)]
    wanted = {min(window, key=lambda gram: (gram[0], -gram[1])) for window in windows}
    if made and not windows:
        wanted = {min(made, key=lambda gram: (gram[0], -gram[1]))}
    assert set(kept) == wanted


@given(alphabet, alphabet, alphabet, thresholds)
def test_passages_agree_and_do_not_overlap(
    copy: list[str], a: list[str], b: list[str], limits: Thresholds
) -> None:
    one, other = [*a, *copy], [*copy, *b]
    compared = [winnow(grams(text, limits.noise), limits.window) for text in (one, other)]
    shared = [([at], [o for v, o in compared[1] if v == value]) for value, at in compared[0]]
    found = passages(one, other, [pair for pair in shared if pair[1]], limits.noise)
    for passage in found:
        assert passage.length >= limits.noise
        mine = one[passage.first : passage.first + passage.length]
        assert mine == other[passage.second : passage.second + passage.length]
    for first, second in pairwise(found):
        assert first.first + first.length <= second.first


def test_a_passage_is_as_long_as_it_can_be() -> None:
    found = passages(list("xxabcdeyy"), list("abcdez"), [([4], [2])], 2)
    assert found == [Passage(5, 2, 0)]


@pytest.mark.parametrize(("noise", "guarantee"), [(0, 5), (6, 5)])
def test_thresholds_that_do_not_fit_are_refused(noise: int, guarantee: int) -> None:
    with pytest.raises(UsageError, match="do not fit"):
        Thresholds(noise, guarantee)


def unlike(seed: int, size: int = 40) -> str:
    """A kernel that nobody else writes."""
    draw = random.Random(seed)
    lines = [
        f"  {draw.choice(['a', 'b'])}[{draw.choice('ij')}] {draw.choice(['=', '+=', '^='])} "
        + f" {draw.choice(['+', '*', '-', '&'])} ".join(
            draw.choice(["c", "d[i]", "7", "(c + 2)", "threadIdx.x"])
            for _ in range(draw.randint(1, 4))
        )
        + ";"
        for _ in range(size)
    ]
    return "\n".join(["__global__ void own(int *a, int *b, int c, int *d) {", *lines, "}", ""])


def test_what_the_starter_has_does_not_count() -> None:
    starter = unlike(1)
    both = {"ada": starter + unlike(2), "bob": starter + unlike(3)}
    (pair,) = Comparison(both, ".cu").pairs()
    assert pair.share > 0.4
    # What is left is where the parts meet: a kernel's end, and the head of the next one.
    assert all(pair.share < 0.1 for pair in Comparison(both, ".cu", [starter]).pairs())


def test_what_many_have_does_not_count() -> None:
    everybody = {f"s{n}": unlike(1) + unlike(n + 10) for n in range(6)}
    everybody["s5"] += unlike(99)
    everybody["copy"] = unlike(99) + unlike(50)
    found = Comparison(everybody, ".cu", common=3).pairs()
    assert (found[0].first, found[0].second) == ("s5", "copy")
    assert found[0].share > 0.4
    assert all(pair.share < 0.1 for pair in found[1:])


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """A class in which one has copied from another, and one file cannot be read."""
    texts = {name: unlike(n) for n, name in enumerate(["ada", "bob", "cyd", "dan"])}
    copied = re.sub(r"\bc\b", "geändert", texts["bob"].replace(";", "; // mine\n"))
    texts["<eve>"] = unlike(9, 20) + copied
    for student, text in texts.items():
        (tmp_path / "class" / student).mkdir(parents=True)
        (tmp_path / "class" / student / "sum.cu").write_text(text, "utf-8")
    for student, data in {"gus": b"", "hal": b"\xff\xfe", "ida": b"x" * (MAX_BYTES + 1)}.items():
        (tmp_path / "class" / student).mkdir()
        (tmp_path / "class" / student / "sum.cu").write_bytes(data)
    (tmp_path / "class" / "lin").mkdir()
    (tmp_path / "class" / "lin" / "sum.cu").symlink_to("../bob/sum.cu")
    return tmp_path / "class"


def test_who_has_copied_is_first(there: Path) -> None:
    report = compare_class(there, SUM)
    best = report.pairs[0]
    assert {best.first, best.second} == {"bob", "<eve>"}
    assert best.share > 0.9
    assert [note.partition(": ")[2].partition(":")[0] for note in report.notes] == ["ida", "lin"]
    (longest, *_) = sorted(report.compared.passages(best), reverse=True)
    assert longest.length >= len(plain(unlike(1)))


def test_the_command_writes_a_page(there: Path) -> None:
    to = there.parent / "similar.html"
    command = ["similar", str(there), "--exercise", str(SUM.folder), "--to", str(to), "--top", "1"]
    result = CliRunner().invoke(group, command)
    assert result.exit_code == 0
    assert "<eve>" in result.output
    text = to.read_text("utf-8")
    assert "<eve>" not in text
    assert "&lt;eve&gt; and bob" in text
    assert "geändert" in text
    assert "no proof" in text


def added(there: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (there / name).mkdir()
        (there / name / "sum.cu").write_text(text, "utf-8")


def test_who_is_alike_stands_in_one_line(there: Path) -> None:
    text = (there / "bob" / "sum.cu").read_text("utf-8")
    names = [f"s{n:02}" for n in range(11)]
    added(there, dict.fromkeys(names, text))
    found = compare_class(there, SUM).pairs
    (alike,) = (pair for pair in found if pair.alike)
    assert alike.students == ("bob", *names)
    assert alike.share == 1
    copied = next(pair for pair in found if "<eve>" in pair.students)
    assert {copied.firsts, copied.seconds} == {("<eve>",), ("bob", *names)}
    to = there.parent / "similar.html"
    command = ["similar", str(there), "--exercise", str(SUM.folder), "--to", str(to)]
    result = CliRunner().invoke(group, command)
    assert "s05" in result.output
    assert "--top" not in result.output
    page = to.read_text("utf-8")
    assert "<p>12 files with the same text</p>" in page
    assert page.count("<h2") == len(found)


def test_who_has_changed_names_only_is_alike_though_the_text_is_not(there: Path) -> None:
    text = (there / "bob" / "sum.cu").read_text("utf-8")
    added(there, {"xia": text.replace("own", "mine"), "yan": text})
    (alike,) = (pair for pair in compare_class(there, SUM).pairs if pair.alike)
    assert alike.students == ("bob", "xia", "yan")
    to = there.parent / "similar.html"
    compare_class(there, SUM).write("sum", 20, to)
    assert "same text" not in to.read_text("utf-8")


names_of_files = st.lists(st.integers(0, 3), min_size=2, max_size=9)


@pytest.mark.slow
@settings(max_examples=20)
@given(names_of_files)
def test_alike_or_not_every_two_that_share_are_in_a_pair(kinds: list[int]) -> None:
    texts = {f"s{n}": KERNEL + unlike(kind, 12) for n, kind in enumerate(kinds)}
    pairs = Comparison(texts, ".cu").pairs()
    met = [{one, other} for pair in pairs for one in pair.firsts for other in pair.seconds]
    for pair in pairs:  # who stands on one side has met the others in a pair of their own
        for side in (pair.firsts, pair.seconds):
            met += [{side[0], other} for other in side[1:]]
            assert len({texts[student] for student in side}) == 1
    together = {frozenset(two) for two in met}
    assert {student for two in together for student in two} == set(texts)
    kinds_met = {frozenset(texts[student] for student in two) for two in together}
    wanted = len(set(kinds))
    assert len([one for one in kinds_met if len(one) == 2]) == wanted * (wanted - 1) // 2


def test_pairs_that_are_not_shown_are_told(there: Path) -> None:
    added(there, {"xia": unlike(0, 30), "yan": unlike(1, 30)})
    to = there.parent / "similar.html"
    command = ["similar", str(there), "--exercise", str(SUM.folder), "--to", str(to)]
    assert "--top" not in CliRunner().invoke(group, command).output
    shown = CliRunner().invoke(group, [*command, "--top", "2"]).output
    assert "more that share less, or as much: --top" in shown
    page = to.read_text("utf-8")
    assert page.count("<h2") == 2
    assert "prefers-color-scheme: dark" in page


def test_a_page_of_huge_files_is_not_huge(tmp_path: Path) -> None:
    text = "int " + " + ".join(f"a{n}" for n in range(2_000)) + ";\n" + "x = y;\n" * 2_000
    for student in ("ada", "bob"):
        (tmp_path / student).mkdir()
        (tmp_path / student / "sum.cu").write_text(text, "utf-8")
    report = compare_class(tmp_path, SUM)
    report.write("sum", 20, tmp_path / "similar.html")
    assert report.pairs[0].share == 1
    assert (tmp_path / "similar.html").stat().st_size < 40_000


def test_a_class_without_copies_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "class" / "ada").mkdir(parents=True)
    to = tmp_path / "similar.html"
    command = ["similar", str(tmp_path / "class"), "--exercise", str(SUM.folder), "--to", str(to)]
    result = CliRunner().invoke(group, command)
    assert "no two of 0 submissions share a passage" in result.output


def test_predictions_are_not_compared(there: Path) -> None:
    count = load(LESSONS / "00-warp" / "exercises" / "count")
    with pytest.raises(UsageError, match="those are not compared"):
        compare_class(there, count)


@settings(max_examples=10)
@given(st.integers(0, 1000), st.integers(0, 30), st.integers(0, 30))
def test_a_copied_kernel_is_found_among_others(seed: int, before: int, after: int) -> None:
    own = unlike(seed)
    copied = unlike(seed + 1, before) + own.replace("[i]", "[k]") + unlike(seed + 2, after)
    found = Comparison({"a": own, "b": copied}, ".cu").pairs()
    assert found
    assert found[0].share == 1


@pytest.mark.slow
def test_three_hundred_students_take_seconds() -> None:
    texts = {f"s{n}": unlike(n, 60) for n in range(300)}
    texts["copy"] = unlike(7, 60).replace(" c ", " q ")
    with soon(60):
        found = Comparison(texts, ".cu", common=30).pairs()
    assert {found[0].first, found[0].second} == {"s7", "copy"}
