import type { PolicyEngine } from "../../policy/engine.ts";
import { compilePatterns } from "../../policy/right.ts";
import { toOffer, visibleTools } from "../../registry/offer/offer.ts";
import type { ToolRegistry } from "../../registry/tool-registry.ts";
import type { RunningCall } from "../../types/call.ts";
import type { OfferedTools, Registration } from "../../types/tool.ts";

export interface ProgramTools {
  readonly functions: ReadonlyMap<string, Registration>;
  readonly shown: OfferedTools;
}

export const codeModeTag = "code-mode";

interface ToolAccess {
  readonly registry: ToolRegistry;
  readonly policy: PolicyEngine;
}

/**
 * At most what the program's caller may call. Without `tools`, those that the model was shown, or all visible
 * tools; `wanted` only restricts. Code mode is excluded, because a nested program would wait for an engine
 * that its parent holds.
 */
export const programTools = (
  { registry, policy }: ToolAccess,
  { request, principal }: RunningCall,
  tools: readonly string[] | undefined,
  wanted: readonly string[] | undefined,
): ProgramTools => {
  const visible = visibleTools({ registry, policy }, principal);
  const ofAgent = [...(request.shown?.byWireName.values() ?? [])].filter(({ origin }) => origin === "agent");
  const isShown = (one: Registration): boolean =>
    request.shown === undefined || request.shown.byWireName.get(one.wireName) === one;
  const isOperators = tools === undefined ? isShown : matchesAnyName(tools);
  const isWanted = wanted === undefined ? matchesAll : matchesAnyName(wanted);
  const callable = [...visible, ...ofAgent].filter(
    (one) => one.tool.implementation._tag !== codeModeTag && isOperators(one) && isWanted(one),
  );
  return { functions: functionNames(callable), shown: toOffer(principal, registry.version, callable) };
};

/**
 * `crm/contacts/find-one` becomes `tools.crm.contacts.find_one`. Deterministic; conflicting paths are
 * numbered in the order of full names.
 */
export const functionNames = (registrations: readonly Registration[]): ReadonlyMap<string, Registration> => {
  const names = new Map<string, Registration>();
  const folders = new Set(registrations.flatMap(({ key }) => foldersOf(key)));
  const ordered = [...registrations].sort((a, b) => (a.key < b.key ? -1 : 1));
  for (const registration of ordered) {
    const path = pathOf(registration.key);
    // A path with nested functions cannot be a function.
    const base = folders.has(path) ? `${path}_` : path;
    let name = base;
    for (let number = 2; names.has(name) || folders.has(name); number++) name = `${base}_${number}`;
    names.set(name, registration);
  }
  return names;
};

const foldersOf = (key: string): readonly string[] => {
  const segments = pathOf(key).split(".");
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join("."));
};

const pathOf = (key: string): string => key.split("/").map(toIdentifier).join(".");

const toIdentifier = (segment: string): string => {
  const plain = segment.replaceAll(/[^A-Za-z0-9_$]/g, "_");
  return /^\d/.test(plain) ? `_${plain}` : plain;
};

const matchesAnyName = (patterns: readonly string[]): ((one: Registration) => boolean) => {
  const matches = compilePatterns(patterns);
  return ({ key, wireName }) => matches(key) || matches(wireName);
};

const matchesAll = (): boolean => true;
