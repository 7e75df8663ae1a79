"""Pages with rich editors that keep their text in a document model of their own: Quill and ProseMirror.

Each page has the functions `model`, the lines in the model, `bold`, its bold words, and `endUndoStep`, behind which the
next undo begins.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from extension_browser import Site

SHEET = "<style>body { margin: 40px; font: 16px/1.6 sans-serif } #editor { width: 600px }</style>"
HEAD = f'<!doctype html><meta charset="utf-8"><title>An editor</title>{SHEET}'


def find_module(name: str) -> Path:
    """The folder of an npm package: in NODE_PATH, or among the global packages; skips the test if it is not there."""
    folders = [Path(folder) for folder in os.environ.get("NODE_PATH", "").split(os.pathsep) if folder]
    if npm := shutil.which("npm"):
        known = subprocess.run([npm, "root", "--global"], capture_output=True, text=True, check=False)
        folders.append(Path(known.stdout.strip()))
    found = next((folder / name for folder in folders if (folder / name / "package.json").exists()), None)
    if found is None:
        pytest.skip(f"{name} is not installed: npm install --global {name}")
    return found


def link(site: Site, name: str, folder: Path) -> str:
    """The address of a package on the site."""
    place = site.folder / name
    if not place.exists():
        place.symlink_to(folder)
    return f"./{name}"


QUILL = """<div id="editor"></div>
<script src="{quill}/dist/quill.js"></script>
<script>
  window.quill = new Quill("#editor", { theme: "snow" });
  quill.setContents([
    { insert: "My " }, { insert: "fre", attributes: { italic: true } }, { insert: "ind likes tea.\\n" },
    { insert: "She " }, { insert: "go", attributes: { bold: true } }, { insert: " to school every days.\\n" },
  ]);
  quill.history.clear();
  window.model = () => quill.getText().trimEnd().split("\\n");
  window.endUndoStep = () => quill.history.cutoff();
  window.bold = () => quill.getContents().ops.filter((op) => op.attributes?.bold).map((op) => op.insert);
</script>"""

PROSEMIRROR = """<link rel="stylesheet" href="{prosemirror}/prosemirror-view/style/prosemirror.css">
<div id="editor"></div>
<script type="importmap">{imports}</script>
<script type="module">
  import { Schema } from "prosemirror-model";
  import { EditorState } from "prosemirror-state";
  import { EditorView } from "prosemirror-view";
  import { closeHistory, history, undo } from "prosemirror-history";
  import { keymap } from "prosemirror-keymap";
  import { baseKeymap } from "prosemirror-commands";
  const schema = new Schema({
    nodes: {
      doc: { content: "paragraph+" },
      paragraph: { content: "text*", toDOM: () => ["p", 0], parseDOM: [{ tag: "p" }] },
      text: {},
    },
    marks: {
      strong: { toDOM: () => ["strong", 0], parseDOM: [{ tag: "strong" }, { tag: "b" }] },
      em: { toDOM: () => ["em", 0], parseDOM: [{ tag: "em" }, { tag: "i" }] },
    },
  });
  const text = (words, ...marks) => schema.text(words, marks.map((name) => schema.mark(name)));
  const paragraph = (...content) => schema.node("paragraph", null, content);
  const doc = schema.node("doc", null, [
    paragraph(text("My "), text("fre", "em"), text("ind likes tea.")),
    paragraph(text("She "), text("go", "strong"), text(" to school every days.")),
  ]);
  const plugins = [history(), keymap({ "Mod-z": undo }), keymap(baseKeymap)];
  window.view = new EditorView(document.querySelector("#editor"), { state: EditorState.create({ doc, plugins }) });
  window.model = () => view.state.doc.content.content.map((node) => node.textContent);
  window.endUndoStep = () => view.dispatch(closeHistory(view.state.tr));
  window.bold = () => {
    const found = [];
    view.state.doc.descendants((node) => {
      if (node.marks.some((mark) => mark.type.name === "strong")) found.push(node.text);
    });
    return found;
  };
</script>"""


def quill_page(site: Site) -> str:
    """The body of a page with Quill."""
    return QUILL.replace("{quill}", link(site, "quill", find_module("quill")))


def prosemirror_page(site: Site) -> str:
    """The body of a page with ProseMirror."""
    setup = find_module("prosemirror-example-setup")
    nested = setup / "node_modules"
    folder = link(site, "prosemirror", nested if nested.exists() else setup.parent)
    names = [
        *(f"prosemirror-{part}" for part in ["model", "state", "view", "transform", "history", "keymap", "commands"]),
        *("orderedmap", "rope-sequence", "w3c-keyname"),
    ]
    places = {"w3c-keyname": "index.js"}
    imports = {name: f"{folder}/{name}/{places.get(name, 'dist/index.js')}" for name in names}
    return PROSEMIRROR.replace("{prosemirror}", folder).replace("{imports}", json.dumps({"imports": imports}))
