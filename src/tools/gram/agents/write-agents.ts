import { canonicalJson } from "../../../base/json/canonical-json.ts";
import type { Json, JsonSchema } from "../../../types/json.ts";
import type { ToolSpec } from "../../../types/tool.ts";
import { isInteger } from "../characters.ts";
import type { Bracket, Element, GramDocument, Property, Reference, Subject, Value } from "../document.ts";
import { readSignature } from "../read-signature.ts";
import {
  fieldElement,
  inputToParameters,
  schemaToShape,
  signatureToPath,
  writePath,
} from "../schema-to-signature.ts";
import { SchemaMisfitError } from "../signature/fit-schema.ts";
import { jsonFence, jsonToValue } from "../signature/value-json.ts";
import { signatureToOutputSchema, signatureToSchema } from "../signature-to-schema.ts";
import type { Shape, Signature } from "../signature-types.ts";
import type { AgentSpec } from "./agent-spec.ts";
import { toolDefaults, toolFields } from "./to-tool-spec.ts";

/** A shared tool is defined in the first agent and referenced in the others. */
export const agentsToDocument = (agents: readonly AgentSpec[]): GramDocument => {
  const identities = new IdentityAllocator(agents);
  return { items: agents.map((agent, index) => agentBracket(agent, index > 0, identities)) };
};

const agentBracket = (agent: AgentSpec, apart: boolean, identities: IdentityAllocator): Bracket => {
  const { description, instructions, model, settings, tools, toolSearch, output, handoffs } = agent;
  const name = identities.ofAgent(agent.name);
  const properties = [
    ...(name === agent.name ? [] : [property("name", agent.name)]),
    ...(description === undefined ? [] : [property("description", description)]),
    property("instruction", instructions),
    ...(model === undefined ? [] : [property("model", model)]),
    ...(settings === undefined ? [] : [property("settings", settings as Json)]),
    ...(toolSearch === undefined ? [] : [property("toolSearch", toolSearch as Json)]),
    ...(output === undefined ? [] : [fenced("output", output)]),
    ...(handoffs.length === 0 ? [] : [property("handoffs", handoffs)]),
  ];
  const elements = tools.map((tool) => toolElement(tool, identities));
  return {
    kind: "bracket",
    subject: subjectOf(name, "Agent", properties),
    elements,
    ...(apart ? { apart } : {}),
  };
};

const toolBracket = (spec: ToolSpec, identity: string): Bracket => {
  const { properties, elements } = signatureStatement(spec);
  const named = identity === spec.name ? [] : [property("name", spec.name)];
  const head = [...named, property("description", spec.description)];
  return {
    kind: "bracket",
    subject: subjectOf(identity, "Tool", [...head, ...properties, ...otherProperties(spec)]),
    elements,
  };
};

const subjectOf = (name: string, label: string, properties: readonly Property[]): Subject => ({
  identity: { kind: isInteger(name) ? "integer" : "name", name },
  labels: [{ name: label }],
  properties,
});

const property = (key: string, value: Json): Property => ({ key, value: jsonToValue(value) });

interface ToolStatement {
  readonly properties: readonly Property[];
  readonly elements: readonly Element[];
}

/** As a path if that is lossless. */
const signatureStatement = (spec: ToolSpec): ToolStatement => {
  const { signature, input, output, noSchemaMode } = spec;
  const path = signature === undefined ? undefined : pathOf(signature, spec);
  if (path !== undefined) return { properties: [], elements: path };
  const derived = signature === undefined ? undefined : readSignature(signature);
  const known = derived?.ok === true ? derived.signature : undefined;
  const given = known === undefined ? undefined : signatureToSchema(known);
  const result = known === undefined ? undefined : signatureToOutputSchema(known);
  const isFree = noSchemaMode !== undefined && known === undefined && isSame(input, { type: "object" });
  const parts = [
    isFree || isSame(input, given) ? emptyStatement : inputStatement(input),
    output === undefined && result !== undefined
      ? { properties: [property("outputSchema", true)], elements: [] }
      : emptyStatement,
    output === undefined || isSame(output, result) ? emptyStatement : outputStatement(output),
  ];
  return {
    properties: [
      ...(signature === undefined ? [] : [property("typeSignature", signature)]),
      ...parts.flatMap((part) => part.properties),
    ],
    elements: parts.flatMap((part) => part.elements),
  };
};

const emptyStatement: ToolStatement = { properties: [], elements: [] };

const pathOf = (text: string, { input, output }: ToolSpec): readonly Element[] | undefined => {
  if (output === undefined) return undefined;
  return tryFit(() => {
    const signature: Signature = {
      form: "path",
      parameters: inputToParameters(input),
      result: schemaToShape(output),
      effect: false,
    };
    if (writePath(signature) !== text) return undefined;
    const { path, shapes } = signatureToPath(signature);
    return [path, ...shapes];
  });
};

const inputStatement = (schema: JsonSchema): ToolStatement => {
  const parameters = tryFit(() => inputToParameters(schema));
  return parameters === undefined
    ? { properties: [fenced("inputSchema", schema)], elements: [] }
    : { properties: [], elements: [fieldElement({ name: "input", type: { record: parameters } })] };
};

const outputStatement = (schema: JsonSchema): ToolStatement => {
  const shape: Shape | undefined = tryFit(() => schemaToShape(schema));
  return shape === undefined
    ? { properties: [fenced("outputSchema", schema)], elements: [] }
    : { properties: [], elements: [fieldElement({ ...shape, name: "output" })] };
};

const fenced = (key: string, schema: JsonSchema): { readonly key: string; readonly value: Value } => ({
  key,
  value: jsonFence(schema as Json),
});

const tryFit = <A>(attempt: () => A): A | undefined => {
  try {
    return attempt();
  } catch (misfit) {
    if (misfit instanceof SchemaMisfitError) return undefined;
    throw misfit;
  }
};

const isSame = (one: JsonSchema, other: JsonSchema | undefined): boolean =>
  other !== undefined && canonicalJson(one) === canonicalJson(other);

const separateFields: ReadonlySet<string> = new Set(["name", "description", "signature", "input", "output"]);

const otherProperties = (spec: ToolSpec): readonly Property[] =>
  toolFields.flatMap((key) => {
    const value = spec[key] as Json | undefined;
    if (separateFields.has(key) || value === undefined) return [];
    const usual = (toolDefaults as Partial<Record<string, Json>>)[key];
    return usual !== undefined && canonicalJson(usual) === canonicalJson(value) ? [] : [property(key, value)];
  });

const toolElement = (tool: ToolSpec | string, identities: IdentityAllocator): Element => {
  if (typeof tool === "string") return reference(tool);
  const { identity, isNew } = identities.of(tool);
  return isNew ? toolBracket(tool, identity) : reference(identity);
};

const reference = (name: string): Reference => ({
  kind: "reference",
  identity: { kind: isInteger(name) ? "integer" : "name", name },
});

/** Distinct from the names of registered tools. */
class IdentityAllocator {
  private readonly taken: Set<string>;
  private readonly known = new Map<string, string>();
  private readonly agents = new Map<string, string>();

  constructor(agents: readonly AgentSpec[]) {
    const names = agents.flatMap(({ tools }) => tools.filter((tool) => typeof tool === "string"));
    this.taken = new Set(names);
    for (const { name } of agents) this.agents.set(name, this.free(name));
  }

  ofAgent(name: string): string {
    return this.agents.get(name)!;
  }

  of(spec: ToolSpec): { readonly identity: string; readonly isNew: boolean } {
    const text = canonicalJson(spec);
    const before = this.known.get(text);
    if (before !== undefined) return { identity: before, isNew: false };
    const identity = this.free(spec.name);
    this.known.set(text, identity);
    return { identity, isNew: true };
  }

  private free(name: string): string {
    let identity = name;
    for (let next = 2; this.taken.has(identity); next++) identity = `${name}_${next}`;
    this.taken.add(identity);
    return identity;
  }
}
