import { ToolDefinitionError } from "../../../types/errors.ts";
import { isInteger, isSymbol } from "../characters.ts";
import type { Identity, Label, Position } from "../document.ts";

/** Generated documents may contain what gram cannot express. */
export const failUnwritable = (what: string, at?: Position): never => {
  const where = at === undefined ? "" : ` (read at line ${at.line}, column ${at.column})`;
  throw new ToolDefinitionError("invalid_definition", `This document is not gram: ${what}${where}.`);
};

const escapes: { readonly [character: string]: string } = {
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\\": "\\\\",
};

// Other gram parsers look for a comment after an opening quote.
const commentAtStart = /^(\s*)\/\//;

export const quotedWith = (quote: '"' | "`", value: string): string => {
  const body = value.replace(
    /[\b\f\n\r\t\\"`]/g,
    (each) => escapes[each] ?? (each === quote ? `\\${each}` : each),
  );
  return quote + body.replace(commentAtStart, "$1\\//") + quote;
};

const bareOrQuoted = (quote: '"' | "`", name: string): string =>
  isSymbol(name) ? name : quotedWith(quote, name);

export const writeKey = (key: string): string => bareOrQuoted('"', key);

export const writeIdentity = ({ kind, name, at }: Identity): string => {
  if (kind === "name") return bareOrQuoted("`", name);
  return isInteger(name) ? name : failUnwritable(`${JSON.stringify(name)} is not an integer identity`, at);
};

export const writeLabels = (labels: readonly Label[]): string => {
  let written = "";
  for (const { name, double } of labels) written += (double === true ? "::" : ":") + bareOrQuoted("`", name);
  return written;
};

export const writeSymbol = (name: string, at?: Position): string =>
  isSymbol(name) ? name : failUnwritable(`${JSON.stringify(name.slice(0, 40))} is not a symbol`, at);
