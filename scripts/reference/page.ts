import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A page that is made from the code, under docs/reference. */
export interface Page {
  readonly file: string;
  readonly text: string;
}

const folder = fileURLToPath(new URL("../../docs/reference", import.meta.url));

/** Writes the pages, or with `check` names those that say something else than the code does. */
export const syncPages = (pages: readonly Page[], check: boolean): readonly string[] => {
  mkdirSync(folder, { recursive: true });
  const stale = pages.filter(({ file, text }) => {
    const path = join(folder, file);
    return !existsSync(path) || readFileSync(path, "utf8") !== text;
  });
  // A page of a door that is gone.
  const left = readdirSync(folder).filter((name) => !pages.some(({ file }) => file === name));
  if (!check) {
    for (const { file, text } of stale) writeFileSync(join(folder, file), text);
    for (const name of left) rmSync(join(folder, name));
  }
  return [...stale.map(({ file }) => file), ...left];
};

/** A text within a table or a paragraph: what is not code must not become markup. */
export const proseText = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith("`") ? part : part.replaceAll("<", "&lt;")))
    .join("");

/** The same in a cell of a table, where a bar would end it. */
export const tableCell = (text: string): string =>
  proseText(text).replaceAll("|", "\\|").replace(/\s+/g, " ");

/** The anchors that a Markdown page gives its headings, in order: the same heading twice gets a number. */
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
