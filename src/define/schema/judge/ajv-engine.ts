import core, { type KeywordDefinition, type Options } from "ajv/dist/core.js";
import dependentSchemas from "ajv/dist/vocabularies/applicator/dependentSchemas.js";
import applicator from "ajv/dist/vocabularies/applicator/index.js";
import reference from "ajv/dist/vocabularies/core/ref.js";
import dependentRequired from "ajv/dist/vocabularies/validation/dependentRequired.js";
import enumeration from "ajv/dist/vocabularies/validation/enum.js";
import limitItems from "ajv/dist/vocabularies/validation/limitItems.js";
import limitLength from "ajv/dist/vocabularies/validation/limitLength.js";
import limitNumber from "ajv/dist/vocabularies/validation/limitNumber.js";
import limitProperties from "ajv/dist/vocabularies/validation/limitProperties.js";
import pattern from "ajv/dist/vocabularies/validation/pattern.js";
import required from "ajv/dist/vocabularies/validation/required.js";
import { findDuplicate, isMultipleOf } from "../keywords.ts";
import { type PlainKeywords, toReference } from "../plain/plain-schema.ts";
import { spend } from "./budget.ts";
import type { Judge } from "./context.ts";
import { toAjv } from "./to-ajv.ts";
import { unevaluatedIndexes, unevaluatedKeys } from "./unevaluated.ts";

export const engine = "ajv 8.20.0";

/** What ajv does right for every plain schema. What it does not is ours, below. */
const vocabulary = [
  { keyword: "type", schemaType: ["string", "array"] },
  reference.default,
  ...applicator.default(true),
  dependentSchemas.default,
  dependentRequired.default,
  enumeration.default,
  limitItems.default,
  limitLength.default,
  limitNumber.default,
  limitProperties.default,
  pattern.default,
  required.default,
] as KeywordDefinition[];

type Check<Schema, Value> = (schema: Schema, value: Value) => boolean;

const keyword = <Schema, Value>(
  name: string,
  type: KeywordDefinition["type"],
  validate: Check<Schema, Value>,
): KeywordDefinition => ({
  keyword: name,
  ...(type === undefined ? {} : { type }),
  validate: validate as (schema: unknown, value: unknown) => boolean,
  errors: false,
});

const ownKeywords = ({ context, holds }: Judge): KeywordDefinition[] => [
  keyword("visit", undefined, () => spend()),
  keyword("values", undefined, (values: readonly unknown[], value) => context.fits(values, value)),
  keyword("format", undefined, (name: string, value) => context.isFormat(name, value)),
  keyword("multipleOf", "number", (divisor: number, value: number) => isMultipleOf(value, divisor)),
  keyword("uniqueItems", "array", (_, value: readonly unknown[]) => findDuplicate(value) === undefined),
  keyword("unevaluatedItems", "array", ([node]: [PlainKeywords], value: readonly unknown[]) =>
    unevaluatedIndexes(context, holds, node, value).every((index) =>
      holds(node.unevaluatedItems!, value[index]),
    ),
  ),
  keyword("unevaluatedProperties", "object", ([node]: [PlainKeywords], value: Record<string, unknown>) =>
    unevaluatedKeys(context, holds, node, value).every((key) =>
      holds(node.unevaluatedProperties!, value[key]),
    ),
  ),
];

/** Compiles a plain schema into code that answers yes or no. */
export const compilePlain = (judge: Judge): ((value: unknown) => boolean) => {
  const { definitions, recursive } = judge.context.schema;
  const options: Options & { readonly next: true } = {
    strict: false,
    strictNumbers: true,
    meta: false,
    validateSchema: false,
    ownProperties: true,
    messages: false,
    logger: false,
    next: true,
    code: {
      optimize: false,
      regExp: Object.assign(
        (source: string) => ({ test: judge.context.matcher(source).test, toString: () => `/${source}/` }),
        { code: "" },
      ),
    },
  };
  const ajv = new core.default(options);
  ajv.addVocabulary([...ownKeywords(judge), ...vocabulary]);
  const $defs = definitions.map((node, number) => {
    const shown = toAjv(node);
    return recursive.has(number) && typeof shown !== "boolean" ? { visit: true, ...shown } : shown;
  });
  const validate = ajv.compile({ $ref: toReference(0), $defs });
  return (value) => validate(value) as boolean;
};
