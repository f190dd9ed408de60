import * as Context from "effect/Context";
import { classNameOf } from "../tools/class-implementation.ts";
import { toWireName } from "../tools/tool-name.ts";
import { ToolRegistrationError } from "../types/errors.ts";
import type { EventBus } from "../types/event.ts";
import type { Failure } from "../types/failure.ts";
import type { AnyTool, Registration } from "../types/tool.ts";
import { type Explanation, explainName } from "./explain-name.ts";
import { nameResolver, type Resolution, type Shadowing } from "./name-resolver.ts";
import { internalPlace, type ToolPlace, toFullName, toLookalikeKey } from "./place.ts";
import { suggestNames } from "./suggest-names.ts";
import { checkFilter, matchesFilter, type ToolFilter } from "./tool-filter.ts";
import { lookalikeError } from "./toolbox.ts";
import { undescribedParameters } from "./undescribed-parameters.ts";
import type { Workspace } from "./workspace.ts";

/** Every tool of every source, and who answers to which name. */
export interface ToolRegistry {
  readonly register: (tool: AnyTool, place?: ToolPlace) => Registration;
  /** All of them or, when one is refused, none. */
  readonly registerAll: (tools: Iterable<AnyTool>, place?: ToolPlace) => readonly Registration[];
  /** A workspace is the word of its owner, so its tools override internal ones of the same name. */
  readonly registerWorkspace: (
    workspace: Workspace,
    place: { readonly origin: "project" } | { readonly origin: "org"; readonly org?: string },
  ) => readonly Registration[];
  /** Takes a full name. */
  readonly unregister: (key: string) => boolean;
  readonly get: (name: string) => Registration | undefined;
  readonly resolve: (name: string) => Resolution;
  /** Whether this very tool is registered, also where another one answers to its name. */
  readonly holds: (registration: Registration) => boolean;
  readonly list: (filter?: ToolFilter) => readonly Registration[];
  /** Every tool that answers to its own wire name, by key in code unit order: what can be offered. */
  readonly ordered: () => readonly Registration[];
  readonly explain: (name: string) => Explanation;
  readonly near: (name: string, isVisible: (registration: Registration) => boolean) => readonly string[];
  /** What would be under a name that nobody has, where somebody knows why it is not there now. */
  readonly missing: (name: string) => MissingTool | undefined;
  /** Asked for names that nobody has, until what it answers with is called. */
  readonly explainMissing: (explain: (name: string) => MissingTool | undefined) => () => void;
  /** Called with what came to be under a full name, or with nothing when it is gone, until what it answers with is called. */
  readonly onChange: (listener: RegistryListener) => () => void;
  /** Another number after every change. */
  readonly version: number;
  readonly size: number;
}

/** Called inside of the change: it may note what it hears, and looks at the registry later. */
export type RegistryListener = (key: string, registration: Registration | undefined) => void;

/** A tool that would be there, for whoever asks whether its caller may know of it, and why it is not. */
export interface MissingTool {
  readonly registration: Registration;
  readonly failure: Failure;
}

/** The service that holds all tools of a runtime under their full names. */
export class Registry extends Context.Service<Registry, ToolRegistry>()("haft/Registry") {}

export interface RegistryOptions {
  readonly events?: EventBus;
  readonly maxTools?: number;
  /** Lets a tool replace one of the same full name. */
  readonly allowDuplicateNames?: boolean;
}

export const toolRegistry = (options: RegistryOptions = {}): ToolRegistry => {
  const { events, maxTools = 1_000, allowDuplicateNames = false } = options;
  const byKey = new Map<string, Registration>();
  // Full names, wire names and looks belong to one tool each: no spelling of one may reach another.
  const owners = new Map<string, string>();
  const index = nameResolver();
  const explainers = new Set<(name: string) => MissingTool | undefined>();
  const listeners = new Set<RegistryListener>();
  let version = 0;
  let sorted: readonly Registration[] | undefined;
  let reachable: readonly Registration[] | undefined;

  /** Everything that could be refused is refused here, before the first tool is put in its place. */
  const check = (entries: readonly RegistryEntry[]): readonly CheckedEntry[] => {
    const here = new Map<string, string>();
    const named = new Map<string, AnyTool>();
    let added = 0;
    return entries.map(({ tool, place }) => {
      const key = toFullName(tool.spec.name, place);
      const wireName = toWireName(key);
      const claims = reservedNames(key, wireName);
      for (const claim of claims) {
        const owner = owners.get(claim) ?? here.get(claim);
        if (owner !== undefined && owner !== key) throw lookalikeError(key, owner);
      }
      const taken = owners.has(key) || here.has(key);
      if (taken && !allowDuplicateNames)
        throw duplicateError(key, named.get(key) ?? byKey.get(key)?.tool, tool);
      if (!taken) added++;
      if (byKey.size + added > maxTools) throw tooManyToolsError(key, maxTools);
      for (const claim of claims) here.set(claim, key);
      named.set(key, tool);
      return { tool, place, key, wireName, claims };
    });
  };

  const changed = (key: string, registration: Registration | undefined): void => {
    version++;
    sorted = undefined;
    reachable = undefined;
    for (const listener of listeners) listener(key, registration);
  };

  const put = (
    { tool, place, key, wireName, claims }: CheckedEntry,
    news: ChangeListener[],
  ): Registration => {
    const before = byKey.get(key);
    if (before !== undefined) take(before, news);
    const registration = Object.freeze({ key, wireName, origin: place.origin, tool });
    byKey.set(key, registration);
    for (const claim of claims) owners.set(claim, key);
    const shadowing = index.add(registration, place.overrides === true);
    changed(key, registration);
    if (events !== undefined) {
      news.push(() => events.emit("tools.registered", { toolName: key, origin: place.origin }));
      if (shadowing.shadowed.length > 0) news.push(() => warnOfShadowing(events, tool.spec.name, shadowing));
      if (tool.layers.length > 0) news.push(() => warnOfLayers(events, key, tool));
      if (events.isHeard("tools.undescribed")) news.push(() => warnOfParameters(events, key, tool));
    }
    return registration;
  };

  const take = (registration: Registration, news: ChangeListener[]): void => {
    const { key, wireName, origin } = registration;
    byKey.delete(key);
    for (const claim of reservedNames(key, wireName)) owners.delete(claim);
    index.remove(registration);
    changed(key, undefined);
    if (events !== undefined) {
      news.push(() => events.emit("tools.unregistered", { toolName: key, origin }));
    }
  };

  /** News goes out when the change is complete: a listener may look at the registry, or change it. */
  const putAll = (entries: readonly RegistryEntry[]): readonly Registration[] => {
    const news: ChangeListener[] = [];
    const registrations = check(entries).map((entry) => put(entry, news));
    for (const tell of news) tell();
    return registrations;
  };

  const everything = (): readonly Registration[] => {
    sorted ??= Object.freeze([...byKey.keys()].sort().map((key) => byKey.get(key) as Registration));
    return sorted;
  };

  const ordered = (): readonly Registration[] => {
    reachable ??= Object.freeze(everything().filter(index.isReachable));
    return reachable;
  };

  return Object.freeze({
    register: (tool, place = internalPlace) => putAll([{ tool, place }])[0] as Registration,
    registerAll: (tools, place = internalPlace) => putAll(Array.from(tools, (tool) => ({ tool, place }))),
    registerWorkspace: ({ toolboxes }, place) =>
      putAll(
        [...toolboxes].flatMap(([namespace, tools]) =>
          Array.from(tools.values(), (tool) => ({ tool, place: { ...place, namespace, overrides: true } })),
        ),
      ),
    unregister: (key) => {
      const registration = byKey.get(key);
      if (registration === undefined) return false;
      const news: ChangeListener[] = [];
      take(registration, news);
      for (const tell of news) tell();
      return true;
    },
    get: index.find,
    resolve: index.resolve,
    holds: (registration) => byKey.get(registration.key) === registration,
    list: (filter) => {
      if (filter === undefined) return everything();
      checkFilter(filter);
      return everything().filter((registration) => matchesFilter(registration, filter));
    },
    ordered,
    explain: (name) => explainName(index, name),
    near: (name, isVisible) => suggestNames(name, ordered(), isVisible),
    missing: (name) => {
      for (const explain of explainers) {
        const found = explain(name);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    explainMissing: (explain) => {
      explainers.add(explain);
      return () => explainers.delete(explain);
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get version() {
      return version;
    },
    get size() {
      return byKey.size;
    },
  } satisfies ToolRegistry);
};

interface RegistryEntry {
  readonly tool: AnyTool;
  readonly place: ToolPlace;
}

interface CheckedEntry extends RegistryEntry {
  readonly key: string;
  readonly wireName: string;
  readonly claims: readonly string[];
}

/** A space is in no name, so looks and names cannot meet. */
const reservedNames = (key: string, wireName: string): readonly string[] => [
  key,
  wireName,
  `looks ${toLookalikeKey(key)}`,
];

type ChangeListener = () => void;

const warnOfShadowing = (events: EventBus, name: string, { shadowed, by }: Shadowing): void => {
  if (!events.isHeard("tools.overridden")) return;
  for (const { key } of shadowed) events.emit("tools.overridden", { name, toolName: by.key, shadowed: key });
};

const warnOfLayers = (events: EventBus, toolName: string, tool: AnyTool): void => {
  for (const { idleAround, label = "a layer" } of tool.layers) {
    const reason = idleAround?.(tool);
    if (reason !== undefined) events.emit("tools.idle-layer", { toolName, layer: label, reason });
  }
};

const warnOfParameters = (events: EventBus, toolName: string, { spec }: AnyTool): void => {
  const parameters = undescribedParameters(spec.input);
  if (parameters.length > 0) events.emit("tools.undescribed", { toolName, parameters });
};

const duplicateError = (key: string, before: AnyTool | undefined, after: AnyTool) => {
  const classes = [before, after].map((each) => each && classNameOf(each));
  const both = classes.every((name) => name !== undefined) ? ` (the classes ${classes.join(" and ")})` : "";
  return new ToolRegistrationError(
    "duplicate_tool",
    `A tool named "${key}" is already registered${both}. Unregister it first, rename one with withName(), or set allowDuplicateNames.`,
    { tool: key },
  );
};

const tooManyToolsError = (key: string, maxTools: number) =>
  new ToolRegistrationError(
    "too_many_tools",
    `The tool "${key}" does not fit: the registry holds at most ${maxTools} tools. Raise maxTools.`,
    { tool: key },
  );
