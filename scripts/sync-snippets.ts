import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { readFlags } from "./flags.ts";
import { type StaleFence, syncSnippets } from "./snippets.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const check = readFlags({ "--check": "change nothing; fail if a page is stale" }).has("--check");

const read = (file: string): string | undefined => {
  const path = join(root, file);
  return relative(root, path).startsWith("..") || !existsSync(path) ? undefined : readFileSync(path, "utf8");
};

const pages = [
  "README.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => join("docs", file))
    .sort(),
].filter((file) => existsSync(join(root, file)));

/** The differing lines between the common start and end. */
const difference = ({ before, after }: StaleFence): string => {
  let top = 0;
  while (top < before.length && before[top] === after[top]) top += 1;
  const shorter = Math.min(before.length, after.length) - top;
  let bottom = 0;
  while (bottom < shorter && before.at(-1 - bottom) === after.at(-1 - bottom)) bottom += 1;
  const removed = before.slice(top, before.length - bottom).map((line) => `  - ${line}`);
  const added = after.slice(top, after.length - bottom).map((line) => `  + ${line}`);
  return [...removed, ...added].join("\n");
};

let wrong = 0;
let rewritten = 0;
for (const page of pages) {
  const before = readFileSync(join(root, page), "utf8");
  const { text, stale, problems } = syncSnippets(before, read);
  for (const { line, message } of problems) console.log(`${page}:${line}: ${message}`);
  wrong += problems.length;
  if (check) {
    wrong += stale.length;
    for (const one of stale) console.log(`${page}:${one.line}: differs from its source\n${difference(one)}`);
  } else if (stale.length > 0) {
    rewritten += 1;
    writeFileSync(join(root, page), text);
  }
}
if (wrong > 0 && check) console.log("if a fence differs, run npm run snippets");
console.log(`snippets: ${pages.length} pages, ${rewritten} rewritten, ${wrong} wrong`);
if (wrong > 0) process.exitCode = 1;
