import * as fc from "fast-check";
import type { PolicyRequest } from "../../src/policy/engine.ts";
import type { PolicyOptions } from "../../src/policy/options.ts";
import type { Right } from "../../src/policy/right.ts";
import type { Rule } from "../../src/policy/rule.ts";
import type { Principal } from "../../src/types/principal.ts";
import { type NoSchemaMode, type Registration, type Risk, risks } from "../../src/types/tool.ts";
import { testRegistration } from "./test-registration.ts";

/** Few names, so that policies and requests often match. */
const keys = ["time", "fs/read", "fs/write", "net/get", "acme/fs/read"] as const;
const patterns = ["*", "time", "fs/*", "fs/read", "**/read", "acme/**", "n*/get"] as const;
const toolkits = { files: ["fs/*", "acme/**"], all: ["*"] } as const;

const someOf = <A>(values: readonly A[]) => fc.subarray([...values], { minLength: 1 });
const optional = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined, freq: 3 });
const optionally = <A>(arbitrary: fc.Arbitrary<A>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, arbitrary);
const withoutUndefined = <A extends object>(record: A): A =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as A;

export const randomRights: fc.Arbitrary<Right> = fc
  .record({
    allow: optional(fc.oneof({ weight: 6, arbitrary: fc.constant(["*"]) }, fc.subarray([...patterns]))),
    deny: optionally(fc.subarray(["time", "fs/read", "n*/get"])),
    toolkits: optionally(fc.subarray(["files", "all"])),
  })
  .map(withoutUndefined);

const withoutDelegator = fc
  .record({
    agent: fc.constantFrom("ada", "bob"),
    user: optional(fc.constantFrom("u1", "u2")),
    tenant: optional(fc.constantFrom("t1", "t2")),
    roles: optional(fc.subarray(["reader", "writer"])),
    right: randomRights,
    isFrozen: fc.boolean(),
  })
  .map(({ right, isFrozen, ...rest }): Principal => {
    const principal = withoutUndefined({ ...rest, ...right }) as unknown as Principal;
    if (isFrozen) for (const value of [...Object.values(principal), principal]) Object.freeze(value);
    return principal;
  });

/** A principal with up to three delegators. */
export const randomPrincipals: fc.Arbitrary<Principal> = fc
  .tuple(
    withoutDelegator,
    fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(withoutDelegator, { maxLength: 3 })),
  )
  .map(([caller, lenders]) =>
    [caller, ...lenders].reduceRight<Principal | undefined>(
      (within, link) => Object.freeze({ ...link, ...(within !== undefined && { within }) }),
      undefined,
    ),
  )
  .map((chain) => chain!);

const flag = fc.constantFrom(true, false, undefined);

export const randomRegistrations: fc.Arbitrary<Registration> = fc
  .record({
    key: fc.constantFrom(...keys),
    risk: fc.constantFrom<Risk>("low", "low", ...risks),
    requiresApproval: fc.constantFrom(false, false, true),
    tags: fc.subarray(["a", "b", "sink"]),
    source: fc.constantFrom("function", "http", "mcp"),
    annotations: fc
      .record({ readOnly: flag, idempotent: flag, destructive: flag, openWorld: flag })
      .map(withoutUndefined),
    noSchemaMode: fc.constantFrom<NoSchemaMode | undefined>(
      ...Array<undefined>(6).fill(undefined),
      "full",
      "read-only",
      "human-approval",
    ),
  })
  .map(({ key, ...spec }) => testRegistration(key, withoutUndefined(spec) as never));

const toWhen = (limit: number) => ({ required: ["n"], properties: { n: { maximum: limit } } });
const amount = fc.integer({ min: 0, max: 3 });

export const randomRules: fc.Arbitrary<Rule> = fc
  .record({
    effect: fc.constantFrom("allow", "allow", "allow", "deny", "approve"),
    agents: optionally(fc.constantFrom(["ada"], ["b*"], ["*"])),
    roles: optionally(someOf(["reader", "writer"])),
    users: optionally(someOf(["u1", "u2"])),
    tenants: optionally(someOf(["t1"])),
    tools: optionally(someOf(patterns)),
    toolkits: optionally(someOf(["files", "all"])),
    risk: optionally(someOf(risks)),
    source: optionally(someOf(["function", "mcp"])),
    tags: optionally(someOf(["a", "b"])),
    annotations: optionally(
      fc.constantFrom({ readOnly: true }, { readOnly: false }, { destructive: false, openWorld: true }),
    ),
    when: optionally(amount.map(toWhen)),
    tainted: optionally(fc.boolean()),
    repaired: optionally(fc.boolean()),
    spent: optionally(
      fc.oneof(
        amount.map((calls) => ({ calls })),
        amount.map((cost) => ({ cost, calls: 1 })),
      ),
    ),
    waives: fc.boolean(),
  })
  .map(({ waives, ...rule }) => {
    const waiver = waives && rule.effect === "allow" ? { waivesApproval: true } : {};
    return { ...withoutUndefined(rule), ...waiver } as unknown as Rule;
  });

const tables = (names: readonly string[]) =>
  optionally(fc.dictionary(fc.constantFrom(...names), randomRights));

export const randomOptions: fc.Arbitrary<PolicyOptions> = fc
  .record({
    rules: fc.array(randomRules, { maxLength: 6 }),
    rights: optionally(
      fc
        .record({
          agents: tables(["ada", "bob"]),
          users: tables(["u1", "u2"]),
          tenants: tables(["t1", "t2"]),
          roles: tables(["reader", "writer"]),
        })
        .map(withoutUndefined),
    ),
    toolkits: fc.constant(toolkits),
    blockHighRiskWithoutApproval: fc.boolean(),
    approveTaintedSinks: fc.boolean(),
    requireAuthorizationForAll: fc.boolean(),
  })
  .map((options) => withoutUndefined(options) as unknown as PolicyOptions);

/** The circumstances of a call besides its caller and tool. */
export const randomCircumstances: fc.Arbitrary<Omit<PolicyRequest, "principal" | "registration">> = fc.record(
  {
    input: fc.record({ n: fc.integer({ min: 0, max: 4 }) }),
    validated: fc.constantFrom(true, true, false),
    repaired: fc.constantFrom(undefined, false, true),
    tally: optional(
      fc.record({ calls: amount, cost: amount, taints: fc.subarray(["net/get", "acme/fs/read"]) }),
    ),
  },
);

export const randomRequests: fc.Arbitrary<PolicyRequest> = fc
  .tuple(randomPrincipals, randomRegistrations, randomCircumstances)
  .map(([principal, registration, moment]) => ({ principal, registration, ...moment }));
