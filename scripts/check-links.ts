import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { readFlags } from "./flags.ts";
import { anchors } from "./reference/page.ts";
import { readFences } from "./snippets.ts";

export interface BrokenLink {
  readonly page: string;
  readonly line: number;
  readonly message: string;
}

/** A path of this repository between backticks: at least one folder deep, without a placeholder. */
const pathPattern = /`((?:src|docs|scripts|test|examples|bench)\/[\w./-]*\w\/?)`/g;
const linkPattern = /\]\((?!https?:|mailto:)([^)\s]+)\)/g;

/** Finds broken relative links, anchors and paths in the pages of a repository. */
export const checkLinks = (root: string, pages: readonly string[]): readonly BrokenLink[] => {
  const headings = new Map<string, ReadonlySet<string>>();
  const anchorsOf = (file: string): ReadonlySet<string> => {
    const known = headings.get(file);
    if (known !== undefined) return known;
    const lines = proseOf(readFileSync(file, "utf8"));
    const titles = lines.flatMap((line) => /^#{1,6} (.+)$/.exec(line)?.[1] ?? []);
    const found = new Set(anchors(titles));
    headings.set(file, found);
    return found;
  };
  return pages.flatMap((page) => {
    const broken: BrokenLink[] = [];
    proseOf(readFileSync(join(root, page), "utf8")).forEach((text, at) => {
      const complain = (message: string) => broken.push({ page, line: at + 1, message });
      for (const [, to = ""] of text.matchAll(linkPattern)) {
        const [file = "", anchor] = to.split("#");
        const target = file === "" ? join(root, page) : join(root, dirname(page), file);
        if (!existsSync(target)) complain(`${to} does not exist`);
        else if (anchor !== undefined && statSync(target).isFile() && !anchorsOf(target).has(anchor))
          complain(`${relative(root, target)} has no heading #${anchor}`);
      }
      for (const [, to = ""] of text.matchAll(pathPattern)) {
        if (!existsSync(join(root, to))) complain(`${to} does not exist`);
      }
    });
    return broken;
  });
};

/** The lines of a page with empty code fences. */
const proseOf = (text: string): readonly string[] => {
  const lines = text.split("\n");
  for (const { from, to } of readFences(lines)) lines.fill("", from, to);
  return lines;
};

/** The documents at the root of a repository and all of docs/. */
export const pagesOf = (root: string): readonly string[] => {
  const atRoot = ["README.md", "AGENTS.md", "CONTRIBUTING.md", "REVIEW.md", "CHANGELOG.md"];
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
  return [
    ...atRoot.filter((file) => existsSync(join(root, file))),
    ...docs.filter((file) => file.endsWith(".md")).map((file) => join("docs", file)),
  ].sort();
};

if (import.meta.main) {
  readFlags({});
  const root = fileURLToPath(new URL("..", import.meta.url));
  const pages = pagesOf(root);
  const broken = checkLinks(root, pages);
  for (const { page, line, message } of broken) console.log(`${page}:${line}: ${message}`);
  console.log(`links: ${pages.length} pages, ${broken.length} broken`);
  if (broken.length > 0) process.exitCode = 1;
}
