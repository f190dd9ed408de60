import { parseArgs } from "node:util";
import { checkPolicy } from "../src/policy/check-policy.ts";
import type { PolicyOptions } from "../src/policy/options.ts";
import type { Rule } from "../src/policy/rule.ts";
import { toolRegistry } from "../src/registry/tool-registry.ts";
import { tool } from "../src/tools/tool.ts";
import type { PolicyProblem } from "../src/types/policy-problem.ts";
import type { Registration } from "../src/types/tool.ts";
import { round, spread, table } from "./numbers.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    /** Exit code 1 when the median of the checks takes more milliseconds than this. */
    "max-ms": { type: "string", default: "200" },
  },
});

const tools = 5_000;
const rules = 500;
const spaces = 100;

/** Every tool has its own schema, so that checks of two tools share nothing. */
const register = (): readonly Registration[] => {
  const all = toolRegistry({ maxTools: tools });
  for (let index = 0; index < tools; index++) {
    all.register(
      tool({
        name: `tool_${index}`,
        description: "Works",
        input: {
          type: "object",
          properties: {
            order: { type: "string", minLength: 1 },
            [`amount_${index % 50}`]: { type: "number", minimum: 0, maximum: 1_000 + index },
            currency: { enum: ["EUR", "USD", "GBP"] },
            lines: {
              type: "array",
              items: { type: "object", properties: { sku: { type: "string" }, count: { type: "integer" } } },
            },
          },
          required: ["order"],
        },
        risk: index % 10 === 0 ? "high" : "low",
        tags: [`tag_${index % 20}`],
        run: () => 1,
      }),
      { origin: "project", namespace: `space_${index % spaces}` },
    );
  }
  return all.list();
};

const over = (name: string, minimum: number) => ({ properties: { [name]: { minimum } }, required: [name] });

/** Exact names, patterns, tags and rules for all tools, most of them with a condition. */
const correct = (index: number): Rule => {
  const space = `space_${index % spaces}`;
  const amount = `amount_${index % 50}`;
  const roles = [`role_${index}`];
  const when = over(amount, 10 + index);
  if (index % 5 === 0) return { effect: "approve", roles, tools: [`${space}/tool_${index}`], when };
  if (index % 5 === 1) return { effect: "deny", roles, tools: [`${space}/*`], when };
  if (index % 5 === 2) return { effect: "allow", roles, tools: [`${space}/tool_*`, "space_1/**"] };
  if (index % 5 === 3)
    return {
      effect: "deny",
      roles,
      tags: [`tag_${index % 20}`],
      when: { properties: { lines: { items: { required: ["sku"] } } } },
    };
  return { effect: "approve", roles, risk: ["high"], when: { properties: { currency: { const: "USD" } } } };
};

const mistakes: readonly ((index: number) => Partial<Rule>)[] = [
  (index) => ({ tools: [`space_${index % spaces}/tol_${index}`] }),
  (index) => ({ tools: [`spce_${index % spaces}/*`] }),
  () => ({ tools: ["space_7/*"], when: over("amonut_7", 1) }),
  () => ({ tools: ["space_7/*"], when: over("amount_7", 1_000_000) }),
  () => ({ when: { properties: { currency: { const: "EURO" } } } }),
];
const mistaken = (index: number): Rule =>
  ({ effect: "deny", roles: [`role_${index}`], ...mistakes[index % mistakes.length]!(index) }) as Rule;

const policyOf = (rule: (index: number) => Rule): PolicyOptions => ({
  rules: Array.from({ length: rules }, (_, index) => rule(index)),
});

interface Measured {
  /** The first check of a policy of this kind, without compiled code. */
  readonly cold: number;
  readonly times: readonly number[];
  readonly found: readonly PolicyProblem[];
}

const rounds = 9;

/** Every round has its own tools and rules, so that nothing is cached. */
const measure = (rule: (index: number) => Rule): Measured => {
  const times: number[] = [];
  let found: readonly PolicyProblem[] = [];
  for (let round = 0; round < rounds; round++) {
    const registrations = register();
    const policy = policyOf(rule);
    const begin = performance.now();
    found = checkPolicy({ policy, registrations });
    times.push(performance.now() - begin);
  }
  return { cold: times[0]!, times, found };
};

const correctRules = measure(correct);
const mistakenRules = measure(mistaken);
const [falseAlarm] = correctRules.found;
if (falseAlarm !== undefined) throw new Error(`a false alarm: ${falseAlarm.message}`);
if (mistakenRules.found.length < rules) throw new Error("a mistake was not found");

const rows = Object.entries({ "no mistakes": correctRules, "500 mistakes": mistakenRules }).map(
  ([name, { cold, times, found }]) => ({ name, coldMs: cold, ms: spread(times), problems: found.length }),
);
if (values.json) console.log(JSON.stringify({ rules, tools, rows }, null, 2));
else {
  console.log(
    table([
      [`${rules} rules against ${tools} tools, ms`, "median", "least", "most", "cold", "problems"],
      ...rows.map(({ name, coldMs, ms, problems }) => [
        name,
        ...[ms.median, ms.min, ms.max, coldMs].map(round),
        String(problems),
      ]),
    ]),
  );
}
if (rows.some(({ ms }) => ms.median > Number(values["max-ms"]))) process.exitCode = 1;
