import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Principal } from "../types/principal.ts";
import {
  type AnyTool,
  type NoSchemaMode,
  type Registration,
  type Risk,
  risks,
  type ToolSpec,
} from "../types/tool.ts";
import type { PolicyOptions } from "./options.ts";
import { createPolicyEngine } from "./policy.ts";
import type { Rule } from "./rule.ts";

const runs = { numRuns: 2_000 };

const keys = ["time", "fs/read", "fs/write", "net/get", "acme/fs/read"] as const;
const patterns = ["*", "time", "fs/*", "fs/read", "**/read", "acme/**", "n*/get"] as const;
const covered: Record<(typeof patterns)[number], readonly string[]> = {
  "*": keys,
  time: ["time"],
  "fs/*": ["fs/read", "fs/write"],
  "fs/read": ["fs/read"],
  "**/read": ["fs/read", "acme/fs/read"],
  "acme/**": ["acme/fs/read"],
  "n*/get": ["net/get"],
};
const toolkits = { files: ["fs/*", "acme/**"], all: ["*"] } as const;

const some = <A>(values: readonly A[]) => fc.subarray([...values], { minLength: 1 });
const optional = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

const principals: fc.Arbitrary<Principal> = fc.record(
  {
    agent: fc.constantFrom("ada", "bob"),
    user: fc.constantFrom("u1", "u2"),
    tenant: fc.constantFrom("t1", "t2"),
    roles: fc.subarray(["reader", "writer"]),
    allow: fc.subarray([...patterns]),
    deny: fc.subarray(["time", "fs/read", "n*/get"]),
    toolkits: fc.subarray(["files", "all", "unknown"]),
  },
  { requiredKeys: ["agent"] },
);

const registrations: fc.Arbitrary<Registration> = fc
  .record({
    key: fc.constantFrom(...keys),
    risk: fc.constantFrom<Risk>(...risks),
    requiresApproval: fc.boolean(),
    tags: fc.subarray(["a", "b"]),
    source: fc.constantFrom("function", "mcp"),
    readOnly: fc.boolean(),
    noSchemaMode: fc.constantFrom<NoSchemaMode | undefined>(
      undefined,
      undefined,
      undefined,
      "full",
      "read-only",
      "human-approval",
    ),
  })
  .map(({ key, readOnly, ...spec }) => ({
    key,
    wireName: key.replaceAll("/", "__"),
    origin: "project" as const,
    tool: {
      spec: { ...spec, annotations: { readOnly } } as unknown as ToolSpec,
      implementation: { _tag: "function" },
    } as unknown as AnyTool,
  }));

/** A condition as a limit on one number, so that the oracle needs no schema. */
const limits = fc.integer({ min: 0, max: 3 });
const toWhen = (limit: number) => ({ required: ["n"], properties: { n: { maximum: limit } } });
const limitOf = (when: Rule["when"]): number | undefined =>
  (when as { readonly properties: { readonly n: { readonly maximum: number } } } | undefined)?.properties.n
    .maximum;

const rules: fc.Arbitrary<Rule> = fc
  .record({
    effect: fc.constantFrom("allow", "allow", "deny", "approve"),
    agents: optional(fc.constantFrom(["ada"], ["b*"], ["*"])),
    roles: optional(some(["reader", "writer"])),
    users: optional(some(["u1", "u2"])),
    tenants: optional(some(["t1"])),
    tools: optional(some(patterns)),
    toolkits: optional(some(["files", "all"])),
    risk: optional(some(risks)),
    source: optional(some(["function", "mcp"])),
    tags: optional(some(["a", "b"])),
    when: optional(limits.map(toWhen)),
    waives: fc.boolean(),
  })
  .map(({ waives, ...rule }) => {
    const given = Object.fromEntries(Object.entries(rule).filter(([, value]) => value !== undefined));
    return {
      ...given,
      ...(waives && rule.effect === "allow" && { waivesApproval: true }),
    } as unknown as Rule;
  });

const settings: fc.Arbitrary<PolicyOptions> = fc.record({
  rules: fc.array(rules, { maxLength: 5 }),
  toolkits: fc.constant(toolkits),
  blockHighRiskWithoutApproval: fc.boolean(),
  requireAuthorizationForAll: fc.boolean(),
});

const inputs = fc.record({ n: fc.integer({ min: 0, max: 4 }) });
const rank = { deny: 0, approve: 1, allow: 2 } as const;
const ask = (
  options: PolicyOptions,
  principal: Principal,
  registration: Registration,
  input: unknown,
  validated: boolean,
) => rank[createPolicyEngine(options).decide({ principal, registration, input, validated }).effect];

describe("policy engine and naive oracle", () => {
  it("agree on every decision", () => {
    fc.assert(
      fc.property(
        settings,
        principals,
        registrations,
        inputs,
        fc.boolean(),
        (options, principal, registration, input, ok) => {
          const engine = createPolicyEngine(options);
          const request = { principal, registration, input, validated: ok };
          const expected = oracle(options, principal, registration, ok ? input.n : undefined);
          expect(engine.decide(request).effect).toBe(expected);
          expect(engine.decide(request).effect).toBe(expected);
        },
      ),
      runs,
    );
  });

  it("an additional deny in the rules or on the principal never allows more", () => {
    fc.assert(
      fc.property(
        settings,
        principals,
        registrations,
        inputs,
        fc.boolean(),
        rules,
        (options, principal, registration, input, ok, rule) => {
          const before = ask(options, principal, registration, input, ok);
          const { waivesApproval: _, ...rest } = rule;
          const stricter = {
            ...options,
            rules: [...(options.rules ?? []), { ...rest, effect: "deny" as const }],
          };
          expect(ask(stricter, principal, registration, input, ok)).toBeLessThanOrEqual(before);
          const poorer = { ...principal, deny: [...(principal.deny ?? []), "fs/*"] };
          expect(ask(options, poorer, registration, input, ok)).toBeLessThanOrEqual(before);
        },
      ),
      runs,
    );
  });

  it("a shorter allow list, a narrower allow rule or one allow rule less never allows more", () => {
    fc.assert(
      fc.property(
        settings,
        principals,
        registrations,
        inputs,
        fc.boolean(),
        rules,
        (options, principal, registration, input, ok, extra) => {
          const before = ask(options, principal, registration, input, ok);
          const poorer = { ...principal, allow: (principal.allow ?? []).slice(1) };
          expect(ask(options, poorer, registration, input, ok)).toBeLessThanOrEqual(before);
          const { effect: _e, waivesApproval: _w, ...selectors } = extra;
          const narrower = (options.rules ?? []).map((rule) =>
            rule.effect === "allow" ? { ...selectors, ...rule } : rule,
          );
          expect(
            ask({ ...options, rules: narrower }, principal, registration, input, ok),
          ).toBeLessThanOrEqual(before);
          const allows = (options.rules ?? []).filter((rule) => rule.effect === "allow");
          const fewer = (options.rules ?? []).filter((rule) => rule !== allows[0]);
          if (fewer.length > 0) {
            expect(ask({ ...options, rules: fewer }, principal, registration, input, ok)).toBeLessThanOrEqual(
              before,
            );
          }
        },
      ),
      runs,
    );
  });

  it("callable tools are visible, and a tool is shown with the best decision for any arguments", () => {
    fc.assert(
      fc.property(settings, principals, registrations, (options, principal, registration) => {
        const engine = createPolicyEngine(options);
        const visible = rank[engine.visible(principal, registration).effect];
        const reached = [0, 1, 2, 3, 4].flatMap((n) =>
          [true, false].map(
            (validated) => rank[engine.decide({ principal, registration, input: { n }, validated }).effect],
          ),
        );
        expect(Math.max(...reached)).toBeLessThanOrEqual(visible);
        expect(engine.visible(principal, registration).effect).toBe(
          guesses(options, principal, registration).at(-1),
        );
      }),
      runs,
    );
  });

  it("a principal that changes between calls is decided by its current content", () => {
    fc.assert(
      fc.property(
        settings,
        principals,
        principals,
        registrations,
        (options, principal, other, registration) => {
          const engine = createPolicyEngine(options);
          const caller: Record<string, unknown> = { ...principal };
          engine.visible(caller as unknown as Principal, registration);
          for (const key of Object.keys(caller)) delete caller[key];
          Object.assign(caller, other);
          expect(engine.visible(caller as unknown as Principal, registration).effect).toBe(
            createPolicyEngine(options).visible(other, registration).effect,
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** Without `n` the arguments are unvalidated: conditions are unknown and the worst decision applies. */
const oracle = (options: PolicyOptions, who: Principal, registration: Registration, n: number | undefined) =>
  n === undefined
    ? guesses(options, who, registration)[0]
    : judge(options, who, registration, (limit) => n <= limit);

/** Returns all possible decisions, the worst first. */
const guesses = (options: PolicyOptions, who: Principal, registration: Registration) =>
  [true, false]
    .flatMap((allow) =>
      [true, false].flatMap((deny) => [true, false].map((approve) => ({ allow, deny, approve }))),
    )
    .map((guess) => judge(options, who, registration, (_, effect) => guess[effect]))
    .sort((a, b) => rank[a] - rank[b]);

const judge = (
  options: PolicyOptions,
  who: Principal,
  { key, tool }: Registration,
  meets: (limit: number, effect: Rule["effect"]) => boolean,
): keyof typeof rank => {
  const { spec } = tool;
  const inPatterns = (list: readonly string[] | undefined) =>
    (list ?? []).some((pattern) => covered[pattern as keyof typeof covered].includes(key));
  const inKit = (name: string) => inPatterns(toolkits[name as keyof typeof toolkits]);
  const free =
    options.requireAuthorizationForAll === false && spec.risk === "low" && spec.annotations.readOnly === true;
  if (inPatterns(who.deny)) return "deny";
  if (!free && !inPatterns(who.allow) && !(who.toolkits ?? []).some(inKit)) return "deny";
  const holds = (rule: Rule): boolean => {
    const limit = limitOf(rule.when);
    const fitsArguments = limit === undefined || meets(limit, rule.effect);
    const agent = rule.agents?.[0];
    return (
      fitsArguments &&
      (agent === undefined ||
        agent === "*" ||
        agent === who.agent ||
        (agent === "b*" && who.agent === "bob")) &&
      (rule.roles === undefined || rule.roles.some((role) => who.roles?.includes(role))) &&
      (rule.users === undefined || rule.users.some((user) => user === who.user)) &&
      (rule.tenants === undefined || rule.tenants.some((tenant) => tenant === who.tenant)) &&
      (rule.tools === undefined || inPatterns(rule.tools)) &&
      (rule.toolkits === undefined || rule.toolkits.some(inKit)) &&
      (rule.risk === undefined || rule.risk.includes(spec.risk)) &&
      (rule.source === undefined || rule.source.includes(spec.source)) &&
      (rule.tags === undefined || rule.tags.some((tag) => spec.tags.includes(tag)))
    );
  };
  const held = (options.rules ?? []).filter(holds);
  const of = (effect: Rule["effect"]) => held.filter((rule) => rule.effect === effect);
  if (of("deny").length > 0) return "deny";
  if (of("approve").length > 0) return "approve";
  if ((options.rules ?? []).length > 0 && !free && of("allow").length === 0) return "deny";
  const waived = of("allow").some((rule) => rule.waivesApproval);
  if (spec.noSchemaMode === "human-approval") return "approve";
  if (spec.noSchemaMode === "full" && !waived) return "approve";
  if (spec.noSchemaMode === "read-only" && !spec.annotations.readOnly) return "approve";
  if (spec.requiresApproval && !waived) return "approve";
  const risky = spec.risk === "high" || spec.risk === "critical";
  return risky && options.blockHighRiskWithoutApproval !== false && !waived ? "approve" : "allow";
};
