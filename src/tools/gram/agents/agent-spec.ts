import { toPointer } from "../../../base/json/json-value.ts";
import type { Json, JsonSchema } from "../../../types/json.ts";
import type { ModelSettings } from "../../../types/model.ts";
import type { ToolSpec } from "../../../types/tool.ts";
import type { ToolSearchOptions } from "../../../types/tool-search.ts";
import type { Element, Item, Position, Property, Subject } from "../document.ts";
import type { Diagnostic, DiagnosticCollector } from "../format-diagnostic.ts";
import { valueToJson } from "../signature/value-json.ts";

/** An agent without its code, as frozen plain JSON. */
export interface AgentSpec {
  readonly name: string;
  readonly description?: string;
  readonly instructions: string;
  /** `provider/model-id`. */
  readonly model?: string;
  readonly settings?: ModelSettings;
  /** Specs, or names of registered tools; `"*"` for all visible ones. */
  readonly tools: readonly (ToolSpec | string)[];
  /** Shows the model only some tools and lets it search the others. */
  readonly toolSearch?: true | ToolSearchOptions;
  /** The result type of its runs, in JSON Schema. */
  readonly output?: JsonSchema;
  /** Names of the agents that it may hand off to. */
  readonly handoffs: readonly string[];
}

/** Selects the agent and resolves tools that the text only names. */
export interface ReadAgentOptions {
  /** The agent to read; the first one by default. */
  readonly agent?: string;
  /**
   * Finds a tool that the file names without defining. Undefined is reported as a problem; without `resolve`
   * the name is kept for the runtime.
   */
  readonly resolve?: (name: string) => ToolSpec | string | undefined;
}

/** The agents and tools of a text, or its problems. */
export type ReadAgentResult =
  | {
      readonly ok: true;
      readonly agent: AgentSpec;
      /** All agents of the file, in order. */
      readonly agents: readonly AgentSpec[];
      /** All tools that the file defines, inside agents or at top level. */
      readonly tools: readonly ToolSpec[];
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** The tools of a text, or its problems. */
export type ReadToolsResult =
  | { readonly ok: true; readonly tools: readonly ToolSpec[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

export interface RecordFields {
  readonly values: Readonly<Record<string, Json>>;
  /** Without a key, the whole record is wrong. `message` has no full stop. */
  readonly complain: (code: string, key: string | undefined, message: string, hint: string) => void;
}

export const recordFieldsOf = (
  properties: readonly Property[],
  at: Position | undefined,
  rename: Readonly<Record<string, string>>,
  problems: DiagnosticCollector,
): RecordFields => {
  const values: Record<string, Json> = {};
  const places = new Map<string, Position | undefined>();
  for (const { key, value, at: from } of properties) {
    const name = Object.hasOwn(rename, key) ? rename[key]! : key;
    const place = from ?? value.at ?? at;
    const read = valueToJson(value);
    if (places.has(name) || name === "__proto__") {
      problems.add(
        "duplicate-key",
        place,
        `The key "${key}" is given twice, or under two names`,
        "Remove one.",
      );
    } else if ("json" in read) values[name] = read.json;
    else
      problems.add(
        "wrong-value",
        value.at ?? place,
        `"${key}" ${read.why}`,
        "Write a text, a number, true, false, a list, a map, or json`…`.",
      );
    places.set(name, place);
  }
  return {
    values,
    complain: (code, key, message, hint) =>
      problems.add(code, (key === undefined ? undefined : places.get(key)) ?? at, message, hint),
  };
};

export const recordFieldsOfJson = (
  values: Readonly<Record<string, Json>>,
  pointer: string,
  problems: DiagnosticCollector,
): RecordFields => ({
  values,
  complain: (code, key, message, hint) => {
    const place = key === undefined || !Object.hasOwn(values, key) ? pointer : pointer + toPointer([key]);
    problems.add(code, undefined, place === "" ? message : `${message} (at ${place})`, hint);
  },
});

export interface LabeledPattern {
  readonly subject: Subject;
  readonly elements: readonly Element[];
  readonly at: Position | undefined;
}

export const patternOf = (item: Item | Element): LabeledPattern | undefined => {
  switch (item.kind) {
    case "bracket":
      return { subject: item.subject, elements: item.elements, at: item.subject.identity?.at ?? item.at };
    case "annotated":
      return { subject: item.subject, elements: [item.target], at: item.subject.identity?.at ?? item.at };
    case "path": {
      const [node, second] = item.nodes;
      if (node === undefined || second !== undefined) return undefined;
      return { subject: node.subject, elements: [], at: node.subject.identity?.at ?? node.at };
    }
    default:
      return undefined;
  }
};

export const isLabeled = ({ subject }: LabeledPattern, label: string): boolean =>
  subject.labels.some(({ name }) => name.toLowerCase() === label);

/** Descends into brackets that are neither agents nor tools. */
export function* patternsWithin(items: readonly (Item | Element)[]): Generator<Item | Element> {
  for (const item of items) {
    yield item;
    const pattern = patternOf(item);
    if (pattern !== undefined && !isLabeled(pattern, "agent") && !isLabeled(pattern, "tool")) {
      yield* patternsWithin(pattern.elements);
    }
  }
}

/** `sayHello` or `(sayHello)`. */
export const referencedName = (element: Element): string | undefined => {
  if (element.kind === "reference") return element.identity.name;
  const subject = patternOf(element)?.subject;
  const isBare = subject?.labels.length === 0 && subject.properties.length === 0;
  return isBare && element.kind === "path" ? subject.identity?.name : undefined;
};
