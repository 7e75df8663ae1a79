// Builds the page into the Python package, where `redraft serve` finds it. Run with `npm run build`.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "..", "redraft", "web");
const sources = join(here, "src");

/** Tells whether a bundle is of these sources; the tests work it out the same way. */
function fingerprint() {
  const hash = createHash("sha256");
  for (const name of readdirSync(sources).sort()) hash.update(name).update("\0").update(readFileSync(join(sources, name)));
  return hash.update(readFileSync(join(here, "package-lock.json"))).digest("hex").slice(0, 16);
}

/** The licences of the packages whose code or files are in the bundle. */
function licences(metafile) {
  const packages = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) packages.add(found[1]);
  }
  const notes = [...packages].sort().map((name) => {
    const folder = join(here, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}\n`;
  });
  return `The page of Redraft holds parts of these packages.\n\n${notes.join(`\n${"-".repeat(80)}\n\n`)}`;
}

const mark = fingerprint();
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const { metafile } = await esbuild.build({
  entryPoints: [
    { in: join(sources, "main.ts"), out: "redraft" },
    { in: join(sources, "page.css"), out: "redraft" },
  ],
  outdir: target,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome123", "firefox121", "safari17.5"],
  charset: "utf8",
  legalComments: "none",
  loader: { ".woff2": "copy" },
  assetNames: "[name]",
  banner: { js: `/* Redraft's page, built from web/, sources ${mark}; licences in licences.txt */` },
  metafile: true,
  absWorkingDir: here,
});
const page = readFileSync(join(sources, "index.html"), "utf8");
writeFileSync(join(target, "index.html"), page.replaceAll("{{mark}}", mark));
writeFileSync(join(target, "licences.txt"), licences(metafile));
cpSync(join(sources, "icon.svg"), join(target, "icon.svg"));
