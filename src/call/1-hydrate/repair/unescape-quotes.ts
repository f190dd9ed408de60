import { type Repairing, refuse } from "./repairing.ts";

/**
 * A text in which every double quote is escaped, as it stands inside of another JSON text. Only escapes that
 * mean the same before and after are let through: `\\t` could be a tab, or a folder in a path.
 */
export const unescapeQuotes = (text: string, start: number, { steps, changes }: Repairing): string => {
  let plain = "";
  let from = start;
  steps.take(text.length - start);
  for (let at = start; at < text.length; at++) {
    const here = text[at];
    if (here === '"') refuse("only some of its quotes are escaped");
    if (here !== "\\") continue;
    const next = text[at + 1] ?? "";
    if (text.startsWith('\\\\\\"', at)) {
      plain += `${text.slice(from, at)}\\"`;
      at += 3;
    } else if (next === '"') {
      plain += `${text.slice(from, at)}"`;
      at += 1;
    } else if (next !== "" && "nrtu/".includes(next)) {
      at += 1;
      continue;
    } else {
      refuse("it is not certain how often it is escaped");
    }
    from = at + 1;
  }
  plain += text.slice(from);
  changes.add("text", [], text.slice(start), plain);
  return plain;
};
