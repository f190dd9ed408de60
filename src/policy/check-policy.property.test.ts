import { expect, it } from "vitest";
import { type Dice, dice, names, randomSchema, similarSchema } from "../../test/kit/random-schema.ts";
import { likelyValue } from "../../test/kit/random-value.ts";
import { testRegistration } from "../../test/kit/test-registration.ts";
import { isObject } from "../base/json/json-value.ts";
import { compileCondition } from "../base/schema/compile-condition.ts";
import { compileSchema } from "../base/schema/compile-schema.ts";
import type { JsonSchema } from "../types/json.ts";
import type { PolicyProblem } from "../types/policy-problem.ts";
import { checkPolicy } from "./check-policy.ts";

const pairs = process.env.HAFT_SOAK === "1" ? 10_000 : 400;

/** Target of the references in random schemas. */
const $defs = { self: { type: ["string", "integer"], minimum: 1 } };

const randomInput = (roll: Dice): JsonSchema => ({ $defs, ...randomObject(roll) });

const randomObject = (roll: Dice): JsonSchema => {
  const used = names.filter(() => roll.chance(0.5));
  return {
    type: "object",
    properties: Object.fromEntries(used.map((name) => [name, randomSchema(roll, 2)])),
    required: used.filter(() => roll.chance(0.5)),
    ...(roll.chance(0.5) ? { additionalProperties: false } : {}),
    ...(roll.chance(0.3) ? { anyOf: [randomObject(roll), { required: [roll.pick(names)] }] } : {}),
  };
};

/** Returns valid arguments with defaults filled in, as the policy receives them. */
const validInputs = (input: JsonSchema, roll: Dice): readonly Record<string, unknown>[] => {
  const validate = compileSchema(input);
  return Array.from({ length: 30 }, () => likelyValue(input, input, roll)).filter(
    (value): value is Record<string, unknown> => isObject(value) && validate(value).ok,
  );
};

/** Returns the part of a condition that a problem refers to and the same part of the arguments. */
const partOf = (problem: PolicyProblem, when: unknown, value: unknown): readonly [unknown, unknown] => {
  const steps = problem.place.split("/").slice(5);
  let [condition, part] = [when, value];
  for (const [index, step] of steps.entries()) {
    condition = isObject(condition) ? condition[step] : (condition as readonly unknown[])[Number(step)];
    if (steps[index - 1] === "properties") part = isObject(part) ? part[step] : undefined;
  }
  return [condition, part];
};

it("checkPolicy reports never_holds and always_holds only when no valid arguments contradict it", () => {
  const claims = { never_holds: 0, always_holds: 0, values: 0 };
  for (let seed = 1; seed <= pairs; seed++) {
    const roll = dice(seed);
    const input = randomInput(roll);
    const when = (roll.chance(0.7) ? similarSchema(input, roll) : randomInput(roll)) as JsonSchema;
    if (!isObject(when)) continue;
    const policy = { rules: [{ effect: "deny" as const, tools: ["pay"], when }] };
    const problems = checkPolicy({ policy, registrations: [testRegistration("pay", { input })] });
    for (const problem of problems) {
      if (problem.code !== "never_holds" && problem.code !== "always_holds") continue;
      claims[problem.code]++;
      for (const value of validInputs(input, roll)) {
        const [condition, part] = partOf(problem, when, value);
        if (part === undefined) continue;
        claims.values++;
        const holds = compileCondition({ $defs: when.$defs ?? $defs, allOf: [condition] })(part);
        expect({ seed, problem, input, when, value, holds }).toMatchObject({
          holds: problem.code === "always_holds",
        });
      }
    }
  }
  expect(claims.never_holds).toBeGreaterThan(5);
  expect(claims.always_holds).toBeGreaterThan(5);
  expect(claims.values).toBeGreaterThan(50);
}, 300_000);
