import { isObject } from "../base/json/is-object.ts";
import type { RuleConditions } from "./conditions.ts";
import { foldersOf, type PathCondition, pathArgumentOf } from "./path-condition.ts";

type ConditionText<Field extends keyof RuleConditions> = (
  given: NonNullable<RuleConditions[Field]>,
) => string;

const conditionTexts: { readonly [Field in keyof RuleConditions]-?: ConditionText<Field> } = {
  tainted: (given) => `the conversation has ${given ? "" : "no "}untrusted content`,
  repaired: (given) => `the arguments were ${given ? "" : "not "}repaired`,
  spent: (given) => describeSpent(given),
  path: (given) => describePath(given),
  from: (given) => describeFrom(given),
  when: (given) => describeSchema("input", given).join(" and ") || "any arguments",
};

/** Such as `input.amount ≥ 1000`. */
export const describeCondition = (field: keyof RuleConditions, given: unknown): string =>
  (conditionTexts[field] as (given: unknown) => string)(given);

const describePath = (given: PathCondition): string => {
  const subject = `input.${pathArgumentOf(given)}`;
  const { within, outside } = given;
  return [
    ...(within === undefined ? [] : [`${subject} is in ${foldersOf(within).join(" or ")}`]),
    ...(outside === undefined ? [] : [`${subject} is not in ${foldersOf(outside).join(" or ")}`]),
  ].join(" and ");
};

const describeFrom = (from: NonNullable<RuleConditions["from"]>): string =>
  Object.entries(from)
    .map(([argument, sources]) => `input.${argument} comes from ${sources.join(" or ")}`)
    .join(" and ");

const describeSpent = ({ calls, cost }: NonNullable<RuleConditions["spent"]>): string =>
  [
    ...(calls === undefined ? [] : [`the run has made at least ${calls} calls`]),
    ...(cost === undefined ? [] : [`the run has cost at least ${cost}`]),
  ].join(" and ");

const comparisonSigns: Readonly<Record<string, string>> = {
  minimum: "≥",
  exclusiveMinimum: ">",
  maximum: "≤",
  exclusiveMaximum: "<",
  const: "is",
  pattern: "fits",
};

const describeSchema = (path: string, schema: unknown): readonly string[] => {
  if (!isObject(schema)) return [`${path} fits ${JSON.stringify(schema)}`];
  const { properties, required, type, ...rest } = schema as Readonly<Record<string, unknown>>;
  const parts = isObject(properties)
    ? Object.entries(properties).map(([name, of]) => [name, describeSchema(`${path}.${name}`, of)] as const)
    : [];
  const described = new Set(parts.filter(([, words]) => words.length > 0).map(([name]) => name));
  const needed = Array.isArray(required) ? required.filter((name) => !described.has(String(name))) : [];
  return [
    // Arguments are always an object.
    ...(type === undefined || path === "input" ? [] : [`${path} is of type ${[type].flat().join(" or ")}`]),
    ...needed.map((name) => `${path}.${name} is given`),
    ...parts.flatMap(([name, words]) =>
      words.map((word) =>
        isListed(required, name) || word.endsWith(ifGivenSuffix) ? word : `${word}${ifGivenSuffix}`,
      ),
    ),
    ...Object.entries(rest).map(([keyword, value]) => describeKeyword(path, keyword, value)),
  ];
};

/** JSON Schema accepts a missing member. */
const ifGivenSuffix = " (or not given)";

const isListed = (required: unknown, name: string): boolean =>
  Array.isArray(required) && required.includes(name);

const describeKeyword = (path: string, keyword: string, value: unknown): string => {
  if (keyword === "enum" && Array.isArray(value))
    return `${path} is one of ${value.map((each) => JSON.stringify(each)).join(", ")}`;
  const word = Object.hasOwn(comparisonSigns, keyword) ? comparisonSigns[keyword] : undefined;
  const text = JSON.stringify(value);
  return word === undefined ? `${path} fits {"${keyword}":${text}}` : `${path} ${word} ${text}`;
};
