import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { effectRank, oracleDecide, oracleVisible } from "../../test/kit/policy-oracle.ts";
import {
  randomCircumstances,
  randomOptions,
  randomPrincipals,
  randomRegistrations,
  randomRequests,
  randomRights,
  randomRules,
} from "../../test/kit/random-policy.ts";
import type { Principal } from "../types/principal.ts";
import type { PolicyRequest } from "./engine.ts";
import { explainPolicy } from "./explain.ts";
import { type NarrowOptions, narrow, type PolicyOptions } from "./options.ts";
import { createPolicyEngine } from "./policy.ts";

const runs = { numRuns: process.env.HAFT_SOAK === "1" ? 5_000 : 500 };

const allowed = (options: PolicyOptions, request: PolicyRequest): number =>
  effectRank[createPolicyEngine(options).decide(request).effect];

describe("policy engine and oracle", () => {
  it("agree on every decision and offer, also on repeated requests", () => {
    const several = fc.array(randomRequests, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(randomOptions, several, (options, requests) => {
        const engine = createPolicyEngine(options);
        // Tests every caller with every tool twice, the second time from the cache.
        for (const { principal } of [...requests, ...requests]) {
          for (const request of requests) {
            const asked = { ...request, principal };
            expect(engine.decide(asked).effect).toBe(oracleDecide(options, asked));
            const shown = oracleVisible(options, principal, asked.registration);
            expect(engine.visible(principal, asked.registration).effect).toBe(shown);
          }
        }
      }),
      runs,
    );
  });

  it("agree with the explanation in decision, reason and rules", () => {
    fc.assert(
      fc.property(randomOptions, randomRequests, (options, request) => {
        const engine = createPolicyEngine(options);
        const { effect, reason, ruleIds } = explainPolicy(options, request);
        expect({ effect, reason, ruleIds }).toEqual(engine.decide(request));
        const { principal, registration } = request;
        expect(explainPolicy(options, { principal, registration })).toMatchObject(
          engine.visible(principal, registration),
        );
        // Without arguments it is the best decision that any arguments could get in this run.
        const { input: _, validated: _v, ...moment } = request;
        const hope = effectRank[explainPolicy(options, { repaired: false, ...moment }).effect];
        expect(hope).toBeLessThanOrEqual(effectRank[engine.visible(principal, registration).effect]);
        for (const n of [0, 1, 2, 3, 4]) {
          expect(allowed(options, { ...request, input: { n } })).toBeLessThanOrEqual(hope);
        }
      }),
      runs,
    );
  });
});

describe("restrictions", () => {
  it("an additional deny in a rule, caller, delegator or table never allows more", () => {
    fc.assert(
      fc.property(randomOptions, randomRequests, randomRules, (options, request, rule) => {
        const before = allowed(options, request);
        const { waivesApproval: _, ...rest } = rule;
        const rules = [...(options.rules ?? []), { ...rest, effect: "deny" as const }];
        expect(allowed({ ...options, rules }, request)).toBeLessThanOrEqual(before);
        const poorer = (who: Principal): Principal => ({ ...who, deny: [...(who.deny ?? []), "fs/*"] });
        const caller = request.principal!;
        expect(allowed(options, { ...request, principal: poorer(caller) })).toBeLessThanOrEqual(before);
        if (caller.within !== undefined) {
          const principal = { ...caller, within: poorer(caller.within) };
          expect(allowed(options, { ...request, principal })).toBeLessThanOrEqual(before);
        }
        const users = Object.entries(options.rights?.users ?? {}).map(
          ([name, right]) => [name, { ...right, deny: [...(right.deny ?? []), "fs/*"] }] as const,
        );
        const rights = { ...options.rights, users: Object.fromEntries(users) };
        expect(allowed({ ...options, rights }, request)).toBeLessThanOrEqual(before);
      }),
      runs,
    );
  });

  it("a narrowed principal is never allowed more than its delegator", () => {
    const agents = fc.constantFrom("ada", "bob", "carl", "");
    const narrowings = fc
      .tuple(randomRights, fc.option(agents, { nil: undefined }))
      .map(([right, agent]): NarrowOptions => ({ ...right, ...(agent !== undefined && { agent }) }));
    const nonsense = fc.record(
      { allow: fc.anything(), deny: fc.anything(), toolkits: fc.anything(), agent: fc.anything() },
      { requiredKeys: [] },
    ) as fc.Arbitrary<unknown> as fc.Arbitrary<NarrowOptions>;
    fc.assert(
      fc.property(randomOptions, randomRequests, fc.oneof(narrowings, nonsense), (options, request, to) => {
        const principal = narrow(request.principal!, to);
        expect(allowed(options, { ...request, principal })).toBeLessThanOrEqual(allowed(options, request));
        const { registration } = request;
        const engine = createPolicyEngine(options);
        expect(effectRank[engine.visible(principal, registration).effect]).toBeLessThanOrEqual(
          effectRank[engine.visible(request.principal, registration).effect],
        );
      }),
      runs,
    );
  });

  it("an additional delegator or table never allows more", () => {
    fc.assert(
      fc.property(
        randomOptions,
        randomRequests,
        randomPrincipals,
        randomRights,
        (options, request, lender, right) => {
          const before = allowed(options, request);
          const { within: _, ...alone } = request.principal!;
          const free = allowed(options, { ...request, principal: alone });
          expect(before).toBeLessThanOrEqual(free);
          expect(
            allowed(options, { ...request, principal: { ...alone, within: lender } }),
          ).toBeLessThanOrEqual(free);
          const { tenants: _t, ...rights } = options.rights ?? {};
          const without = allowed({ ...options, rights }, request);
          expect(before).toBeLessThanOrEqual(without);
          expect(
            allowed({ ...options, rights: { ...rights, tenants: { t1: right } } }, request),
          ).toBeLessThanOrEqual(without);
        },
      ),
      runs,
    );
  });

  it("untrusted content never allows more unless a rule tests for it", () => {
    fc.assert(
      fc.property(randomOptions, randomRequests, (options, request) => {
        const rules = (options.rules ?? []).map(({ tainted: _, ...rule }) => rule);
        const { calls = 0, cost = 0 } = request.tally ?? {};
        const clean = { ...request, tally: { calls, cost, taints: [] } };
        const tainted = { ...request, tally: { calls, cost, taints: ["net/get"] } };
        expect(allowed({ ...options, rules }, tainted)).toBeLessThanOrEqual(
          allowed({ ...options, rules }, clean),
        );
      }),
      runs,
    );
  });
});

it("every callable tool is offered, and a hidden tool cannot be called", () => {
  const moments = fc.array(randomCircumstances, { minLength: 5, maxLength: 10 });
  fc.assert(
    fc.property(
      randomOptions,
      randomPrincipals,
      randomRegistrations,
      moments,
      (options, principal, registration, tried) => {
        const engine = createPolicyEngine(options);
        const shown = effectRank[engine.visible(principal, registration).effect];
        for (const moment of tried) {
          const got = effectRank[engine.decide({ principal, registration, ...moment }).effect];
          expect(got).toBeLessThanOrEqual(shown);
        }
      },
    ),
    runs,
  );
});
