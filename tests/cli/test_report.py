"""`lattice run --report`: one page that needs nothing else, and that a browser can draw."""

import base64
import html.parser
import json
import math
import re
import shutil
import subprocess

import pytest
from test_cli import SCAN, inputs, json_of, lattice, means, net, write_bin  # noqa: F401

BROWSER = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
VOID = {"meta", "br", "hr", "img", "link", "input", "wbr"}
IMPLIED = {"td", "th", "tr"}  # their end tags may be left out


class Page(html.parser.HTMLParser):
    """Tags, attributes and the text of scripts; fails on an end tag that closes nothing."""

    def __init__(self, text):
        super().__init__()
        self.open, self.attributes, self.texts, self.rows = [], [], {}, 0
        self.feed(text)
        self.close()
        assert self.open == [], self.open

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, *pair) for pair in attrs]
        self.rows += tag == "tr"
        if tag not in VOID | IMPLIED:
            self.open.append(tag)
            self.name = dict(attrs).get("id", tag)

    def handle_endtag(self, tag):
        if tag not in IMPLIED:
            assert self.open and self.open.pop() == tag, tag

    def handle_data(self, data):
        if self.open:
            self.texts[self.name] = self.texts.get(self.name, "") + data


def self_contained(text):
    page = Page(text)
    assert not re.search(r"(src|href)\s*=|@import|url\(|https?://|fetch\(|XMLHttp|import\s*\(", text)
    assert ("meta", "http-equiv", "Content-Security-Policy") in page.attributes
    assert any(tag == "meta" and value.startswith("default-src 'none'") for tag, _, value in page.attributes if value)
    return page


def test_the_page_of_a_cloud_is_self_contained_and_holds_the_points(means, tmp_path):
    scan, out = write_bin(tmp_path / "scan.bin", SCAN), tmp_path / "out.html"
    code, object = json_of("run", means, "--points", scan, "--voxel-size", 1, "--report", out)
    assert code == 0 and object["report"] == str(out)
    text = out.read_text()
    page = self_contained(text)
    cloud = json.loads(page.texts["cloud"])
    places = base64.b64decode(cloud["places"])
    assert cloud["points"] == 3 and len(places) == 3 * 6 and len(base64.b64decode(cloud["colours"])) == 9
    # y spans the most, 0 to 2: it takes all 65535 steps.
    rows = [[int.from_bytes(places[6 * p + 2 * a : 6 * p + 2 * a + 2], "little") for a in range(3)] for p in range(3)]
    assert [row[1] for row in rows] == [0, round(65535 / 4), 65535] and rows[2][0] == 0
    # All three points have label 1; the signature, the layer and the output are there.
    assert "label 1: 3 (100.0 %)" in text and "x_features" in text and "subm_conv3d" in text and page.rows >= 2


def test_without_a_cloud_the_voxels_of_the_first_sparse_output_are_shown(net, inputs, tmp_path):
    out = tmp_path / "out.html"
    code, text, err = lattice("run", net, "--inputs", inputs, "--report", out)
    assert (code, err) == (0, "") and "report" in text
    page = self_contained(out.read_text())
    assert json.loads(page.texts["cloud"])["points"] == 3 and "3 voxels" in out.read_text()


def test_names_out_of_files_cannot_become_markup(tmp_path, inputs, net):
    evil = shutil.copytree(net, tmp_path / "<b>&")
    graph = evil / "graph.mlir"
    graph.write_text(graph.read_text().replace('["y"]', '["</script><img src=x>"]'))
    out = tmp_path / "out.html"
    code, _, err = lattice("run", evil, "--inputs", inputs, "--report", out)
    assert code == 0, err
    text = out.read_text()
    assert "<img" not in text and "&lt;img" in text and "<b>&" not in text
    Page(text)


def test_large_clouds_are_thinned_and_the_page_says_so(means, tmp_path):
    points = [(0.001 * i, math.sin(i), 0.0, 1.0) for i in range(300_001)]
    scan, out = write_bin(tmp_path / "scan.bin", points), tmp_path / "out.html"
    assert lattice("run", means, "--points", scan, "--voxel-size", 5, "--report", out)[0] == 0
    text = out.read_text()
    assert "300,001 points, of which 300,000 are shown" in text
    assert json.loads(Page(text).texts["cloud"])["points"] == 300_000


def test_a_report_that_cannot_be_written_fails(net, inputs, tmp_path):
    code, out, err = lattice("run", net, "--inputs", inputs, "--report", tmp_path / "no" / "out.html")
    assert (code, out) == (1, "") and "out.html" in err


@pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine: the page is not drawn")
@pytest.mark.parametrize("size", [(10, 10, 1), (100, 1, 1), (1, 1, 100)], ids=["field", "road", "tower"])
def test_a_browser_draws_the_points(means, tmp_path, size):
    points = [
        (size[0] * (i % 100) / 100, size[1] * (i // 100) / 100, size[2] * math.sin(i / 300), float(i % 7)) for i in range(10_000)
    ]
    scan, page = write_bin(tmp_path / "scan.bin", points), tmp_path / "out.html"
    assert lattice("run", means, "--points", scan, "--voxel-size", 0.5, "--report", page)[0] == 0
    browse = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--window-size=1200,900"]
    done = subprocess.run([*browse, "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=110)
    drawn, outside = (re.search(rf'data-{name}="(\d+)"', done.stdout) for name in ("drawn", "outside"))
    # 10,000 points on a canvas of 1,160 x 560: those that are not hidden cover many pixels, and at first all are in view.
    assert drawn and int(drawn[1]) > 2_000, done.stderr[-2000:]
    assert outside and int(outside[1]) == 0
