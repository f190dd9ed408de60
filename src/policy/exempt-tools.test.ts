import { describe, expect, it } from "vitest";
import { tool } from "../tools/tool.ts";
import type { Principal } from "../types/principal.ts";
import type { Registration } from "../types/tool.ts";
import { narrow, type PolicyOptions } from "./options.ts";
import { createPolicyEngine } from "./policy.ts";

const look = tool({
  name: "look",
  description: "Returns what its caller may know",
  input: [],
  annotations: { readOnly: true },
  run: () => 1,
});
const plain: Registration = { key: "look", wireName: "look", origin: "agent", tool: look };
const free: Registration = { ...plain, isFree: true };
const clerk: Principal = { agent: "clerk", allow: ["pay"] };

/** Returns the decisions for both tools, requested in both orders. */
const effects = (principal: Principal | undefined, options: PolicyOptions = {}) =>
  [
    [free, plain],
    [plain, free],
  ].map((both) => {
    const engine = createPolicyEngine(options);
    const asked = both.flatMap((registration) => {
      const request = { principal, registration, input: {}, validated: true } as const;
      return [engine.visible(principal, registration).effect, engine.decide(request as never).effect];
    });
    return both[0] === free ? asked : [...asked.slice(2), ...asked.slice(0, 2)];
  });

describe("exempt tool", () => {
  it.each<[string, Principal | undefined, PolicyOptions, readonly string[]]>([
    ["needs no permission of its caller", clerk, {}, ["allow", "allow", "deny", "deny"]],
    ["needs no permission of the delegator", narrow(clerk), {}, ["allow", "allow", "deny", "deny"]],
    [
      "needs no allow rule",
      { ...clerk, allow: ["*"] },
      { rules: [{ effect: "allow", tools: ["pay"] }] },
      ["allow", "allow", "deny", "deny"],
    ],
    [
      "is denied by the deny list of its caller",
      { ...clerk, deny: ["lo*"] },
      {},
      ["deny", "deny", "deny", "deny"],
    ],
    [
      "is denied by a rule",
      clerk,
      { rules: [{ effect: "deny", tools: ["look"] }] },
      ["deny", "deny", "deny", "deny"],
    ],
    [
      "needs approval when a rule requires it",
      clerk,
      { rules: [{ effect: "approve", tools: ["look"] }] },
      ["approve", "approve", "deny", "deny"],
    ],
    ["is denied without a principal", undefined, {}, ["deny", "deny", "deny", "deny"]],
  ])("%s", (_, principal, options, expected) => {
    expect(effects(principal, options)).toEqual([expected, expected]);
  });
});
