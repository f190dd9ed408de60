import jsonc, { type ParseError } from "jsonc-parser";

export type ParsedText =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly line: number; readonly column: number };

/**
 * JSON as editors take it: with comments and trailing commas. What is wrong is told by its place alone, since the
 * text around it may be a secret.
 */
export const readJsonc = (text: string): ParsedText => {
  const json = text.replace(/^\uFEFF/, " ");
  const errors: ParseError[] = [];
  try {
    const tree = jsonc.parseTree(json, errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first !== undefined) return { ok: false, ...lineAndColumnOf(json, first.offset) };
    // The tree becomes objects without a prototype: a member "__proto__" is one like any other.
    return tree === undefined
      ? { ok: false, ...lineAndColumnOf(json, 0) }
      : { ok: true, value: jsonc.getNodeValue(tree) };
  } catch {
    // Nested so deeply that it cannot be read: no client writes such a file.
    return { ok: false, line: 1, column: 1 };
  }
};

const lineAndColumnOf = (
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } => {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
};
