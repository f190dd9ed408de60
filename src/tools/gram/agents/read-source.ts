import { freezeJson } from "../../../base/json/freeze-json.ts";
import type { Json } from "../../../types/json.ts";
import type { GramDocument } from "../document.ts";
import type { Diagnostic } from "../format-diagnostic.ts";
import { type ReadGramOptions, readGram } from "../read-gram.ts";
import { rewriteToolBlocks } from "../rewrite-tool-blocks.ts";
import { readWrittenJson } from "../signature/read-written-json.ts";

export type AgentFileReading =
  | { readonly kind: "json"; readonly value: Json }
  | {
      readonly kind: "gram";
      readonly document: GramDocument;
      readonly text: string;
      /** Maps to the original text. */
      readonly restore: (diagnostic: Diagnostic) => Diagnostic;
    }
  | { readonly kind: "unreadable"; readonly diagnostics: readonly Diagnostic[] };

export const readSource = (source: string, options: ReadGramOptions): AgentFileReading => {
  const json = /^\s*[{[]/.test(source) ? readWrittenJson(source) : undefined;
  if (json?.ok) return { kind: "json", value: freezeJson(json.value as Json) };
  const gram = readGram(source, options);
  if (gram.ok) return { kind: "gram", document: gram.document, text: source, restore: unchanged };
  if (json !== undefined && looksLikeJson(source)) {
    const { line, column, position, message } = json.problem;
    const diagnostic = {
      line,
      column,
      offset: position,
      code: "not-json",
      message,
      hint: "Only strict JSON is allowed.",
    };
    return { kind: "unreadable", diagnostics: [diagnostic] };
  }
  const blocks = rewriteToolBlocks(source);
  if (blocks === undefined) return { kind: "unreadable", diagnostics: gram.diagnostics };
  const { text, restore } = blocks;
  const again = readGram(text, options);
  return again.ok
    ? { kind: "gram", document: again.document, text, restore }
    : { kind: "unreadable", diagnostics: again.diagnostics.map(restore) };
};

const unchanged = (diagnostic: Diagnostic): Diagnostic => diagnostic;

/** Gram that starts with a brace ends with another bracket. */
const looksLikeJson = (source: string): boolean => {
  const text = source.trim();
  return (text.startsWith("{") && text.endsWith("}")) || (/^\[\s*[{"]/.test(text) && text.endsWith("]"));
};
