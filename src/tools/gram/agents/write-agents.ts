import { canonicalJson } from "../../../base/json/canonical-json.ts";
import type { Json } from "../../../types/json.ts";
import type { ToolSpec } from "../../../types/spec.ts";
import { isInteger } from "../characters.ts";
import type { Bracket, Element, GramDocument, Reference } from "../document.ts";
import type { AgentSpec } from "./agent-spec.ts";
import { fenced, property, subjectOf, toolBracket } from "./write-tool.ts";

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
