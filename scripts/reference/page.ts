import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A generated page in docs/reference. */
export interface Page {
  readonly file: string;
  readonly text: string;
}

const folder = fileURLToPath(new URL("../../docs/reference", import.meta.url));

/** Writes the pages, or with `check` returns those that differ from the code. */
export const syncPages = (pages: readonly Page[], check: boolean): readonly string[] => {
  mkdirSync(folder, { recursive: true });
  const stale = pages.filter(({ file, text }) => {
    const path = join(folder, file);
    return !existsSync(path) || readFileSync(path, "utf8") !== text;
  });
  // Pages of removed entry points.
  const left = readdirSync(folder).filter((name) => !pages.some(({ file }) => file === name));
  if (!check) {
    for (const { file, text } of stale) writeFileSync(join(folder, file), text);
    for (const name of left) rmSync(join(folder, name));
  }
  return [...stale.map(({ file }) => file), ...left];
};

/** Escapes text outside of code, so that it does not become markup. */
export const proseText = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll("<", "&lt;")))
    .join("");

/** The same for a table cell, where a bar would end it. */
export const tableCell = (text: string): string =>
  proseText(text).replaceAll("|", "\\|").replace(/\s+/g, " ");

/** The anchors of headings in a Markdown page, in order: repeated headings get a number. */
export const anchors = (headings: readonly string[]): readonly string[] => {
  const taken = new Map<string, number>();
  return headings.map((heading) => {
    const plain = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-");
    const count = taken.get(plain) ?? 0;
    taken.set(plain, count + 1);
    return count === 0 ? plain : `${plain}-${count}`;
  });
};
