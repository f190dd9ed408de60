import { freezeJson } from "../../../base/json/json-value.ts";
import type { Json } from "../../../types/json.ts";
import { isSymbol } from "../characters.ts";
import type { GramDocument } from "../document.ts";
import type { Diagnostic } from "../format-diagnostic.ts";
import { type ReadGramOptions, readGram } from "../read-gram.ts";
import { readWrittenJson } from "../signature/value-json.ts";

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

interface RewrittenGram {
  /** Gram with the same line numbers. */
  readonly text: string;
  /** Maps to the original text. */
  readonly restore: (diagnostic: Diagnostic) => Diagnostic;
}

/**
 * Rewrites each indented block
 *
 *     toolSpecification: sayHello
 *       description: "Greets a person"
 *       typeSignature: "(name: Text) --> IO Text"
 *
 * as a gram bracket and keeps the rest. Returns undefined if there is no block.
 */
export const rewriteToolBlocks = (text: string): RewrittenGram | undefined => {
  const rewriter = new BlockRewriter();
  const lines = text.split("\n");
  for (const line of lines) rewriter.add(line);
  const { written, shifted } = rewriter;
  if (!rewriter.found) return undefined;
  if (rewriter.block !== "none") written.push(blockEnd);
  const restore = (diagnostic: Diagnostic): Diagnostic => {
    const line = Math.min(diagnostic.line, lines.length);
    const moved = shifted.has(line) ? diagnostic.column - blockEnd.length : diagnostic.column;
    const column = Math.min(Math.max(moved, 1), lines[line - 1]!.length + 1);
    const offset = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
    return { ...diagnostic, line, column, offset };
  };
  return { text: written.join("\n"), restore };
};

const blockEnd = "}]";

class BlockRewriter {
  readonly written: string[] = [];
  /** Lines moved right by the end of the block before them. */
  readonly shifted = new Set<number>();
  block: "none" | "empty" | "filled" = "none";
  found = false;
  private isFenced = false;

  add(line: string): void {
    const wasFenced = this.isFenced;
    if (line.split("```").length % 2 === 0) this.isFenced = !wasFenced;
    if (wasFenced) this.written.push(line);
    else this.addOutside(line, line.replace(/\r$/, ""));
  }

  private addOutside(line: string, body: string): void {
    const isBlank = /^[ \t]*(?:\/\/.*)?$/.test(body);
    const isInside = isBlank || /^[ \t]/.test(body);
    const closing = this.block !== "none" && !isInside ? blockEnd : "";
    if (closing !== "") this.block = "none";
    const named =
      this.block === "none" && /^toolSpecification[ \t]*:/.test(body) ? blockName(body) : undefined;
    if (named !== undefined) {
      this.found = true;
      this.block = "empty";
      this.written.push(closing + openBracket(named));
      return;
    }
    if (closing !== "") this.shifted.add(this.written.length + 1);
    const isNext = this.block === "filled" && /^[ \t]+[A-Za-z_"`]/.test(body);
    if (this.block === "empty" && !isBlank) this.block = "filled";
    // Replaces a blank, so that columns stay.
    this.written.push(closing + (isNext ? line.replace(/[ \t](?=[^ \t])/, ",") : line));
  }
}

const blockName = (head: string): string =>
  head
    .slice(head.indexOf(":") + 1)
    .split("//")[0]!
    .trim();

const openBracket = (named: string): string => {
  const bare = /^(["'`])(.*)\1$/.exec(named)?.[2];
  return `[${bare !== undefined && isSymbol(bare) ? bare : named}:Tool {`;
};

const unchanged = (diagnostic: Diagnostic): Diagnostic => diagnostic;

/** Gram that starts with a brace ends with another bracket. */
const looksLikeJson = (source: string): boolean => {
  const text = source.trim();
  return (text.startsWith("{") && text.endsWith("}")) || (/^\[\s*[{"]/.test(text) && text.endsWith("]"));
};
