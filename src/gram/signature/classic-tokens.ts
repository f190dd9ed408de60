export type ClassicKind = "name" | "arrow" | "(" | ")" | "[" | "]" | "{" | "}" | ":" | "," | "odd" | "end";

export interface ClassicToken {
  readonly kind: ClassicKind;
  readonly text: string;
  readonly offset: number;
}

const pattern =
  /[ \t\r\n]+|(?<name>[A-Za-z_][0-9A-Za-z_.@-]*)|(?<arrow>-->)|(?<sign>::|[()[\]{}:,])|(?<odd>[-=~<>→⇒]+|[^\s]|\s)/gu;

/** Never fails: what belongs to no signature is an `odd` token, and the last one is always `end`. */
export const classicTokens = (text: string): readonly ClassicToken[] => {
  const tokens: ClassicToken[] = [];
  for (const match of text.matchAll(pattern)) {
    const { name, arrow, sign, odd } = match.groups as Partial<Record<string, string>>;
    const offset = match.index;
    if (name !== undefined) tokens.push({ kind: "name", text: name, offset });
    else if (arrow !== undefined) tokens.push({ kind: "arrow", text: arrow, offset });
    else if (sign !== undefined)
      tokens.push({ kind: sign === "::" ? ":" : (sign as ClassicKind), text: sign, offset });
    else if (odd !== undefined) tokens.push({ kind: "odd", text: odd, offset });
  }
  tokens.push({ kind: "end", text: "", offset: text.trimEnd().length });
  return tokens;
};
