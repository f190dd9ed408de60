import fc from "fast-check";
import { expect, it } from "vitest";
import { compilePlain } from "../compiled/compile-plain.ts";
import { schemaLimits } from "../plain/plain-schema.ts";
import { toPlainSchema } from "../plain/to-plain-schema.ts";
import { evaluationContext, startEvaluationBudget } from "./context.ts";
import { schemaEvaluator } from "./schema-evaluator.ts";

const key = fc.constantFrom("a", "b", "c", "toString", "__proto__", "constructor");
const scalar = fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 1.5, 3, "", "a", "ab", "b", "😀");

const entries = <T>(value: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(key, value), { maxLength: 3 }).map((members) => {
    const object: Record<string, T> = {};
    for (const [name, member] of members) {
      Object.defineProperty(object, name, {
        value: member,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return object;
  });

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    entries(tie("value")),
  ),
}));

const count = fc.constantFrom(0, 1, 2);
const names = fc.array(key, { maxLength: 2 });
const type = fc.constantFrom("array", "boolean", "integer", "null", "number", "object", "string");

const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const one = tie("schema");
  const list = fc.array(one, { minLength: 1, maxLength: 3 });
  const keywords: Record<string, fc.Arbitrary<unknown>> = {
    $ref: fc.constantFrom("#/$defs/x", "#/$defs/y"),
    type: fc.oneof(type, fc.array(type, { minLength: 1, maxLength: 3 })),
    enum: fc.array(value, { minLength: 1, maxLength: 4 }),
    const: value,
    multipleOf: fc.constantFrom(1, 1.5, 0.5),
    minimum: count,
    exclusiveMaximum: count,
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom("^a", "b$", "^(a|b)*$"),
    minItems: count,
    maxItems: count,
    uniqueItems: fc.constant(true),
    prefixItems: list,
    items: one,
    contains: one,
    minContains: count,
    maxContains: count,
    unevaluatedItems: one,
    minProperties: count,
    maxProperties: count,
    required: names,
    properties: entries(one),
    patternProperties: fc
      .tuple(fc.constantFrom("^a", "o", "_", "^__proto__$"), one)
      .map(([name, each]) => ({ [name]: each })),
    additionalProperties: one,
    propertyNames: one,
    dependentRequired: entries(names),
    dependentSchemas: entries(one),
    unevaluatedProperties: one,
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: one,
    if: one,
    then: one,
    else: one,
  };
  const keyword = fc
    .constantFrom(...Object.keys(keywords))
    .chain((name) => keywords[name]!.map((each) => [name, each] as const));
  return {
    schema: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      fc.boolean(),
      fc.array(keyword, { maxLength: 4 }).map((members) => Object.fromEntries(members)),
    ),
  };
});

const whole = fc
  .record({ root: schema, x: schema, y: schema })
  .map(({ root, x, y }) => ({ allOf: [root], $defs: { x, y } }));

it("compiled code and evaluator agree for any schema and value", () => {
  fc.assert(
    fc.property(whole, fc.array(value, { minLength: 1, maxLength: 8 }), (document, values) => {
      let plain: ReturnType<typeof toPlainSchema>;
      try {
        plain = toPlainSchema(document);
      } catch (error) {
        // A self-referencing schema is rejected, which is a valid result here.
        expect((error as Error).message).toMatch(/without end|too complex/);
        return;
      }
      const judge = schemaEvaluator(evaluationContext(plain, "annotate"));
      const holds = compilePlain(judge);
      for (const each of values) {
        startEvaluationBudget(schemaLimits.recursions);
        expect([holds(each), each]).toEqual([judge.holds(plain.definitions[0]!, each), each]);
      }
    }),
    { numRuns: 700 },
  );
});
