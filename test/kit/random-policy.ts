import * as fc from "fast-check";
import type { PolicyOptions, PolicyRequest, Right } from "../../src/policy/policy.ts";
import type { Rule } from "../../src/policy/rule.ts";
import type { Principal } from "../../src/words/principal.ts";
import { type NoSchemaMode, type Risk, risks } from "../../src/words/spec.ts";
import type { Registration } from "../../src/words/tool.ts";
import { registered } from "./registered.ts";

/** Few names, so that what one policy says and what another asks often meet. */
const keys = ["time", "fs/read", "fs/write", "net/get", "acme/fs/read"] as const;
const patterns = ["*", "time", "fs/*", "fs/read", "**/read", "acme/**", "n*/get"] as const;
const toolkits = { files: ["fs/*", "acme/**"], all: ["*"] } as const;

const some = <A>(values: readonly A[]) => fc.subarray([...values], { minLength: 1 });
const optional = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined, freq: 3 });
const maybe = <A>(arbitrary: fc.Arbitrary<A>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, arbitrary);
const present = <A extends object>(record: A): A =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as A;

export const randomRights: fc.Arbitrary<Right> = fc
  .record({
    allow: optional(fc.oneof({ weight: 6, arbitrary: fc.constant(["*"]) }, fc.subarray([...patterns]))),
    deny: maybe(fc.subarray(["time", "fs/read", "n*/get"])),
    toolkits: maybe(fc.subarray(["files", "all"])),
  })
  .map(present);

const solitary = fc
  .record({
    agent: fc.constantFrom("ada", "bob"),
    user: optional(fc.constantFrom("u1", "u2")),
    tenant: optional(fc.constantFrom("t1", "t2")),
    roles: optional(fc.subarray(["reader", "writer"])),
    right: randomRights,
    isFrozen: fc.boolean(),
  })
  .map(({ right, isFrozen, ...rest }): Principal => {
    const principal = present({ ...rest, ...right }) as unknown as Principal;
    if (isFrozen) for (const value of [...Object.values(principal), principal]) Object.freeze(value);
    return principal;
  });

/** With up to three others it acts within. */
export const randomPrincipals: fc.Arbitrary<Principal> = fc
  .tuple(solitary, fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(solitary, { maxLength: 3 })))
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
      .map(present),
    noSchemaMode: fc.constantFrom<NoSchemaMode | undefined>(
      ...Array<undefined>(6).fill(undefined),
      "full",
      "read-only",
      "human-approval",
    ),
  })
  .map(({ key, ...spec }) => registered(key, present(spec) as never));

const toWhen = (limit: number) => ({ required: ["n"], properties: { n: { maximum: limit } } });
const amount = fc.integer({ min: 0, max: 3 });

export const randomRules: fc.Arbitrary<Rule> = fc
  .record({
    effect: fc.constantFrom("allow", "allow", "allow", "deny", "approve"),
    agents: maybe(fc.constantFrom(["ada"], ["b*"], ["*"])),
    roles: maybe(some(["reader", "writer"])),
    users: maybe(some(["u1", "u2"])),
    tenants: maybe(some(["t1"])),
    tools: maybe(some(patterns)),
    toolkits: maybe(some(["files", "all"])),
    risk: maybe(some(risks)),
    source: maybe(some(["function", "mcp"])),
    tags: maybe(some(["a", "b"])),
    annotations: maybe(
      fc.constantFrom({ readOnly: true }, { readOnly: false }, { destructive: false, openWorld: true }),
    ),
    when: maybe(amount.map(toWhen)),
    tainted: maybe(fc.boolean()),
    repaired: maybe(fc.boolean()),
    spent: maybe(
      fc.oneof(
        amount.map((calls) => ({ calls })),
        amount.map((cost) => ({ cost, calls: 1 })),
      ),
    ),
    waives: fc.boolean(),
  })
  .map(({ waives, ...rule }) => {
    const waiver = waives && rule.effect === "allow" ? { waivesApproval: true } : {};
    return { ...present(rule), ...waiver } as unknown as Rule;
  });

const tables = (names: readonly string[]) => maybe(fc.dictionary(fc.constantFrom(...names), randomRights));

export const randomOptions: fc.Arbitrary<PolicyOptions> = fc
  .record({
    rules: fc.array(randomRules, { maxLength: 6 }),
    rights: maybe(
      fc
        .record({
          agents: tables(["ada", "bob"]),
          users: tables(["u1", "u2"]),
          tenants: tables(["t1", "t2"]),
          roles: tables(["reader", "writer"]),
        })
        .map(present),
    ),
    toolkits: fc.constant(toolkits),
    blockHighRiskWithoutApproval: fc.boolean(),
    approveTaintedSinks: fc.boolean(),
    requireAuthorizationForAll: fc.boolean(),
  })
  .map((options) => present(options) as unknown as PolicyOptions);

/** What the moment adds to a caller and a tool. */
export const randomMoments: fc.Arbitrary<Omit<PolicyRequest, "principal" | "registration">> = fc.record({
  input: fc.record({ n: fc.integer({ min: 0, max: 4 }) }),
  validated: fc.constantFrom(true, true, false),
  repaired: fc.constantFrom(undefined, false, true),
  tally: optional(
    fc.record({ calls: amount, cost: amount, taints: fc.subarray(["net/get", "acme/fs/read"]) }),
  ),
});

export const randomRequests: fc.Arbitrary<PolicyRequest> = fc
  .tuple(randomPrincipals, randomRegistrations, randomMoments)
  .map(([principal, registration, moment]) => ({ principal, registration, ...moment }));
