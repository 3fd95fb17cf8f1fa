"""One module, two hosts: how figures travel, and what Python says about them."""

import asyncio
import base64
import functools
import html
import json
import re
import shutil
import subprocess

import numpy as np
import pytest
import traitlets
from unchecked import no_checks

import tfdynlib
from tfdynlib import widgets
from tfdynlib.widgets import Sphere, _bundle
from tfdynlib.widgets._widget import Widget, doubles

FIGURES = [getattr(widgets, name) for name in widgets.__all__]
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")


def page_state(form: str) -> dict:
    """The state a page form carries."""
    return json.loads(html.unescape(re.search(r'data-state="([^"]*)"', form)[1]))


# The bundle


@pytest.mark.parametrize("name", _bundle.figures())
def test_every_module_comes_after_all_it_imports(name):
    table = _bundle.modules(f"{name}.mjs")
    seen: set[str] = set()
    for path, text in table.items():
        assert set(re.findall(r'"tfdyn:([^"]+)"', text)) <= seen, path
        seen.add(path)
    assert list(table)[-1] == f"{name}.mjs"


def test_page_script_holds_each_module_once():
    entries = ("host.mjs", *(f"{name}.mjs" for name in _bundle.figures()))
    script = _bundle.page_script()
    for path, text in _bundle.modules(*entries).items():
        body = json.dumps(text, ensure_ascii=False)
        assert script.count(body) == 1, path


def test_no_module_is_left_out_of_the_page_script():
    entries = ("host.mjs", *(f"{name}.mjs" for name in _bundle.figures()))
    there = {p.relative_to(_bundle.WEB).as_posix() for p in _bundle.WEB.rglob("*.mjs")}
    assert there == set(_bundle.modules(*entries))


@pytest.mark.parametrize("name", _bundle.figures())
def test_no_relative_import_is_left(name):
    for path, text in _bundle.modules(f"{name}.mjs").items():
        code = re.sub(r"(?ms)^/\*\*.*?\*/|^\s*//.*?$", "", text)
        assert not re.findall(r"""\b(?:from|import)\W*["']\.[^"']*["']""", code), path


def test_no_text_literal_runs_over_a_line():
    """Or else ``slim`` would change it."""
    for path in _bundle.WEB.rglob("*.mjs"):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            code = re.sub(r"^\s*(//|\*|/\*\*).*|//.*$", "", line)
            assert code.count("`") % 2 == 0, (path.name, number)


def test_slim_leaves_the_code_and_drops_what_is_for_readers():
    source = (
        "// Head.\n\n/** What it does.\n * More. */\nexport function f(a) {\n"
        '  // why\n  return a / 2 + " // no comment ";\n}\n'
    )
    assert _bundle.slim(source) == (
        'export function f(a) {\nreturn a / 2 + " // no comment ";\n}\n'
    )


def test_nothing_asks_for_an_outside_address():
    everything = _bundle.page_script() + _bundle.style()
    assert not re.findall(r"(?:https?:)?//[a-z0-9-]+\.[a-z]{2,}", everything)
    assert not re.findall(r"\bfetch\(|XMLHttpRequest|@import|url\(", everything)


def test_every_picture_is_a_plain_canvas():
    """Scenes of WebGL go blank when a page, or a lab with many tabs, has too many."""
    sources = (file.read_text("utf8") for file in _bundle.WEB.rglob("*.mjs"))
    asked = {*re.findall(r"getContext\((.*?)[,)]", " ".join(sources))}
    assert asked == {'"2d"'}


def test_style_sheet_rules_stay_under_their_class():
    css = re.sub(r"/\*.*?\*/", "", _bundle.style(), flags=re.S)
    for selectors in re.findall(r"([^{}]+)\{", css):
        for selector in re.split(r",(?![^(]*\))", selectors):
            rule = selector.strip()
            assert rule.startswith("@") or ".tfdyn" in rule, rule


def test_a_missing_module_is_refused_by_name():
    with pytest.raises(ValueError, match="must be a file of web/, got 'none.mjs'"):
        _bundle.modules("none.mjs")


NODE_HOST = """
globalThis.Blob = class { constructor(parts) { this.text = parts.join(""); } };
URL.createObjectURL = (blob) =>
  "data:text/javascript;base64," + Buffer.from(blob.text).toString("base64");
"""


@needs_node
@pytest.mark.parametrize("name", _bundle.figures())
def test_module_text_for_a_notebook_stands_alone(name, tmp_path):
    (tmp_path / "host.mjs").write_text(NODE_HOST)
    (tmp_path / "figure.mjs").write_text(_bundle.esm(name))
    code = (
        'await import("./host.mjs"); const m = await import("./figure.mjs");'
        "console.log(typeof m.default.render);"
    )
    call = ["node", "--input-type=module", "-e", code]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.strip() == "function", done.stderr


# The page form


@functools.cache
def shown(figure: type[Widget]) -> tuple[Widget, dict]:
    """A figure and what it hands to a notebook; made once."""
    with no_checks():
        widget = figure()
        return widget, widget._repr_mimebundle_()[0]


@pytest.mark.parametrize("figure", FIGURES)
def test_page_form_carries_the_state(figure):
    widget, data = shown(figure)
    form = data["text/html"]
    assert f'class="tfdyn" data-figure="{figure.name}"' in form
    state = page_state(form)
    assert {key: state[key] for key in widget.keys_of_state()} == widget.state()
    assert state["version"] == tfdynlib.__version__


@pytest.mark.parametrize("figure", FIGURES)
def test_page_form_has_a_still_picture_with_words(figure):
    form = shown(figure)[1]["text/html"]
    still = form[form.index('<div class="tfdyn-still">') :]
    assert "<svg" in still and re.search(r'role="img"[^>]*aria-label="[^"]+"', still)


@pytest.mark.parametrize("figure", FIGURES)
def test_notebook_still_gets_its_live_view(figure):
    _, data = shown(figure)
    assert "application/vnd.jupyter.widget-view+json" in data


@pytest.mark.parametrize("figure", FIGURES)
def test_two_forms_of_one_figure_do_not_repeat_the_code(figure):
    assert "function" not in shown(figure)[1]["text/html"]


# Presets and traits


@pytest.mark.parametrize("figure", FIGURES)
def test_every_preset_opens(figure):
    for name, preset in figure.PRESETS.items():
        widget = figure(name)
        assert widget.t == preset.moment
        for key, value in preset.values.items():
            assert getattr(widget, key) == value, (name, key)


@pytest.mark.parametrize("figure", FIGURES)
def test_names_of_presets_become_chips_in_their_order(figure):
    names = list(figure.PRESETS)[:3]
    chips = figure(*names).presets
    assert [chip["name"] for chip in chips] == names
    assert [chip["name"] for chip in figure().presets] == list(figure.OPENING)
    for chip in chips:
        assert set(chip["values"]) == set(figure.keys_of_presets())


@pytest.mark.parametrize("figure", FIGURES)
def test_a_preset_that_is_not_there_is_refused_by_name(figure):
    with pytest.raises(ValueError, match="preset must be one of .*got 'nothing'"):
        figure("nothing")


@pytest.mark.parametrize("figure", FIGURES)
def test_a_keyword_that_is_no_trait_is_refused_by_name(figure):
    with pytest.raises(ValueError, match="argument must be one of .*got 'betta'"):
        figure(betta=2.0)


REFUSED = [
    ("beta", -1.0, "beta must be a number from 0.1 to 50, got -1"),
    ("beta", float("nan"), "beta must be a number from 0.1 to 50, got nan"),
    ("beta", "hot", "beta must be a number from 0.1 to 50, got 'hot'"),
    ("n", 1, "n must be an integer from 2 to 512, got 1"),
    ("n", 2.5, "n must be an integer from 2 to 512, got 2.5"),
    ("n", True, "n must be an integer from 2 to 512, got True"),
    ("rule", "hard", "rule must be one of 'softmax', 'unnormalised', 'hardmax'"),
    ("B", np.eye(2), r"B must be of shape \(3, 3\) or \(H, 3, 3\), H up to 4"),
    ("V", [[1, 0], [0]], r"V must be of shape \(3, 3\)"),
    ("V", np.full((3, 3), np.nan), r"V must be of shape \(3, 3\)"),
    ("B", np.zeros((5, 3, 3)), "H up to 4"),
]


@pytest.mark.parametrize(("name", "value", "words"), REFUSED)
def test_bad_values_are_refused_with_name_wanted_and_got(name, value, words):
    with pytest.raises(ValueError, match=words):
        Sphere(**{name: value})
    widget = Sphere()
    before = getattr(widget, name)
    with pytest.raises(ValueError, match=words):
        setattr(widget, name, value)
    assert getattr(widget, name) == before


def test_traits_take_numpy_values():
    widget = Sphere(n=np.int64(5), beta=np.float64(2), B=np.stack([np.eye(3)] * 2))
    assert widget.n == 5 and type(widget.n) is int
    assert np.shape(widget.B) == (2, 3, 3)
    assert np.shape(Sphere(V=-np.eye(3)).V) == (1, 3, 3)


@pytest.mark.parametrize("figure", FIGURES)
def test_default_states_are_not_shared_between_figures(figure):
    one, two = figure(), figure()
    for key in one.keys_of_state():
        if isinstance(getattr(one, key), list):
            assert getattr(one, key) is not getattr(two, key), key


# The reference


def numbers(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype="<f8")


def test_doubles_travel_with_every_bit():
    values = np.array([0.1, -1 / 3, np.pi, 5e-324, 0.0])
    assert numbers(doubles(values)).tobytes() == values.tobytes()


@pytest.mark.parametrize("figure", FIGURES)
def test_every_chip_on_the_page_has_a_reference_of_its_own_state(figure):
    for chip in page_state(shown(figure)[1]["text/html"])["presets"]:
        of = chip["reference"]["of"]
        assert set(of) == set(figure.keys_of_reference())
        assert of == {key: chip["values"][key] for key in of}


@pytest.mark.unchecked
def test_reference_is_of_the_present_state_and_not_before_it_is_shown(apart):
    widget = Sphere(n=4)
    assert widget.reference == {}

    def shown() -> None:
        widget._repr_mimebundle_()
        widget.beta = 2.0

    apart(shown)
    assert widget.reference["of"]["beta"] == 2.0
    assert len(numbers(widget.reference["velocity"])) == 12


@pytest.mark.unchecked
def test_in_a_kernel_the_reference_waits_until_the_hand_rests(apart):
    widget = Sphere(n=4)
    widget._repr_mimebundle_()
    seen: list[float] = []
    widget.observe(lambda change: seen.append(change.new["of"]["beta"]), "reference")

    async def dragging() -> None:
        for beta in (2.0, 3.0, 4.0):
            widget.beta = beta
            await asyncio.sleep(0)
        while not seen:
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.4)  # and none comes after it

    apart(lambda: asyncio.run(dragging()))
    assert seen == [4.0]


def test_a_view_does_not_change_the_reference():
    keys = set(Sphere.keys_of_reference())
    own = {"view", "change", "size", "bits", "start", "rule", "B", "V"}
    assert own | {"n", "beta", "seed"} == keys


def test_a_figure_must_draw_its_own_still():
    with pytest.raises(TypeError, match="Bare needs still"):

        class Bare(Widget):
            name = "bare"
            _esm = ""
            t = traitlets.Float(0.0).tag(sync=True, page=True, view=True)
