import { readAgent, readTools } from "./agent-file.ts";
import { isLabeled, patternOf, patternsWithin } from "./agents/agent-spec.ts";
import { readAgents } from "./agents/read-agents.ts";
import { readSource } from "./agents/read-source.ts";
import type { GramDocument } from "./document.ts";
import { type Diagnostic, DiagnosticCollector } from "./format-diagnostic.ts";
import { validateGram } from "./validate-gram.ts";

export interface GramFileCheck {
  readonly diagnostics: readonly Diagnostic[];
  /** Undefined for JSON and unreadable text. */
  readonly document?: GramDocument;
}

/** Grammar first, then agents and tools, then document rules. Used by every command, so that they agree. */
export const checkGramFile = (text: string): GramFileCheck => {
  const source = readSource(text, {});
  if (source.kind === "unreadable") return { diagnostics: source.diagnostics };
  if (source.kind === "json") return { diagnostics: jsonDiagnostics(text) };
  const { document, restore } = source;
  const problems = new DiagnosticCollector();
  readAgents(document, source.text, undefined, problems);
  const sorted = problems.list.toSorted((left, right) => left.offset - right.offset);
  const found = sorted.length > 0 ? sorted : documentDiagnostics(document);
  return { document, diagnostics: found.map(restore) };
};

const documentDiagnostics = (document: GramDocument): readonly Diagnostic[] => {
  const rules = validateGram(document);
  const isAgentFile = [...patternsWithin(document.items)].some((item) => {
    const pattern = patternOf(item);
    return pattern !== undefined && (isLabeled(pattern, "agent") || isLabeled(pattern, "tool"));
  });
  return isAgentFile ? rules.filter(({ code }) => code !== "undefined-reference") : rules;
};

const jsonDiagnostics = (text: string): readonly Diagnostic[] => {
  const agents = readAgent(text);
  return agents.ok || readTools(text).ok ? [] : agents.diagnostics;
};
