import { compilePattern, type Matcher } from "../../../policy/pattern.ts";
import type { McpToolTerms, NamedServer } from "../../../words/mcp.ts";

interface Rules {
  readonly includes: (name: string) => boolean;
  readonly termsOf: (name: string) => McpToolTerms;
}

const read = new WeakMap<NamedServer, Rules>();

/** What the operator says of a server's tools. Of several patterns that fit, a later one has the last word. */
export const rulesOf = (server: NamedServer): Rules => {
  let rules = read.get(server);
  if (rules === undefined) {
    rules = toRules(server);
    read.set(server, rules);
  }
  return rules;
};

const toRules = ({ terms = {}, include, exclude = [] }: NamedServer): Rules => {
  const included = include?.map((pattern) => compilePattern(pattern));
  const excluded = exclude.map((pattern) => compilePattern(pattern));
  const said = Object.entries(terms).map(([pattern, each]) => ({ fits: compilePattern(pattern), each }));
  return {
    includes: (name) => (included === undefined || any(included, name)) && !any(excluded, name),
    termsOf: (name) => Object.assign({}, ...said.map(({ fits, each }) => (fits(name) ? each : {}))),
  };
};

const any = (matchers: readonly Matcher[], name: string): boolean => matchers.some((fits) => fits(name));
