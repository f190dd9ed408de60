const title = `"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'|\`[^\`$]*\``;
const modifiers = String.raw`(?!(?:\.\w+)*\.(?:skip|todo|fails)\b)(?:\.\w+)*`;
const call = new RegExp(String.raw`^[ \t]*(?:(?:it|test)${modifiers}(?:\(.*\))?|\]?\))\(\s*(${title})`, "gm");

/** Titles of the tests in a source text. A skipped test proves nothing, so its title is not there. */
export const readTitles = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(call)].map(([, literal]) => literal!.slice(1, -1).replace(/\\(.)/g, "$1")));
