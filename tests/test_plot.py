"""Still figures: what they show, how they follow the page, what they leave alone."""

import re
import subprocess
import sys
from itertools import combinations
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest

from tfdynlib import attention, geometry, plot, sphere
from tfdynlib.gaussian import Gaussian
from tfdynlib.measure import Measure
from tfdynlib.plot import _courses, _drawing
from tfdynlib.plot._still import DARK, LIGHT
from tfdynlib.weights import Heads

T = np.linspace(0, 5, 41)
RING = sphere.uniform(6, 2, np.random.default_rng(0))
BALL = sphere.uniform(12, 3, np.random.default_rng(0))
HEADS = Heads(np.eye(2), np.eye(2), 2.0)
TRAIL = np.stack(
    [sphere.exp(BALL, s * sphere.project(BALL, BALL[::-1])) for s in T / 9]
)
# One atom that splits on its way, and two atoms that pass each other on the sphere.
SPLIT = geometry.weighted_distance(
    Measure(RING[:1]), Measure(-RING[:1]), Heads(np.eye(2), np.eye(2)), parts=4
)
PASS = geometry.weighted_distance(
    Measure(BALL[:2]), Measure(BALL[2:4]), Heads(np.eye(3), np.eye(3)), "rigid"
)
LAWS = [Gaussian([1, 0], [[1, 0.3], [0.3, 0.6]]), Gaussian([0, 0], [[1, 1], [1, 1]])]

DRAWINGS = {
    "circle": lambda: plot.circle(
        RING, velocity=attention.velocity(RING, HEADS), names=["1", "2", "3"]
    ),
    "circle trails": lambda: plot.circle(RING, trails=np.stack([RING, RING[::-1]])),
    "sphere": lambda: plot.sphere(BALL, trails=TRAIL),
    "energy": lambda: plot.energy(T, np.exp(-T), levels={"1 cluster": 0.5}),
    "curves": lambda: plot.curves(
        T, {r"$\beta=1$": np.exp(-T)}, theory={"bound $e^{-t}$": 1.1 * np.exp(-T)}
    ),
    "attention": lambda: plot.attention(attention.attend(RING, HEADS)[0]),
    "large attention": lambda: plot.attention(
        attention.attend(BALL, Heads(np.eye(3), np.eye(3)))[0]
    ),
    "rays": lambda: plot.rays(RING, HEADS, 0),
    "matching": lambda: plot.matching(Measure(RING), Measure(-RING), "geodesic"),
    "matching on a line": lambda: plot.matching(
        Measure([0, 1, 2]), Measure([0.5, 1, 4]), "euclidean"
    ),
    "ellipses": lambda: plot.ellipses(
        LAWS, names={0: "start"}, limit=LAWS[1], trail=np.array([g.mean for g in LAWS])
    ),
    "geodesic": lambda: plot.geodesic(SPLIT),
    "geodesic on the sphere": lambda: plot.geodesic(PASS),
}
drawings = pytest.mark.parametrize("draw", DRAWINGS.values(), ids=DRAWINGS.keys())


def picture(draw, alt="what it shows"):
    return plot.show(draw(), alt)


def text_of(svg):
    parts = re.sub(r"<style>.*?</style>", "", svg)
    return re.sub(r"<[^>]*>", "", parts).replace("\u200b", "")


# --- laws -------------------------------------------------------------------------


@drawings
def test_a_still_is_one_described_svg_in_the_colours_of_the_page(draw):
    svg = picture(draw, 'tokens & "clusters"').svg
    root = ElementTree.fromstring(svg)  # well-formed, also as XML
    assert root.tag == "svg" and root.get("role") == "img"
    assert root.get("aria-label") == 'tokens & "clusters"'
    drawn = re.sub(r"<style>.*?</style>", "", svg)
    bare = re.sub(r"var\(--tfdyn-\w+, #[0-9a-f]{6}\)", "", drawn)
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b(?!-)", re.sub(r"#tfdyn-", "", bare)) == []
    names = set(re.findall(r"var\(--tfdyn-(\w+), (#[0-9a-f]{6})\)", drawn))
    assert names <= set(LIGHT.items()) and len(names) >= 3


@drawings
def test_nothing_of_a_still_reaches_beyond_it(draw):
    svg = picture(draw).svg
    style = re.findall(r"<style>(.*?)</style>", svg)
    assert len(style) == svg.count("<style") == 1
    for selector in re.findall(r"([^{}]*)\{--", style[0]):
        assert ".tfdyn-picture" in selector
    assert "http" not in svg and "@font-face" not in svg and "<script" not in svg


@drawings
def test_ids_belong_to_one_picture_and_every_reference_is_met(draw):
    first, second = picture(draw).svg, picture(draw).svg
    ids = [re.findall(r' id="([^"]+)"', svg) for svg in (first, second)]
    assert not set(ids[0]) & set(ids[1])
    assert len(set(ids[0])) == len(ids[0])
    used = re.findall(r"url\(#([^)]+)\)", first) + re.findall(r'href="#([^"]+)"', first)
    assert set(used) == set(ids[0])


@drawings
def test_text_is_text_in_the_font_of_the_page(draw):
    svg = picture(draw).svg
    assert "DejaVu" not in svg and "$" not in text_of(svg)
    for family in re.findall(r"font-family:([^;\"]*)", svg):
        assert family == "inherit" or "serif" in family


@drawings
def test_drawing_leaves_the_settings_of_matplotlib_alone(draw):
    names = [name for name in matplotlib.rcParams if name != "backend"]
    before = {name: matplotlib.rcParams[name] for name in names}
    picture(draw)
    assert {name: matplotlib.rcParams[name] for name in names} == before


@drawings
def test_a_still_is_small(draw):
    assert len(picture(draw).svg) < 60_000


def test_the_same_drawing_is_the_same_picture():
    """Up to the number that keeps ids apart: builds can be compared."""
    first, second = (picture(DRAWINGS["sphere"]).svg for _ in range(2))
    count = r"tfdyn-(\w{8})-\d+-"
    assert re.sub(count, r"\1", first) == re.sub(count, r"\1", second)


def test_a_given_ax_is_drawn_on_and_returned():
    from matplotlib.figure import Figure

    axes = Figure().subplots(2, 2)
    assert plot.circle(RING, ax=axes[0, 0]) is axes[0, 0]
    assert plot.sphere(BALL, ax=axes[0, 1]) is axes[0, 1]
    assert plot.energy(T, T, ax=axes[1, 0]) is axes[1, 0]
    assert plot.curves(T, {"a": T}, ax=axes[1, 1]) is axes[1, 1]
    assert all(ax.has_data() or ax.patches for ax in axes.flat)


def test_matplotlib_waits_until_something_is_drawn():
    code = (
        "import sys, tfdynlib.plot; print([m for m in sys.modules if 'matplot' in m])"
    )
    call = [sys.executable, "-c", code]
    out = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_light_and_dark_name_the_same_colours():
    assert LIGHT.keys() == DARK.keys()
    assert len(set(LIGHT.values())) == len(LIGHT)  # one meaning for each colour


# --- what is shown ----------------------------------------------------------------


# Linear red, green and blue as they are without one kind of cone (Machado, Oliveira
# and Fernandes 2009, severity 1), and from there to the CIE's X, Y, Z.
CONES = {
    "all three": np.eye(3),
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
}
XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
WHITE = [0.9505, 1.0, 1.089]


def lab(colour, cones):
    """The colour in CIE Lab, as who has these cones sees it."""
    srgb = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    x = XYZ @ np.clip(np.array(cones) @ linear, 0, 1) / np.array(WHITE)
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("cones", CONES.values(), ids=CONES)
def test_colours_with_a_meaning_are_told_apart_by_every_eye(theme, cones):
    """Ten units of Lab are seen at a glance; theory is dashed and named besides."""
    named = [lab(theme[key], cones) for key in ("state", "grab", "theory", "stop")]
    assert min(np.linalg.norm(a - b) for a, b in combinations(named, 2)) > 20


def test_curves_hold_the_values_and_their_names_stand_at_the_right():
    ax = plot.curves(T, {"wide": T, "thin": 2 * T}, theory={"line": 3 * T})
    wide, thin, line = ax.lines
    np.testing.assert_array_equal(wide.get_ydata(), T)
    assert wide.get_linewidth() > thin.get_linewidth()
    assert wide.get_color() == thin.get_color() == LIGHT["state"]
    assert line.get_color() == LIGHT["theory"] and line.is_dashed()
    names = {t.get_text(): t.xy for t in ax.texts if t.get_text() in ("wide", "line")}
    assert names["wide"][0] == names["line"][0] == 1
    assert names["wide"][1] < names["line"][1]
    assert ax.get_legend() is None


def test_marks_are_upright_dashes_named_above():
    ax = plot.curves(T, {"a": T}, marks={"now": T[3]})
    (mark,) = [line for line in ax.lines if line.is_dashed()]
    assert set(mark.get_xdata()) == {T[3]} and mark.get_color() == LIGHT["theory"]
    assert [t.xy for t in ax.texts if t.get_text() == "now"] == [(T[3], 1)]


def test_the_name_of_a_curve_that_ends_before_the_others_stands_at_its_end():
    short = np.where(T < T[20], T, np.nan)
    ax = plot.curves(T, {"whole": T}, theory={"short": short})
    names = {t.get_text(): t.xy for t in ax.texts if t.get_text() in ("whole", "short")}
    assert names["short"] == (T[19], T[19])
    assert names["whole"][0] == 1


@pytest.mark.parametrize(
    ("levels", "gap", "apart"),
    [
        ([0, 100], 10, [0, 100]),
        ([0, 0, 0], 10, [-10, 0, 10]),
        ([0, 4, 30], 10, [-3, 7, 30]),
        ([0, 9, 9.5], 10, [-23 / 6, 37 / 6, 97 / 6]),
        ([], 10, []),
    ],
)
def test_labels_are_moved_apart_about_their_mean(levels, gap, apart):
    assert _drawing.spread([float(y) for y in levels], float(gap)) == pytest.approx(
        apart
    )


def test_squares_have_the_area_of_the_weights():
    a = np.array([[0.81, 0.19, 0.0], [0.25, 0.25, 0.5]])
    ax = plot.attention(a)
    square = ax.patches[0].get_path().vertices.reshape(-1, 5, 2)
    side = np.ptp(square[:, :, 0], axis=1)
    np.testing.assert_allclose(side**2 / 0.94**2, a[a > 0])
    centre = square[:, :4].mean(axis=1)
    np.testing.assert_allclose(centre, [[0, 0], [1, 0], [0, 1], [1, 1], [2, 1]])
    written = [t.get_text() for t in ax.texts]
    assert "0.810" in written and "0.000" in written


def test_rays_say_who_is_heard_and_how_much():
    angle = 2 * np.pi * np.arange(3) / 3
    x = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    ax = plot.rays(x, HEADS, 0)
    words = [t.get_text() for t in ax.texts]
    assert words.count("5 %") == 2 and "91 %" in words and "mean" in words
    assert not any(t.arrow_patch for t in ax.texts)  # strong attention, no motion
    moving = plot.rays(RING, HEADS, 0)
    assert sum(t.arrow_patch is not None for t in moving.texts) == 1


def test_matching_draws_the_plan_and_its_distance():
    angle = np.pi / 2 * np.arange(4)
    square = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    poles = Measure(square[[0, 2]])
    ax = plot.matching(Measure(square), poles)
    assert len(ax.lines) == 4
    assert any("1.0000" in t.get_text() for t in ax.texts)
    arcs = plot.matching(Measure(square), poles, "geodesic")
    assert any("1.1107" in t.get_text() for t in arcs.texts)


def test_a_geodesic_is_drawn_as_angles_over_time():
    ax = plot.geodesic(SPLIT)
    assert len(ax.lines) == 4
    for line, course in zip(ax.lines, _courses.lifted(SPLIT.path).T):
        np.testing.assert_array_equal(line.get_ydata(), course)
        assert abs(np.ptp(course)) == pytest.approx(np.pi)  # half a turn, either way
    start, stop = ax.collections
    assert len(start.get_offsets()) == 1 and len(stop.get_offsets()) == 2
    assert any(f"{SPLIT.distance:.4f}" in t.get_text() for t in ax.texts)
    labels = {t.get_text() for t in ax.get_yticklabels()}
    assert labels <= {"−2π", "−3π/2", "−π", "−π/2", "0", "π/2", "π", "3π/2", "2π"}


def test_far_tokens_are_pale_and_near_ones_are_not():
    ax = plot.sphere(np.stack([BALL[0], -BALL[0]]))
    far, near = ax.collections
    assert far.get_alpha() < 0.5 and near.get_alpha() is None
    assert len(far.get_offsets()) == len(near.get_offsets()) == 1


def test_letters_of_mathematics_are_set_in_a_serif_italic():
    svg = picture(lambda: plot.curves(T, {r"$W_2$ and $e^{-t}$": T}, y_name="")).svg
    italic = re.findall(r"font-style:italic[^>]*>([^<]+)<", svg)
    assert {"W", "e", "t"} <= set(italic)
    assert "W2 and e\u2212t" in text_of(svg)


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("layer-time $t$", "layer-time t"),
        (r"$\beta=4$", "β\u2009=\u20094"),
        (r"$\langle x_i,w\rangle$", "⟨xi,\u2009w⟩"),
        (r"$\sqrt{\log \beta/\beta}$", "√(log\u2009β/β)"),
        ("$10^{-3}$ & <b>", "10\u22123 &amp; &lt;b&gt;"),
    ],
)
def test_labels_read_as_they_are_written(label, shown):
    svg = picture(lambda: plot.curves(T, {label: T})).svg
    assert shown in text_of(svg)


def test_log_axes_have_plain_numbers():
    t = np.geomspace(1e-3, 1e6, 20)
    ax = plot.curves(t, {"a": 1 / t}, x_scale="log", y_scale="log")
    words = text_of(plot.show(ax, "a hyperbola").svg)
    for tick in ("0.01", "100", "10⁶", "10⁻⁴"):
        assert tick in words


def test_a_still_is_saved_as_a_file_of_its_own(tmp_path):
    still = picture(DRAWINGS["sphere"])
    assert still._repr_html_() == still.svg
    still.save(tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
    assert "var(" not in text and LIGHT["state"] in text
    still.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes()[1:4] == b"PNG"


# --- refusals ---------------------------------------------------------------------

REFUSALS = [
    (lambda: plot.show(plot.circle(RING), " "), "alt must be a description"),
    (lambda: plot.circle(2 * RING), "x must be on the sphere"),
    (lambda: plot.ellipses([]), "laws must be a list of at least one Gaussian"),
    (lambda: plot.ellipses([Gaussian([0.0], [[1.0]])]), "laws must be of the plane"),
    (
        lambda: plot.geodesic(
            geometry.weighted_distance(
                Measure(np.eye(4)), Measure(np.eye(4)), Heads(np.eye(4), np.eye(4))
            )
        ),
        r"geodesic must be on the circle or on S\^2",
    ),
    (
        lambda: plot.show(plot.curves(T, {r"$\frac{1}{2}$": T}), "a half"),
        r"label must be of letters, Greek, _ and \^, .*, got \\frac",
    ),
    (
        lambda: plot.curves(T, {"a": np.full(41, np.nan)}),
        "series must be finite somewhere",
    ),
]


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        call()


@pytest.mark.parametrize(
    "value, said",
    [(9.4e-7, "9·10⁻⁷"), (-2e-11, "−2·10⁻¹¹"), (0.0, "0·10⁰"), (3e8, "3·10⁸")],
)
def test_a_number_as_a_word_keeps_its_size_and_sign(value, said):
    assert plot.power_of_ten(value) == said
