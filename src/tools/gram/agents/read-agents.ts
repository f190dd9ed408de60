import { nearest, suggestName } from "../../../base/text/nearest.ts";
import type { Json } from "../../../types/json.ts";
import type { ToolSpec } from "../../../types/tool.ts";
import type { Element, GramDocument, Item, Label, Property } from "../document.ts";
import type { DiagnosticCollector } from "../format-diagnostic.ts";
import { simpleTypeByName } from "../signature-types.ts";
import {
  type AgentSpec,
  isLabeled,
  type LabeledPattern,
  patternOf,
  patternsWithin,
  type ReadAgentOptions,
  recordFieldsOf,
  referencedName,
} from "./agent-spec.ts";
import { readTool } from "./read-tool.ts";
import { toAgent } from "./to-agent.ts";

export interface ParsedAgents {
  readonly agents: readonly AgentSpec[];
  readonly tools: readonly ToolSpec[];
}

export const readAgents = (
  document: GramDocument,
  text: string,
  resolve: ReadAgentOptions["resolve"],
  problems: DiagnosticCollector,
): ParsedAgents => {
  const index = readToolTable(document, text, problems);
  reportMisspelledLabels(document, problems);
  const agents: AgentSpec[] = [];
  const seen = new Set<string>();
  for (const item of patternsWithin(document.items)) {
    const pattern = patternWithLabel(item, "agent");
    if (pattern === undefined) continue;
    const agent = readAgentPattern(pattern, index, resolve, problems);
    if (agent === undefined) continue;
    if (seen.has(agent.name)) {
      problems.add(
        "duplicate-agent",
        pattern.at,
        `Two agents are called "${agent.name}"`,
        "Rename one of the two.",
      );
    }
    seen.add(agent.name);
    agents.push(agent);
  }
  return { agents, tools: [...index.specs.values()].filter((spec) => spec !== undefined) };
};

/** With `kind: "agents"` in the header, every similar label is reported. */
const reportMisspelledLabels = ({ header, items }: GramDocument, problems: DiagnosticCollector): void => {
  const isExpected = (header?.properties ?? []).some(
    ({ key, value }) => key === "kind" && value.kind === "string" && value.value === "agents",
  );
  for (const item of patternsWithin(items)) {
    if (item.kind === "bracket" || item.kind === "annotated")
      reportMisspelledLabel(item, isExpected, problems);
  }
};

/** Returns true if reported. */
const reportMisspelledLabel = (
  item: Item | Element,
  isExpected: boolean,
  problems: DiagnosticCollector,
): boolean => {
  const pattern = patternOf(item);
  const near = pattern === undefined ? undefined : findMisspelledLabel(pattern, isExpected);
  if (pattern === undefined || near === undefined) return false;
  const { label, meant } = near;
  const what = `The label "${label.name.slice(0, 40)}" is neither Agent nor Tool`;
  problems.add("unknown-label", label.at ?? pattern.at, what, `Did you mean :${meant}?`);
  return true;
};

/** Unreadable tools have no spec. */
interface ToolTable {
  readonly specs: ReadonlyMap<Item | Element, ToolSpec | undefined>;
  readonly definitions: ReadonlyMap<string, readonly (Item | Element)[]>;
  readonly agents: ReadonlySet<string>;
}

const readToolTable = ({ items }: GramDocument, text: string, problems: DiagnosticCollector): ToolTable => {
  const specs = new Map<Item | Element, ToolSpec | undefined>();
  const definitions = new Map<string, (Item | Element)[]>();
  const put = (item: Item | Element): void => {
    const pattern = patternWithLabel(item, "tool");
    if (pattern === undefined) return;
    specs.set(item, readTool(pattern, text, problems));
    const name = pattern.subject.identity?.name;
    if (name === undefined) return;
    const before = definitions.get(name);
    if (before === undefined) definitions.set(name, [item]);
    else before.push(item);
  };
  const agents = new Set<string>();
  for (const item of patternsWithin(items)) {
    put(item);
    const agent = patternWithLabel(item, "agent");
    if (agent?.subject.identity !== undefined) agents.add(agent.subject.identity.name);
    for (const element of agent?.elements ?? []) put(element);
  }
  return { specs, definitions, agents };
};

const patternWithLabel = (item: Item | Element, label: string): LabeledPattern | undefined => {
  const pattern = patternOf(item);
  return pattern !== undefined && isLabeled(pattern, label) ? pattern : undefined;
};

const readAgentPattern = (
  pattern: LabeledPattern,
  index: ToolTable,
  resolve: ReadAgentOptions["resolve"],
  problems: DiagnosticCollector,
): AgentSpec | undefined => {
  const { subject, elements, at } = pattern;
  const before = problems.list.length;
  const fields = recordFieldsOf(subject.properties, at, { instruction: "instructions" }, problems);
  const tools: (ToolSpec | string)[] = [];
  const seen = new Set<string>();
  for (const element of elements) {
    const tool = readElement(element, index, resolve, problems);
    if (tool === undefined) continue;
    const name = typeof tool === "string" ? tool : tool.name;
    if (seen.has(name)) {
      problems.add(
        "duplicate-tool",
        element.at,
        `The agent has two tools named "${name}"`,
        "Rename one of the two.",
      );
    }
    seen.add(name);
    tools.push(tool);
  }
  const { tools: listed, ...said } = fields.values;
  const values: Record<string, Json> = { ...said };
  if (listed !== undefined) {
    fields.complain(
      "unknown-key",
      "tools",
      "An agent's tools must be its parts",
      "Write [a:Agent {…} | sayHello].",
    );
  }
  values.name ??= subject.identity?.name ?? "";
  const agent = toAgent({ ...fields, values }, tools);
  return problems.list.length > before ? undefined : agent;
};

const readElement = (
  element: Element,
  { specs, definitions, agents }: ToolTable,
  resolve: ReadAgentOptions["resolve"],
  problems: DiagnosticCollector,
): ToolSpec | string | undefined => {
  if (specs.has(element)) return specs.get(element);
  const name = referencedName(element);
  if (name === undefined) {
    if (!reportMisspelledLabel(element, true, problems))
      problems.add("wrong-part", element.at, "The parts of an agent are tools", toolHint);
    return undefined;
  }
  const [found, duplicate] = definitions.get(name) ?? [];
  if (duplicate !== undefined) {
    problems.add("ambiguous-tool", element.at, `The file defines "${name}" twice`, "Rename one of the two.");
  }
  if (found !== undefined) return specs.get(found);
  if (agents.has(name)) {
    const hint = `To allow a handoff to it, write {handoffs: ["${name}"]}.`;
    problems.add(
      "wrong-part",
      element.at,
      `"${name}" is an agent, and the parts of an agent are tools`,
      hint,
    );
    return undefined;
  }
  return resolve === undefined ? name : resolveName(name, element, resolve, definitions, problems);
};

const toolHint = "Write [sayHello:Tool {…} | (name::String)==>(::String)], or the name of a tool.";

const resolveName = (
  name: string,
  element: Element,
  resolve: NonNullable<ReadAgentOptions["resolve"]>,
  definitions: ToolTable["definitions"],
  problems: DiagnosticCollector,
): ToolSpec | string | undefined => {
  const found = resolve(name);
  if (found !== undefined) return found;
  const known = [...definitions.keys()].slice(0, 20).map((each) => `"${each}"`);
  const meant = suggestName(name, [...definitions.keys()]).trimStart();
  const hint =
    known.length === 0
      ? "The file defines no tools."
      : `${meant} The file defines ${known.join(", ")}.`.trimStart();
  problems.add("unknown-tool", element.at, `No tool is called "${name}"`, hint);
  return undefined;
};

interface MisspelledLabel {
  readonly label: Label;
  readonly meant: "Agent" | "Tool";
}

const labelSynonyms: Readonly<Record<string, MisspelledLabel["meant"]>> = {
  agentspecification: "Agent",
  agentspec: "Agent",
  toolspecification: "Tool",
  toolspec: "Tool",
};

const agentKeys = new Set([
  "instruction",
  "instructions",
  "model",
  "settings",
  "toolSearch",
  "output",
  "handoffs",
]);
const toolKeys = new Set(["typeSignature", "inputSchema", "outputSchema", "noSchemaMode"]);

/**
 * Files may have other labels, such as `Pool`: reported only if `isExpected` or if the properties are those
 * of an agent or tool.
 */
const findMisspelledLabel = (pattern: LabeledPattern, isExpected: boolean): MisspelledLabel | undefined => {
  if (isLabeled(pattern, "agent") || isLabeled(pattern, "tool")) return undefined;
  for (const label of pattern.subject.labels) {
    const other = labelSynonyms[label.name.toLowerCase()];
    if (other !== undefined) return { label, meant: other };
    const meant = nearest(label.name, ["Agent", "Tool"]) as MisspelledLabel["meant"] | undefined;
    if (meant !== undefined && (isExpected || mentions(pattern, meant))) return { label, meant };
  }
  return undefined;
};

const mentions = ({ subject, elements }: LabeledPattern, what: MisspelledLabel["meant"]): boolean => {
  const has = (keys: ReadonlySet<string>): boolean =>
    subject.properties.some(({ key }: Property) => keys.has(key));
  return what === "Agent" ? has(agentKeys) : has(toolKeys) || elements.some(isSignature);
};

const isSignature = (element: Element): boolean => {
  if (element.kind !== "path" || element.nodes.length < 2) return false;
  const { identity, labels } = element.nodes.at(-1)!.subject;
  return identity === undefined && labels.some(({ name }) => simpleTypeByName(name) !== undefined);
};
