import { nearest } from "../../../base/text/nearest.ts";
import { compilePattern, type Matcher } from "../../../policy/right.ts";
import type { McpToolOverrides, NamedMcpServer, UnmatchedToolPattern } from "../../../types/mcp.ts";

interface ServerToolRules {
  readonly includes: (name: string) => boolean;
  readonly overridesOf: (name: string) => McpToolOverrides;
}

const rulesByServer = new WeakMap<NamedMcpServer, ServerToolRules>();

/** Later patterns override earlier ones. */
export const serverToolRules = (server: NamedMcpServer): ServerToolRules => {
  let rules = rulesByServer.get(server);
  if (rules === undefined) {
    rules = toRules(server);
    rulesByServer.set(server, rules);
  }
  return rules;
};

const toRules = ({ terms = {}, include, exclude = [] }: NamedMcpServer): ServerToolRules => {
  const included = include?.map((pattern) => compilePattern(pattern));
  const excluded = exclude.map((pattern) => compilePattern(pattern));
  const overrides = Object.entries(terms).map(([pattern, each]) => ({ fits: compilePattern(pattern), each }));
  return {
    includes: (name) => (included === undefined || matchesAny(included, name)) && !matchesAny(excluded, name),
    overridesOf: (name) => Object.assign({}, ...overrides.map(({ fits, each }) => (fits(name) ? each : {}))),
  };
};

/** Typing errors would leave a tool without the terms that were meant for it. */
export const unmatchedToolPatterns = (
  { terms = {}, include = [], exclude = [] }: NamedMcpServer,
  names: readonly string[],
): readonly UnmatchedToolPattern[] => {
  const patterns = [
    ...Object.keys(terms).map((pattern) => ({ setting: "terms" as const, at: pattern, pattern })),
    ...include.map((pattern, at) => ({ setting: "include" as const, at, pattern })),
    ...exclude.map((pattern, at) => ({ setting: "exclude" as const, at, pattern })),
  ];
  return patterns
    .filter(({ pattern }) => !names.some(compilePattern(pattern)))
    .map((each) => {
      const meant = nearest(each.pattern, names);
      return meant === undefined ? each : { ...each, meant };
    });
};

const matchesAny = (matchers: readonly Matcher[], name: string): boolean =>
  matchers.some((fits) => fits(name));
