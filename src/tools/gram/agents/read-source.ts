import { freezeJson } from "../../../base/json/freeze-json.ts";
import type { Json } from "../../../types/json.ts";
import type { GramDocument } from "../document.ts";
import type { Diagnostic } from "../format-diagnostic.ts";
import { type ReadGramOptions, readGram } from "../read-gram.ts";
import { rewriteToolBlocks } from "../rewrite-tool-blocks.ts";
import { readWrittenJson } from "../signature/read-written-json.ts";

/** A text of an agent's file, in whichever of its forms it is written. */
export type AgentFileReading =
  | { readonly kind: "json"; readonly value: Json }
  | {
      readonly kind: "gram";
      readonly document: GramDocument;
      /** What the document was read from: indented blocks are brackets in it. */
      readonly text: string;
      /** The place of a diagnostic in the text as it came. */
      readonly restore: (diagnostic: Diagnostic) => Diagnostic;
    }
  | { readonly kind: "unreadable"; readonly diagnostics: readonly Diagnostic[] };

/** Reads JSON, gram, or gram with indented `toolSpecification:` blocks in it. */
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
      hint: "JSON here is strict.",
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

/** Gram that begins with a brace ends with the last item's bracket, and a list of JSON holds objects or texts. */
const looksLikeJson = (source: string): boolean => {
  const text = source.trim();
  return (text.startsWith("{") && text.endsWith("}")) || (/^\[\s*[{"]/.test(text) && text.endsWith("]"));
};
