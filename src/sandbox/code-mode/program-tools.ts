import { compilePatterns } from "../../policy/compile-pattern.ts";
import type { PolicyEngine } from "../../policy/engine.ts";
import { toOffer, visibleTools } from "../../registry/offer/offer.ts";
import type { ToolRegistry } from "../../registry/tool-registry.ts";
import type { RunningCall } from "../../types/call.ts";
import type { OfferedTools, Registration } from "../../types/tool.ts";
import { functionNames } from "./function-names.ts";

/** The tools that a program may call: by the path it calls them with, and as what it was shown. */
export interface ProgramTools {
  readonly functions: ReadonlyMap<string, Registration>;
  readonly shown: OfferedTools;
}

/** The kind of a tool that runs programs. */
export const codeModeTag = "code-mode";

interface ToolAccess {
  readonly registry: ToolRegistry;
  readonly policy: PolicyEngine;
}

/**
 * Never more than the caller of the program could call by itself. `tools` are those that the operator lets programs call;
 * left out, those that the model was shown, or else all that its caller may see. `wanted` only narrows that. A program does
 * not start another, which would wait for an engine that it holds itself.
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
