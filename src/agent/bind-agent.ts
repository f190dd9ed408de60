import type { OfferedTool } from "../models/dialects/exporter.ts";
import { bindCode } from "../registry/library/bind-code.ts";
import { type BindFailure, type BindMode, isTool, stricterSpec } from "../registry/library/library-entry.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import { tool } from "../tools/tool.ts";
import { toWireName } from "../tools/tool-name.ts";
import { type Agent, handoffsOf, type Library } from "../types/agent.ts";
import { ToolBindingError } from "../types/errors.ts";
import type { Message } from "../types/message.ts";
import type { Model } from "../types/model.ts";
import { handoff } from "../types/outcome.ts";
import type { AnyTool, OfferedTools, Registration, ToolSpec } from "../types/tool.ts";
import { agentToolName } from "./agent.ts";
import {
  type BoundSearch,
  bindSearch,
  listDeferred,
  listSearched,
  registrationsByName,
  toOffered,
} from "./bind-search.ts";

export interface AgentBindingOptions {
  readonly registry: ToolRegistry;
  readonly library: Library | undefined;
  readonly mode: BindMode;
}

export interface BoundAgent {
  readonly registrations: readonly Registration[];
  readonly handoffs: readonly { readonly registration: Registration; readonly target: Agent }[];
  readonly search: BoundSearch | undefined;
}

export interface TurnTools extends OfferedTools {
  readonly listed: readonly OfferedTool[];
  readonly targets: readonly Agent[];
}

/** Prefers code of the library to that of the tool and of the runtime. */
export const bindAgent = (agent: Agent, options: AgentBindingOptions): BoundAgent => {
  const registrations = bindTools(agent, options);
  const handoffs = handoffsOf(agent).map((target) => ({
    registration: toHandoffRegistration(target),
    target,
  }));
  const search = bindSearch(agent, registrations, options.registry);
  refuseDuplicateNames(agent, registrations, [
    ...(search?.tools ?? []),
    ...handoffs.map(({ registration }) => registration),
  ]);
  return { registrations, handoffs, search };
};

const bindTools = (agent: Agent, options: AgentBindingOptions): readonly Registration[] => {
  const { registry } = options;
  // The identical list, so that caches keyed by it stay valid across runs.
  if (agent.tools.length === 1 && agent.tools[0] === "*") return registry.ordered();
  const missing: string[] = [];
  const misfits: BindFailure[] = [];
  const registrations = agent.tools.flatMap((each): readonly Registration[] => {
    if (each === "*") return registry.ordered();
    const bound = bindOne(each, options);
    if (bound === undefined) missing.push(agentToolName(each));
    else if ("ok" in bound) misfits.push(bound);
    else return [bound];
    return [];
  });
  if (missing.length + misfits.length > 0) throw notBoundError(agent, missing, misfits, options);
  return registrations;
};

/** Models identify tools by wire name only. */
const refuseDuplicateNames = (
  agent: Agent,
  registrations: readonly Registration[],
  others: readonly Registration[],
): void => {
  const names = registrationsByName(registrations);
  for (const one of registrations) {
    if (names.get(one.wireName) !== one) throw nameCollisionError(agent, one.wireName, false);
  }
  const taken = new Map<string, Registration>();
  for (const one of others) {
    const { wireName } = one;
    const isTool = names.get(wireName)?.wireName === wireName;
    const other = taken.get(wireName);
    if (isTool || (other !== undefined && other !== one)) {
      throw nameCollisionError(agent, wireName, isTool && one.isFree === true);
    }
    taken.set(wireName, one);
  }
};

export interface ToolTurnContext {
  readonly agent: string;
  readonly model: Model;
  readonly messages: readonly Message[];
}

export const toTurnTools = (
  bound: BoundAgent,
  isShown: (registration: Registration) => boolean,
  asked?: ToolTurnContext,
): TurnTools => {
  const { registrations, search } = bound;
  const leading = bound.handoffs.filter(({ registration }) => isShown(registration));
  const handoffs = leading.map(({ registration }) => registration);
  const targets = leading.map(({ target }) => target);
  const visible = () => registrations.filter(isShown);
  const byProvider = search?.settings.by === "provider" && asked?.model.searchesTools === true;
  if (search !== undefined && asked !== undefined && !byProvider) {
    const { agent, messages } = asked;
    const list = listSearched(search, { agent, messages, handoffs, isShown });
    const findShown = (wireName: string): Registration | undefined => {
      const found = search.find(wireName);
      return found?.wireName === wireName && isShown(found) ? found : undefined;
    };
    const byName = registrationsByWireName(list);
    const byWireName: OfferedTools["byWireName"] = {
      get: (wireName) => byName.get(wireName) ?? findShown(wireName),
      values: () => new Map([...byName, ...registrationsByWireName(visible())]).values(),
    };
    return { listed: Object.freeze(list.map(toOffered)), byWireName, targets };
  }
  const shown = visible();
  const all = registrationsByWireName([
    ...shown,
    ...(byProvider ? [] : (search?.tools ?? []).filter(isShown)),
    ...handoffs,
  ]);
  const listed =
    search !== undefined && byProvider
      ? listDeferred(search, shown, handoffs)
      : [...all.values()].map(toOffered);
  return { listed: Object.freeze(listed), byWireName: all, targets };
};

const registrationsByWireName = (registrations: readonly Registration[]): ReadonlyMap<string, Registration> =>
  new Map(registrations.map((one) => [one.wireName, one]));

const bindOne = (
  each: Agent["tools"][number],
  options: AgentBindingOptions,
): Registration | BindFailure | undefined => {
  const name = agentToolName(each);
  const known = options.registry.get(name);
  const entry = options.library?.lookup(name);
  if (entry !== undefined) {
    const spec = specOf(each) ?? (isTool(entry) ? entry.spec : known?.tool.spec);
    if (spec === undefined) return undefined;
    const bound = bindCode(spec, entry, options.mode);
    const replaced = isTool(each) ? each : known?.tool;
    return bound.ok ? toRegistration(withGuardsOf(replaced, bound.tool)) : bound;
  }
  if (isTool(each)) return known?.tool === each ? known : toRegistration(each);
  if (known === undefined || typeof each === "string") return known;
  // Keeps the runtime's registration, because policy knows the tool by its full name.
  const bound = bindCode(each, known.tool, options.mode);
  return bound.ok ? known : bound;
};

/** A library implementation keeps the layers and the stricter spec of the tool that it replaces. */
const withGuardsOf = (replaced: AnyTool | undefined, tool: AnyTool): AnyTool => {
  if (replaced === undefined) return tool;
  const layered = tool.layer(...replaced.layers) as AnyTool;
  return Object.freeze({ ...layered, spec: stricterSpec(layered.spec, replaced.spec) });
};

const specOf = (each: Agent["tools"][number]): ToolSpec | undefined => {
  if (typeof each === "string") return undefined;
  return isTool(each) ? each.spec : each;
};

const toRegistration = (bound: AnyTool): Registration => ({
  key: bound.spec.name,
  wireName: toWireName(bound.spec.name),
  origin: "agent",
  tool: bound,
});

const handoffCache = new WeakMap<Agent, Registration>();

const toHandoffRegistration = (target: Agent): Registration => {
  const before = handoffCache.get(target);
  if (before !== undefined) return before;
  const about = target.description === undefined ? "" : ` ${target.description}`;
  const made = toRegistration(
    tool({
      name: toWireName(`handoff_to_${target.name.replaceAll(/[^A-Za-z0-9_-]+/g, "_")}`),
      description: `Hands the conversation over to the agent "${target.name}".${about}`,
      input: {
        type: "object",
        properties: { reason: { type: "string", description: "Why the other agent should take over." } },
      },
      annotations: { readOnly: true },
      tags: ["handoff"],
      run: () => handoff(target.name),
    }),
  );
  handoffCache.set(target, made);
  return made;
};

const nameCollisionError = (agent: Agent, wireName: string, isMeta: boolean): ToolBindingError =>
  new ToolBindingError(
    "not_bound",
    isMeta
      ? `A tool of the agent "${agent.name}" is named "${wireName}", like a tool that \`toolSearch\` adds. Rename it with withName(), or remove toolSearch.`
      : `Two tools or handoffs of the agent "${agent.name}" would have the name "${wireName}".`,
  );

const notBoundError = (
  agent: Agent,
  missing: readonly string[],
  misfits: readonly BindFailure[],
  { library, registry }: AgentBindingOptions,
): ToolBindingError => {
  const places = library === undefined ? "the runtime" : "the library or the runtime";
  const names = missing.map((name) => `"${name}"`).join(", ");
  const near = missing.flatMap((name) => registry.near(name, () => true));
  const hint =
    near.length > 0
      ? ` Did you mean ${near.map((name) => `"${name}"`).join(" or ")}?`
      : " Register its tool, or remove it from the agent.";
  const lines = [
    ...(missing.length === 0 ? [] : [`${places} has no code for ${names}.${hint}`]),
    ...misfits.map(({ message }) => message),
  ];
  return new ToolBindingError("not_bound", `The agent "${agent.name}" cannot run: ${lines.join("\n")}`);
};
