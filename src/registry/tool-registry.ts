import * as Context from "effect/Context";
import { isRecord } from "../base/schema/plain/plain-schema.ts";
import { classNameOf } from "../tools/class-implementation.ts";
import { toWireName } from "../tools/tool-name.ts";
import { ToolRegistrationError } from "../types/errors.ts";
import type { EventBus } from "../types/event.ts";
import type { Failure } from "../types/failure.ts";
import type { JsonSchema } from "../types/json.ts";
import type { AnyTool, Registration } from "../types/tool.ts";
import {
  type Explanation,
  explainName,
  nameResolver,
  type Resolution,
  type Shadowing,
} from "./name-resolver.ts";
import {
  checkFilter,
  internalPlace,
  matchesFilter,
  type ToolFilter,
  type ToolPlace,
  toFullName,
  toLookalikeKey,
} from "./place.ts";
import { suggestNames } from "./suggest-names.ts";
import { lookalikeError } from "./toolbox.ts";
import type { Workspace } from "./workspace.ts";

/** All tools of a runtime, and how names resolve to them. */
export interface ToolRegistry {
  readonly register: (tool: AnyTool, place?: ToolPlace) => Registration;
  /** Registers all tools, or none if one is refused. */
  readonly registerAll: (tools: Iterable<AnyTool>, place?: ToolPlace) => readonly Registration[];
  /** Registers a workspace. Its tools override internal ones of the same name. */
  readonly registerWorkspace: (
    workspace: Workspace,
    place: { readonly origin: "project" } | { readonly origin: "org"; readonly org?: string },
  ) => readonly Registration[];
  /** Takes a full name. */
  readonly unregister: (key: string) => boolean;
  readonly get: (name: string) => Registration | undefined;
  readonly resolve: (name: string) => Resolution;
  /** Whether this registration is present, even if its name resolves to another tool. */
  readonly holds: (registration: Registration) => boolean;
  readonly list: (filter?: ToolFilter) => readonly Registration[];
  /** All tools that resolve by their own wire name, by key in code unit order. */
  readonly ordered: () => readonly Registration[];
  readonly explain: (name: string) => Explanation;
  readonly near: (name: string, isVisible: (registration: Registration) => boolean) => readonly string[];
  /** Returns the tool that a missing name would have, if an explainer knows why it is absent. */
  readonly missing: (name: string) => MissingTool | undefined;
  /** Adds an explainer for missing names. Returns a function that removes it. */
  readonly explainMissing: (explain: (name: string) => MissingTool | undefined) => () => void;
  /**
   * Calls the listener with the registration of a changed key, or undefined after a removal. Returns a
   * function that removes the listener.
   */
  readonly onChange: (listener: RegistryListener) => () => void;
  /** Increases with every change. */
  readonly version: number;
  readonly size: number;
}

/** Called during a change, so it must not read the registry before the change is complete. */
export type RegistryListener = (key: string, registration: Registration | undefined) => void;

/** A tool that is absent, and why. Check first whether the caller may know of it. */
export interface MissingTool {
  readonly registration: Registration;
  readonly failure: Failure;
}

/** The service that holds all tools of a runtime by full name. */
export class Registry extends Context.Service<Registry, ToolRegistry>()("haft/Registry") {}

export interface RegistryOptions {
  readonly events?: EventBus;
  readonly maxTools?: number;
  readonly allowDuplicateNames?: boolean;
  /** Makes all tools free, see `Registration.isFree`. */
  readonly areFree?: true;
}

export const toolRegistry = (options: RegistryOptions = {}): ToolRegistry => {
  const { events, maxTools = 1_000, allowDuplicateNames = false, areFree } = options;
  const byKey = new Map<string, Registration>();
  // Full names, wire names and lookalike keys have one owner each, so that no spelling of one tool reaches
  // another.
  const owners = new Map<string, string>();
  const index = nameResolver();
  const explainers = new Set<(name: string) => MissingTool | undefined>();
  const listeners = new Set<RegistryListener>();
  let version = 0;
  let sorted: readonly Registration[] | undefined;
  let reachable: readonly Registration[] | undefined;

  /** Checks all entries before the first one is registered. */
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

  const add = (
    { tool, place, key, wireName, claims }: CheckedEntry,
    news: ChangeListener[],
  ): Registration => {
    const before = byKey.get(key);
    if (before !== undefined) remove(before, news);
    const registration: Registration = Object.freeze({
      key,
      wireName,
      origin: place.origin,
      tool,
      ...(areFree ? { isFree: true } : {}),
    });
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

  const remove = (registration: Registration, news: ChangeListener[]): void => {
    const { key, wireName, origin } = registration;
    byKey.delete(key);
    for (const claim of reservedNames(key, wireName)) owners.delete(claim);
    index.remove(registration);
    changed(key, undefined);
    if (events !== undefined) {
      news.push(() => events.emit("tools.unregistered", { toolName: key, origin }));
    }
  };

  /** Events follow the complete change, because listeners may read or change the registry. */
  const putAll = (entries: readonly RegistryEntry[]): readonly Registration[] => {
    const news: ChangeListener[] = [];
    const registrations = check(entries).map((entry) => add(entry, news));
    for (const emit of news) emit();
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
      remove(registration, news);
      for (const emit of news) emit();
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

/** Names contain no space, so lookalike keys cannot collide with them. */
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
    `The tool "${key}" cannot be registered: the registry has reached its limit of ${maxTools} tools. Raise maxTools.`,
    { tool: key },
  );

export const undescribedParameters = (schema: JsonSchema): readonly string[] => {
  const { properties } = schema;
  if (!isRecord(properties)) return [];
  return Object.keys(properties).filter((name) => !isDescribed(properties[name], schema));
};

const isDescribed = (property: unknown, schema: JsonSchema): boolean =>
  isRecord(property) && (hasDescription(property) || hasDescription(definitionAt(property.$ref, schema)));

const hasDescription = (property: unknown): boolean =>
  isRecord(property) && typeof property.description === "string" && property.description.trim() !== "";

/** Resolves local references only. */
const definitionAt = ($ref: unknown, schema: JsonSchema): unknown => {
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(String($ref)) ?? [];
  const definitions = place === undefined ? undefined : schema[place];
  return isRecord(definitions) && Object.hasOwn(definitions, name!) ? definitions[name!] : undefined;
};
