import { describe, expect, it } from "vitest";
import { tool } from "../tools/tool.ts";
import type { Principal } from "../types/principal.ts";
import type { Registration } from "../types/tool.ts";
import { narrow } from "./narrow.ts";
import type { PolicyOptions } from "./options.ts";
import { createPolicyEngine } from "./policy.ts";

const look = tool({
  name: "look",
  description: "Tells what its caller may know",
  input: [],
  annotations: { readOnly: true },
  run: () => 1,
});
const plain: Registration = { key: "look", wireName: "look", origin: "agent", tool: look };
const free: Registration = { ...plain, isFree: true };
const clerk: Principal = { agent: "clerk", allow: ["pay"] };

/** What a caller gets for both, whichever is asked for first. */
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

describe("a tool that is free", () => {
  it.each<[string, Principal | undefined, PolicyOptions, readonly string[]]>([
    ["needs no right", clerk, {}, ["allow", "allow", "deny", "deny"]],
    ["needs none of whom its caller acts for", narrow(clerk), {}, ["allow", "allow", "deny", "deny"]],
    [
      "needs no rule",
      { ...clerk, allow: ["*"] },
      { rules: [{ effect: "allow", tools: ["pay"] }] },
      ["allow", "allow", "deny", "deny"],
    ],
    ["is denied by its caller's own list", { ...clerk, deny: ["lo*"] }, {}, ["deny", "deny", "deny", "deny"]],
    [
      "is denied by a rule",
      clerk,
      { rules: [{ effect: "deny", tools: ["look"] }] },
      ["deny", "deny", "deny", "deny"],
    ],
    [
      "needs a person where a rule says so",
      clerk,
      { rules: [{ effect: "approve", tools: ["look"] }] },
      ["approve", "approve", "deny", "deny"],
    ],
    ["is nothing to nobody", undefined, {}, ["deny", "deny", "deny", "deny"]],
  ])("%s", (_, principal, options, expected) => {
    expect(effects(principal, options)).toEqual([expected, expected]);
  });
});
