import { compilePattern, type Matcher } from "../../../policy/compile-pattern.ts";
import type { McpToolOverrides, NamedMcpServer } from "../../../types/mcp.ts";

interface ServerToolRules {
  readonly includes: (name: string) => boolean;
  readonly termsOf: (name: string) => McpToolOverrides;
}

const rulesByServer = new WeakMap<NamedMcpServer, ServerToolRules>();

/** What the operator says of a server's tools. Of several patterns that fit, a later one has the last word. */
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
    termsOf: (name) => Object.assign({}, ...overrides.map(({ fits, each }) => (fits(name) ? each : {}))),
  };
};

const matchesAny = (matchers: readonly Matcher[], name: string): boolean =>
  matchers.some((fits) => fits(name));
