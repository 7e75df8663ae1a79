"""Fixtures of the tests that open the web page, or pages with the extension, in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from extension_browser import Extension, Site
    from web_visit import Open, Visit

# The imports are inside the fixtures: other tests in this folder need neither playwright nor the server.


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from web_visit import launch

    with launch() as browser:
        yield browser


@pytest.fixture
def open_page(browser: Any) -> Iterator[Open]:
    from web_visit import visiting

    with visiting(browser) as open_page:
        yield open_page


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    from served import gated, live, make_app, scripted_corrector
    from web_visit import Doubtful

    corrector = scripted_corrector(threshold=0.25)
    gated(corrector).stepper = Doubtful
    with live(make_app(tmp_path, corrector)) as port:
        yield port


@pytest.fixture
def visit(open_page: Open, port: int) -> Visit:
    return open_page(port)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    from extension_browser import serve

    with serve(tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Extension]:
    from extension_browser import launch

    with launch(tmp_path_factory.mktemp("extension")) as extension:
        yield extension
