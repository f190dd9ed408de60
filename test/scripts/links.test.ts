import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { checkLinks, pagesOf } from "../../scripts/check-links.ts";

let root: string | undefined;

afterEach(() => {
  if (root !== undefined) rmSync(root, { recursive: true });
  root = undefined;
});

const broken = (page: string): readonly string[] => {
  root = mkdtempSync(join(tmpdir(), "haft-links-"));
  for (const [file, text] of Object.entries({
    "docs/a.md": page,
    "docs/b.md": "# B\n\n## How it is\n",
    "src/x.ts": "",
  })) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return checkLinks(root, ["docs/a.md"]).map(({ line, message }) => `${line}: ${message}`);
};

it("every link and every path in the documents of this repository exists", () => {
  const own = fileURLToPath(new URL("../..", import.meta.url));
  expect(checkLinks(own, pagesOf(own))).toEqual([]);
});

it("links to pages, headings and other sites are accepted, and so are existing paths", () => {
  expect(
    broken("# A\n[b](b.md) [how](b.md#how-it-is) [here](#a) [web](https://example.com/x) `src/x.ts`\n"),
  ).toEqual([]);
});

it("a link to a missing page or heading is reported with its line", () => {
  expect(broken("\n[c](c.md)\n[b](b.md#why)\n[here](#below)\n")).toEqual([
    "2: c.md does not exist",
    "3: docs/b.md has no heading #why",
    "4: docs/a.md has no heading #below",
  ]);
});

it("a missing path of the repository is reported", () => {
  expect(broken("Look into `src/y.ts`.\n")).toEqual(["1: src/y.ts does not exist"]);
});

it("fenced code is ignored", () => {
  expect(broken("```\n[c](c.md) `src/y.ts`\n```\n")).toEqual([]);
});
