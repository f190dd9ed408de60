#!/usr/bin/env node
// How often prose uses words that engineers' prose does not: per 1,000 words of comments, messages, test titles and documents.
// Usage: node plain-english.mjs [FOLDER] [--worst N] [--show WORD] [--json]. Reads the files git tracks below FOLDER. Always exits 0.
// A count is a place to look, not a verdict: a word from the list is fine where it is the right word.
// `npm run prose` (check-prose.ts) checks the rates.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const words = [
  "whoever",
  "whomever",
  "nobody",
  "somebody",
  "anybody",
  "one's own",
  "told",
  "tells",
  "heard",
  "hears",
  "listens to",
  "stands?",
  "stood",
  "beside",
  "anew",
  "go(?:es|ing|ne)? on",
  "went on",
  "what came",
  "came of",
  "comes to",
  "lets? go of",
  "for good",
  "at hand",
  "be had",
  "is no (?!longer|other|such|more)",
  "are no (?!longer|other|such|more)",
  "has the last word",
  "by then",
  "thereupon",
  "shall",
  "hand(?:s|ed)? over",
  "falls? to",
  "up to whom",
  "in its place",
  "in place of",
  "of (?:some|any)body(?:'s)?",
  "within each other",
  "makes? up for",
  "house",
  "rooms?",
  "doors?",
  "corridor",
  "errand",
  "desk",
  "books?",
  "the living",
  "the dead",
  "bur(?:y|ies|ied)",
  "patience",
];
const pattern = new RegExp(`\\b(?:${words.join("|")})\\b`, "gi");

const args = process.argv.slice(2);
const option = (name) => {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args.splice(at, 2)[1];
};
const flag = (name) => {
  const at = args.indexOf(name);
  if (at >= 0) args.splice(at, 1);
  return at >= 0;
};
const worst = Number(option("--worst") ?? 15),
  show = option("--show"),
  json = flag("--json"),
  root = path.resolve(args[0] ?? ".");

/** Comments and, apart from them, strings of at least four words, of a TypeScript or JavaScript source. */
const proseOf = (source) => {
  const comments = [],
    strings = [];
  const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;
  for (const [text] of source.matchAll(token)) {
    if (text.startsWith("/"))
      comments.push(text.replace(/^\/\*+|\*+\/$|^\/\/+/g, "").replace(/^\s*\* ?/gm, ""));
    else if (text.split(/\s+/).length >= 4) strings.push(text);
  }
  return { comments: comments.join("\n"), strings: strings.join("\n") };
};
/** Generated word lists, and this script's own. */
const skippedFiles = new Set(["scripts/plain-english.mjs", "src/registry/selection/vocabulary/packed.ts"]);
/** Pages whose tables list old names. */
const renameTables = new Set(["docs/glossary.md", "docs/migrate-to-0.3.md"]);
/** A document without the parts that keep old words: released changes, and tables of old names. */
const currentProse = (file, text) => {
  if (file === "CHANGELOG.md")
    return text
      .split(/^(?=## )/m)
      .slice(0, 2)
      .join("");
  return renameTables.has(file) ? text.replace(/^\|.*$/gm, "") : text;
};
const isTest = (file) => /\.test(-d)?\.tsx?$|(^|\/)(test|tests|__tests__)\//.test(file);
const kinds = { comments: [], messages: [], "test titles and texts": [], documents: [] };
for (const file of execFileSync("git", ["ls-files", "-z"], { cwd: root, maxBuffer: 1 << 28 })
  .toString()
  .split("\0")) {
  if (
    !file ||
    skippedFiles.has(file) ||
    /node_modules|\/dist\/|package-lock|\.min\.|(^|\/)reference\//.test(file)
  )
    continue;
  const at = path.join(root, file);
  if (!fs.existsSync(at)) continue;
  if (/\.(m?[jt]sx?)$/.test(file)) {
    const { comments, strings } = proseOf(fs.readFileSync(at, "utf8"));
    kinds.comments.push([file, comments]);
    kinds[isTest(file) ? "test titles and texts" : "messages"].push([file, strings]);
  } else if (/\.mdx?$/.test(file))
    kinds.documents.push([
      file,
      currentProse(file, fs.readFileSync(at, "utf8"))
        .replace(/```[\s\S]*?```/g, "")
        .replace(/`[^`\n]*`/g, ""),
    ]);
}
const count = (text) => (text.match(/[A-Za-z][A-Za-z'’-]*/g) ?? []).length;
const out = {};
for (const [kind, texts] of Object.entries(kinds)) {
  let total = 0,
    hits = 0;
  const byWord = new Map(),
    byFile = [];
  for (const [file, text] of texts) {
    const found = text.match(pattern) ?? [];
    total += count(text);
    hits += found.length;
    for (const each of found) byWord.set(each.toLowerCase(), (byWord.get(each.toLowerCase()) ?? 0) + 1);
    if (found.length) byFile.push([file, found.length]);
    if (show)
      for (const line of text.split("\n"))
        if (new RegExp(`\\b${show}\\b`, "i").test(line)) console.log(`${file}: ${line.trim().slice(0, 160)}`);
  }
  out[kind] = {
    words: total,
    hits,
    perThousand: total ? +((hits / total) * 1000).toFixed(2) : 0,
    top: [...byWord].sort((a, b) => b[1] - a[1]).slice(0, 12),
    files: byFile.sort((a, b) => b[1] - a[1]).slice(0, worst),
  };
}
if (json) console.log(JSON.stringify(out));
else
  for (const [kind, { words: n, hits, perThousand, top, files }] of Object.entries(out)) {
    console.log(
      `${kind}: ${hits} in ${n} words, ${perThousand} per 1,000  (${top.map(([w, c]) => `${w} ${c}`).join(", ")})`,
    );
    if (worst) for (const [file, c] of files.slice(0, worst)) console.log(`  ${c}  ${file}`);
  }
