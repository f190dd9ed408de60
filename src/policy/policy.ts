import * as Effect from "effect/Effect";
import type { Principal } from "../words/principal.ts";
import type { Registration } from "../words/tool.ts";
import { chainOf, strictest } from "./chain.ts";
import { compilePolicy } from "./compile-policy.ts";
import { dependsOn } from "./depends.ts";
import type { SyncPolicyEngine } from "./engine.ts";
import { ownEngine } from "./engine.ts";
import { explainCompiled } from "./explain.ts";
import { type Decision, decision } from "./judge.ts";
import { type PolicyCaller, stand, toLink } from "./link.ts";
import type { PolicyOptions } from "./options.ts";
import { isTainted, type PolicyRequest } from "./request.ts";
import { type CallerStanding, decideStanding } from "./standing.ts";

export type { Circumstance } from "./depends.ts";
export { Policy, type PolicyEngine, type SyncPolicyEngine } from "./engine.ts";
export type { Decision } from "./judge.ts";
export { narrowedBy } from "./narrowed-by.ts";
export type { PolicyOptions, Rights, RightTable } from "./options.ts";
export type { PolicyRequest } from "./request.ts";
export type { Right } from "./right.ts";

/** A caller with all it acts for. */
interface CallerChain {
  readonly links: readonly PolicyCaller[];
  /** False once one of them no longer says what this was made from. */
  readonly isCurrent: () => boolean;
  readonly standings: WeakMap<Registration, SharedStanding>;
}

/** How one tool stands with every link. */
interface SharedStanding {
  readonly parts: readonly CallerStanding[];
  /** Missing where a condition has to see the call first. */
  readonly settled: Decision | undefined;
  readonly visible: Decision;
  /** What the links said last, and what came of it: they mostly say the same again. */
  last: { readonly said: readonly Decision[]; readonly decided: Decision } | undefined;
}

const nobody = decision("deny", "nobody is calling, and nobody may use anything");

export const policy = (options: PolicyOptions = {}): SyncPolicyEngine => {
  const compiled = compilePolicy(options);
  const known = new WeakMap<Principal, CallerChain>();
  const byPrincipal = new WeakMap<Principal, PolicyCaller>();

  const linkOf = (principal: Principal): PolicyCaller => {
    const before = byPrincipal.get(principal);
    if (before?.isCurrent()) return before;
    const link = toLink(compiled, principal);
    byPrincipal.set(principal, link);
    return link;
  };

  const meet = (principal: Principal): CallerChain | string => {
    const before = known.get(principal);
    if (before?.isCurrent()) return before;
    const chain = chainOf(principal);
    if (typeof chain === "string") return chain;
    const links = chain.map(linkOf);
    const isCurrent =
      links.length === 1 ? links[0]!.isCurrent : () => links.every((link) => link.isCurrent());
    const met = { links, isCurrent, standings: new WeakMap() };
    known.set(principal, met);
    return met;
  };

  const standingOf = (met: CallerChain, registration: Registration): SharedStanding => {
    const before = met.standings.get(registration);
    return before ?? share(met.links.map((link) => stand(compiled, link, registration)));
  };

  return ownEngine({
    // Asked of every tool there is, so it keeps nothing of its own for any of them.
    visible: (principal, registration) => {
      if (principal === undefined) return nobody;
      const met = meet(principal);
      if (typeof met === "string") return decision("deny", met);
      const [first] = met.links;
      // Most act for nobody else, and an offer asks this of every tool while a model waits.
      if (met.links.length === 1) return stand(compiled, first!, registration).visible;
      return standingOf(met, registration).visible;
    },
    decide: (request) => {
      const { principal, registration } = request;
      if (principal === undefined) return nobody;
      const met = meet(principal);
      if (typeof met === "string") return decision("deny", met);
      let standing = met.standings.get(registration);
      if (standing === undefined) {
        standing = standingOf(met, registration);
        met.standings.set(registration, standing);
      }
      return decideAll(standing, request);
    },
    settled: (principal, registration) => {
      const met = meet(principal);
      return typeof met === "string" ? undefined : standingOf(met, registration).settled;
    },
    depends: (principal, registration) => {
      const met = principal === undefined ? "nobody" : meet(principal);
      if (typeof met === "string") return [];
      const parts = met.links.map((link) => stand(compiled, link, registration));
      if (parts.some(({ visible }) => visible.effect === "deny")) return [];
      return parts.length === 1 ? dependsOn(parts[0]!) : [...new Set(parts.flatMap(dependsOn))];
    },
    countsCost: compiled.countsCost,
    explain: (request) => Effect.runPromise(Effect.sync(() => explainCompiled(compiled, request))),
  } satisfies SyncPolicyEngine);
};

const share = (parts: readonly CallerStanding[]): SharedStanding => {
  const settled = parts.flatMap((part) => part.settled ?? []);
  return {
    parts,
    settled: settled.length === parts.length ? strictest(settled) : undefined,
    visible: strictest(parts.map(({ visible }) => visible)),
    last: undefined,
  };
};

const decideAll = (standing: SharedStanding, request: PolicyRequest): Decision => {
  const { parts, settled, last } = standing;
  if (settled !== undefined && request.repaired !== true && !isTainted(request)) return settled;
  if (parts.length === 1) return decideStanding(parts[0]!, request);
  const said = parts.map((part) => decideStanding(part, request));
  if (last?.said.every((each, index) => each === said[index])) return last.decided;
  const decided = strictest(said);
  standing.last = { said, decided };
  return decided;
};
