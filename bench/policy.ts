import { parseArgs } from "node:util";
import type { PolicyEngine, PolicyRequest } from "../src/policy/engine.ts";
import { narrow } from "../src/policy/options.ts";
import { createPolicyEngine } from "../src/policy/policy.ts";
import type { Rule } from "../src/policy/rule.ts";
import type { AnyTool, Registration, ToolSpec } from "../src/types/tool.ts";
import { round, spread, table } from "./numbers.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    /** Exit code 1 when the median of a decision takes more microseconds than this. */
    "max-micros": { type: "string" },
  },
});

const spaces = 25;
const registrations: readonly Registration[] = Array.from({ length: 1_000 }, (_, index) => {
  const key = `space${index % spaces}/tool${index}`;
  const spec: ToolSpec = Object.freeze({
    name: `tool${index}`,
    description: "",
    input: { type: "object" },
    category: "custom",
    risk: index % 10 === 0 ? "high" : "low",
    requiresApproval: false,
    source: index % 3 === 0 ? "http" : "function",
    tags: ["bench"],
    annotations: { readOnly: index % 2 === 0 },
    validate: "strict",
    strict: false,
  });
  return Object.freeze({
    key,
    wireName: key.replace("/", "__"),
    origin: "project",
    tool: { implementation: { _tag: "function" }, spec, layers: [] } as unknown as AnyTool,
  });
});

const fifty = (rule: (index: number) => Rule): readonly Rule[] =>
  Array.from({ length: 50 }, (_, at) => rule(at));

const inSpace = (index: number) => [`space${index % spaces}/*`];
const under = (maximum: number) => ({ type: "object", properties: { amount: { type: "number", maximum } } });
const over = (minimum: number) => ({
  type: "object",
  required: ["amount"],
  properties: { amount: { type: "number", minimum } },
});

const plain = fifty((index) =>
  index < spaces
    ? { effect: "allow", tools: inSpace(index) }
    : { effect: "deny", tools: inSpace(index), agents: ["somebody-else"] },
);
/** Two for each tool. */
const conditional = fifty((index) =>
  index < spaces
    ? { effect: "allow", tools: inSpace(index), when: under(100 + index) }
    : { effect: "deny", tools: inSpace(index), when: over(1_000 + index) },
);
/** All fifty for each tool, and half of them match. */
const crowded = fifty((index) =>
  index % 2 === 0
    ? { effect: "allow", when: under(100 + index) }
    : { effect: "deny", when: over(1_000 + index) },
);

const principal = Object.freeze({
  agent: "bench",
  user: "u1",
  tenant: "t1",
  allow: Object.freeze(["**"]),
  roles: Object.freeze(["reader"]),
});
const delegated = narrow(narrow(principal, { agent: "helper", deny: ["space99/*"] }), {
  allow: ["space*/*"],
});
const input = Object.freeze({ amount: 5 });
const clean = { calls: 1, cost: 0, taints: [] };
const tainted = { calls: 1, cost: 0, taints: ["space0/tool0"] };

const deciding = (engine: PolicyEngine, of: Partial<PolicyRequest> = {}) => {
  const requests = registrations.map((registration) => ({
    principal,
    registration,
    input,
    validated: true,
    tally: clean,
    ...of,
  }));
  return () => {
    for (const request of requests) engine.decide(request);
  };
};
const rights = { users: { u1: { allow: ["space*/*"] } }, tenants: { t1: { allow: ["*"] } } };
const seeing = createPolicyEngine({ rules: plain });
const crowd = "fifty argument conditions each";

const works: Readonly<Record<string, () => void>> = {
  "settled before the call": deciding(createPolicyEngine({ rules: plain })),
  "two argument conditions each": deciding(createPolicyEngine({ rules: conditional })),
  [crowd]: deciding(createPolicyEngine({ rules: crowded })),
  "tainted context": deciding(createPolicyEngine({ rules: plain }), { tally: tainted }),
  "users and tenants have rights": deciding(createPolicyEngine({ rules: plain, rights })),
  "a chain of three": deciding(createPolicyEngine({ rules: plain }), { principal: delegated }),
  "a chain of three, two conditions each": deciding(createPolicyEngine({ rules: conditional }), {
    principal: delegated,
  }),
};
/** A new caller. */
const listing = () => {
  const fresh = Object.freeze({ ...principal });
  for (const registration of registrations) seeing.visible(fresh, registration);
};

const rounds = 101;
const time = (work: () => void): readonly number[] => {
  const times: number[] = [];
  for (let done = -50; done < rounds; done += 1) {
    const begin = performance.now();
    work();
    if (done >= 0) times.push((performance.now() - begin) * 1e3);
  }
  return times;
};

const decisions = Object.entries(works).map(([name, work]) => ({
  name,
  micros: spread(time(work).map((all) => all / registrations.length)),
}));
const offer = { name: "1,000 tools shown to a new caller", micros: spread(time(listing)) };

if (values.json) console.log(JSON.stringify({ decisions, offer }, null, 2));
else {
  const rows = [...decisions, offer].map(({ name, micros }) => [
    name,
    round(micros.median),
    round(micros.min),
    round(micros.max),
  ]);
  console.log(table([["50 rules, 1,000 tools; a decision", "µs", "least", "most"], ...rows]));
}
// Fifty conditions on one tool take longer than the target of a decision.
const usual = decisions.filter(({ name }) => name !== crowd);
const slowest = Math.max(...usual.map(({ micros }) => micros.median));
if (values["max-micros"] !== undefined && slowest > Number(values["max-micros"])) process.exitCode = 1;
