import * as Effect from "effect/Effect";
import type { Principal } from "../types/principal.ts";
import type { Registration } from "../types/tool.ts";
import { type AccessProfile, decideAccess } from "./access-profile.ts";
import { compilePolicy } from "./compile-policy.ts";
import { type Decision, makeDecision } from "./decide-case.ts";
import { delegationChainOf, findDecisionFactors, strictestDecision } from "./delegation-chain.ts";
import { isTainted, markOwnEngine, type PolicyRequest, type SyncPolicyEngine } from "./engine.ts";
import { explainCompiledPolicy } from "./explain.ts";
import type { PolicyOptions } from "./options.ts";
import { accessProfileOf, type PolicyCaller, toPolicyCaller } from "./policy-caller.ts";

export { narrowEngine } from "./narrow-engine.ts";

interface CallerChain {
  readonly links: readonly PolicyCaller[];
  /** False after a principal of the chain was changed. */
  readonly isCurrent: () => boolean;
  readonly standings: WeakMap<Registration, SharedAccessProfile>;
}

interface SharedAccessProfile {
  readonly parts: readonly AccessProfile[];
  /** Undefined if a condition needs the call. */
  readonly settled: Decision | undefined;
  readonly visible: Decision;
  /** Cache: consecutive calls usually decide alike. */
  decisions: { readonly said: readonly Decision[]; readonly decided: Decision } | undefined;
}

const missingPrincipalDecision = makeDecision(
  "deny",
  "the call has no principal, and no tool may be used without one",
);

export const createPolicyEngine = (options: PolicyOptions = {}): SyncPolicyEngine => {
  const compiled = compilePolicy(options);
  const chains = new WeakMap<Principal, CallerChain>();
  const byPrincipal = new WeakMap<Principal, PolicyCaller>();

  const policyCallerOf = (principal: Principal): PolicyCaller => {
    const before = byPrincipal.get(principal);
    if (before?.isCurrent()) return before;
    const link = toPolicyCaller(compiled, principal);
    byPrincipal.set(principal, link);
    return link;
  };

  const resolveChain = (principal: Principal): CallerChain | string => {
    const before = chains.get(principal);
    if (before?.isCurrent()) return before;
    const chain = delegationChainOf(principal);
    if (typeof chain === "string") return chain;
    const links = chain.map(policyCallerOf);
    const isCurrent =
      links.length === 1 ? links[0]!.isCurrent : () => links.every((link) => link.isCurrent());
    const met = { links, isCurrent, standings: new WeakMap() };
    chains.set(principal, met);
    return met;
  };

  const profileOf = (met: CallerChain, registration: Registration): SharedAccessProfile => {
    const before = met.standings.get(registration);
    return before ?? toSharedProfile(met.links.map((link) => accessProfileOf(compiled, link, registration)));
  };

  const engine = {
    visible: (principal, registration) => {
      if (principal === undefined) return missingPrincipalDecision;
      const met = resolveChain(principal);
      if (typeof met === "string") return makeDecision("deny", met);
      const [first] = met.links;
      // Fast path, because an offer checks every tool.
      if (met.links.length === 1) return accessProfileOf(compiled, first!, registration).visible;
      return profileOf(met, registration).visible;
    },
    decide: (request) => {
      const { principal, registration } = request;
      if (principal === undefined) return missingPrincipalDecision;
      const met = resolveChain(principal);
      if (typeof met === "string") return makeDecision("deny", met);
      let standing = met.standings.get(registration);
      if (standing === undefined) {
        standing = profileOf(met, registration);
        met.standings.set(registration, standing);
      }
      return decideForChain(standing, request);
    },
    settled: (principal, registration) => {
      const met = resolveChain(principal);
      return typeof met === "string" ? undefined : profileOf(met, registration).settled;
    },
    depends: (principal, registration) => {
      const met = principal === undefined ? "nobody" : resolveChain(principal);
      if (typeof met === "string") return [];
      const parts = met.links.map((link) => accessProfileOf(compiled, link, registration));
      if (parts.some(({ visible }) => visible.effect === "deny")) return [];
      return parts.length === 1
        ? findDecisionFactors(parts[0]!)
        : [...new Set(parts.flatMap(findDecisionFactors))];
    },
    countsCost: compiled.countsCost,
    plansRuns: compiled.injectionGuard.mode === "plan",
    explain: (request) => Effect.runPromise(Effect.sync(() => explainCompiledPolicy(compiled, request))),
  } satisfies SyncPolicyEngine;
  return markOwnEngine(engine, options);
};

const toSharedProfile = (parts: readonly AccessProfile[]): SharedAccessProfile => {
  const settled = parts.flatMap((part) => part.settled ?? []);
  return {
    parts,
    settled: settled.length === parts.length ? strictestDecision(settled) : undefined,
    visible: strictestDecision(parts.map(({ visible }) => visible)),
    decisions: undefined,
  };
};

const decideForChain = (standing: SharedAccessProfile, request: PolicyRequest): Decision => {
  const { parts, settled, decisions: last } = standing;
  if (settled !== undefined && request.repaired !== true && !isTainted(request)) return settled;
  if (parts.length === 1) return decideAccess(parts[0]!, request);
  const decisions = parts.map((part) => decideAccess(part, request));
  if (last?.said.every((each, index) => each === decisions[index])) return last.decided;
  const decided = strictestDecision(decisions);
  standing.decisions = { said: decisions, decided };
  return decided;
};
