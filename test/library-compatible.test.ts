import fc from "fast-check";
import { expect, it } from "vitest";
import { compileSchema } from "../src/base/schema/compile-schema.ts";
import { isCompatible } from "../src/base/schema/is-compatible.ts";
import { library } from "../src/registry/library.ts";
import { tool } from "../src/tools/tool.ts";
import type { JsonSchema } from "../src/types/json.ts";
import type { AnyTool, Validator } from "../src/types/tool.ts";
import { type Dice, dice, rootSchema, similarSchema, withAnnotations } from "./kit/random-schema.ts";
import { anyValue, likelyValue } from "./kit/random-value.ts";

const pairs = process.env.HAFT_SOAK === "1" ? 5_000 : 500;
const timeoutMs = 300_000;

interface Tally {
  compatible: number;
  /** Refused pairs for which a value proves that they are incompatible. */
  refuted: number;
  denied: number;
  values: number;
}

const randomPair = (roll: Dice): readonly [JsonSchema, JsonSchema] => {
  const one = rootSchema(roll, 3);
  const other = roll.chance(0.8) ? (similarSchema(one, roll) as JsonSchema) : rootSchema(roll, 3);
  return roll.chance(0.5) ? [one, other] : [other, one];
};

/** A value that fits `narrow` and not `wide`, and the number of values that were tried. */
const findCounterexample = (
  narrow: JsonSchema,
  wide: JsonSchema,
  defaults: "filled" | "ignored",
  roll: Dice,
): { readonly found?: unknown; readonly tried: number } => {
  const [judge, other] = [compileSchema(narrow), compileSchema(wide)];
  let tried = 0;
  for (let attempt = 0; attempt < 40; attempt++) {
    const value = attempt < 36 ? likelyValue(narrow, narrow, roll) : anyValue(roll, 3);
    const filled = structuredClone(value);
    if (!judge(filled).ok) continue;
    tried++;
    const given = defaults === "filled" ? filled : value;
    if (!other(structuredClone(given)).ok) return { found: { given }, tried };
  }
  return { tried };
};

it(
  "compatible schemas have no counterexample, and most incompatible ones have one",
  () => {
    const tally: Tally = { compatible: 0, refuted: 0, denied: 0, values: 0 };
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const roll = dice(seed);
        const [narrow, wide] = randomPair(roll);
        const defaults = roll.pick(["filled", "ignored"] as const);
        const verdict = isCompatible(narrow, wide, { defaults });
        if (!verdict.ok && verdict.reasons[0]?.keyword === "schema") return;
        const { found, tried } = findCounterexample(narrow, wide, defaults, roll);
        tally.values += tried;
        if (verdict.ok) {
          tally.compatible++;
          expect({ narrow, wide, defaults, found }).toEqual({ narrow, wide, defaults, found: undefined });
          return;
        }
        tally.denied++;
        if (found !== undefined) tally.refuted++;
      }),
      { numRuns: pairs },
    );
    // The property is meaningful only if both results are common and there are values to try.
    expect(tally.compatible).toBeGreaterThan(pairs * 0.3);
    expect(tally.denied).toBeGreaterThan(pairs * 0.15);
    expect(tally.refuted / tally.denied).toBeGreaterThan(0.8);
    expect(tally.values).toBeGreaterThan(pairs * 5);
  },
  timeoutMs,
);

/** A tool takes an object, so the compared schemas are its members. Some members have defaults. */
const around = ({ $defs, ...value }: JsonSchema, roll: Dice): JsonSchema => ({
  type: "object",
  properties: { value, limit: { type: "integer", ...(roll.chance(0.5) ? { default: 10 } : {}) } },
  required: roll.pick([["value"], ["value", "limit"]]),
  additionalProperties: false,
  $defs,
});

it(
  "bound code accepts every input that its spec accepts",
  () => {
    let bound = 0;
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const roll = dice(seed);
        const [narrow, wide] = randomPair(roll);
        const input = around(narrow, roll);
        const judge = judgeOf(input);
        const code = codeOf(around(wide, roll));
        if (judge === undefined || code === undefined) return;
        const binding = library([code]).bind({ ...code.spec, input });
        if (!binding.ok) return;
        bound++;
        for (let attempt = 0; attempt < 20; attempt++) {
          const value = {
            value: likelyValue(narrow, narrow, roll),
            ...(roll.chance(0.5) ? { limit: 1 } : {}),
          };
          if (judge(structuredClone(value)).ok) expect(binding.tool.input(value)).toMatchObject({ ok: true });
        }
      }),
      { numRuns: pairs },
    );
    expect(bound).toBeGreaterThan(pairs * 0.15);
  },
  timeoutMs,
);

/** A random schema may be refused. */
const judgeOf = (schema: JsonSchema): Validator | undefined => {
  try {
    return compileSchema(schema);
  } catch {
    return undefined;
  }
};

const codeOf = (input: JsonSchema): AnyTool | undefined => {
  try {
    return tool({ name: "code", description: "Random code.", input, run: () => 1 });
  } catch {
    return undefined;
  }
};

it("almost every schema is compatible with itself after annotations are added", () => {
  let lost = 0;
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const schema = rootSchema(dice(seed), 3);
      if (!isCompatible(schema, withAnnotations(schema) as JsonSchema).ok) lost++;
    }),
    { numRuns: pairs },
  );
  // What only the value decides, such as which items `contains` evaluates, is not proved.
  expect(lost).toBeLessThan(pairs * 0.03);
});
