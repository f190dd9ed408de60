import jsonc, { type ParseError } from "jsonc-parser";

export type ParsedText =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly line: number; readonly column: number };

/** Errors give only the position, because the text may be secret. */
export const readJsonc = (text: string): ParsedText => {
  const json = text.replace(/^\uFEFF/, " ");
  const errors: ParseError[] = [];
  try {
    const tree = jsonc.parseTree(json, errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first !== undefined) return { ok: false, ...lineAndColumnOf(json, first.offset) };
    // Objects have no prototype, so `__proto__` is an ordinary member.
    return tree === undefined
      ? { ok: false, ...lineAndColumnOf(json, 0) }
      : { ok: true, value: jsonc.getNodeValue(tree) };
  } catch {
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
