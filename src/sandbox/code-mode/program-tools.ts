import { compilePatterns } from "../../policy/compile-pattern.ts";
import type { PolicyEngine } from "../../policy/engine.ts";
import { toOffer, visibleTools } from "../../registry/offer/offer.ts";
import type { ToolRegistry } from "../../registry/tool-registry.ts";
import type { RunningCall } from "../../types/call.ts";
import type { OfferedTools, Registration } from "../../types/tool.ts";
import { functionNames } from "./function-names.ts";

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

const matchesAnyName = (patterns: readonly string[]): ((one: Registration) => boolean) => {
  const matches = compilePatterns(patterns);
  return ({ key, wireName }) => matches(key) || matches(wireName);
};

const matchesAll = (): boolean => true;
