import { suggestName } from "../../../base/text/nearest.ts";
import type { Json } from "../../../types/json.ts";
import { readClassicType } from "../classic-signature.ts";
import type { Position, Property } from "../document.ts";
import type { DiagnosticCollector } from "../format-diagnostic.ts";
import type { Shape } from "../signature-types.ts";
import { isOfShape, valueToJson } from "./value-json.ts";

export interface FieldRecord {
  readonly description?: string;
  readonly enum?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly optional?: boolean;
  readonly default?: Json;
  readonly elementType?: Shape;
}

export const fieldKeys = [
  "description",
  "default",
  "enum",
  "minimum",
  "maximum",
  "pattern",
  "format",
  "elementType",
  "optional",
] as const;
type FieldKey = (typeof fieldKeys)[number];

const isFieldKey = (key: string): key is FieldKey => (fieldKeys as readonly string[]).includes(key);

export interface ParsedFieldRecord {
  readonly record: FieldRecord;
  readonly places: ReadonlyMap<string, Position | undefined>;
}

/** The field's own record, and that of the bracket with its shape. */
export const readFieldRecord = (
  properties: readonly Property[],
  problems: DiagnosticCollector,
): ParsedFieldRecord => {
  const record: Record<string, unknown> = {};
  const places = new Map<string, Position | undefined>();
  for (const { key, value, at } of properties) {
    const complain = (code: string, message: string, hint: string) =>
      problems.add(code, value.at ?? at, message, hint);
    if (!isFieldKey(key)) {
      complain(
        "unknown-key",
        `Unknown key "${key}"`,
        `${suggestName(key, fieldKeys)} The keys are ${fieldKeys.join(", ")}.`.trimStart(),
      );
      continue;
    }
    if (places.has(key)) {
      complain("duplicate-key", `The key "${key}" occurs twice`, "Remove one of the two.");
      continue;
    }
    places.set(key, value.at ?? at);
    const read = valueToJson(value);
    if (!("json" in read)) {
      complain(
        "wrong-value",
        `"${key}" ${read.why}`,
        "Write a text, a number, true, false, a list, a map, or json`…`.",
      );
      continue;
    }
    const expected = expectation(key, read.json);
    if (expected !== undefined) {
      complain("wrong-value", `"${key}" is not ${expected}`, examples[key]);
      continue;
    }
    if (key !== "elementType") {
      record[key] = read.json;
      continue;
    }
    const { shape, complaint } = readClassicType(read.json as string);
    if (shape !== undefined) record[key] = shape;
    else if (complaint !== undefined)
      complain(complaint.code, `"elementType": ${complaint.message.slice(0, -1)}`, complaint.hint);
  }
  return { record: record as FieldRecord, places };
};

const expectation = (key: FieldKey, json: Json): string | undefined => {
  if (key === "default") return undefined;
  if (key === "optional") return typeof json === "boolean" ? undefined : "true or false";
  if (key === "minimum" || key === "maximum") return typeof json === "number" ? undefined : "a number";
  if (key === "enum") return Array.isArray(json) && json.length > 0 ? undefined : "a list of values";
  return typeof json === "string" ? undefined : "a text";
};

const examples: Readonly<Record<FieldKey, string>> = {
  description: 'Write {description: "The person to greet"}.',
  default: 'Write {default: "world"}.',
  enum: 'Write {enum: ["low", "high"]}.',
  minimum: "Write {minimum: 0}.",
  maximum: "Write {maximum: 100}.",
  pattern: 'Write {pattern: "^[a-z]+$"}.',
  format: 'Write {format: "email"}.',
  elementType: 'Write {elementType: "Text"}.',
  optional: "Write {optional: true}.",
};

export const checkValues = (
  shape: Shape,
  { record, places }: ParsedFieldRecord,
  problems: DiagnosticCollector,
): void => {
  const { enum: values, default: given } = record;
  const { enum: _, ...free } = shape;
  if (values !== undefined && !values.every((value) => value !== null && isOfShape(free, value))) {
    problems.add(
      "wrong-enum",
      places.get("enum"),
      "A value of this enum has another type",
      "Every value must have the type of the parameter.",
    );
  } else if (given !== undefined && !isOfShape(shape, given)) {
    problems.add(
      "wrong-default",
      places.get("default"),
      `The default ${JSON.stringify(given).slice(0, 60)} does not match the type`,
      "A default must be a valid value of the parameter.",
    );
  }
};
