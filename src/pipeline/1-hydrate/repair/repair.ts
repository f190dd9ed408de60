import { copyJson } from "../../../base/json/copy-json.ts";
import { type JsonLimits, maxLengthOf } from "../../../base/json/json-problem.ts";
import { readJson } from "../../../base/json/read-json.ts";
import type { PlainSchema } from "../../../base/schema/plain/plain-schema.ts";
import { toPlainSchema } from "../../../base/schema/plain/to-plain-schema.ts";
import type { Change } from "../../../types/hydration.ts";
import type { JsonSchema } from "../../../types/json.ts";
import type { Validation } from "../../../types/tool.ts";
import { Changes } from "./changes.ts";
import { jsonKindBits } from "./json-kinds.ts";
import { refuseDoubtfulTexts } from "./loose/refuse-doubtful-escapes.ts";
import { readObjectInText } from "./read-object-in-text.ts";
import { type RepairContext, RepairRefusal, refuseRepair, StepBudget } from "./repair-context.ts";
import { repairValue } from "./repair-value.ts";
import { sameJson } from "./same-json.ts";
import { SchemaPlaces } from "./schema-places.ts";

export interface BrokenArguments {
  readonly text?: string;
  readonly value?: unknown;
  readonly schema: JsonSchema;
  readonly validate: (value: unknown) => Validation;
  readonly tool?: string;
  readonly nulls?: readonly string[] | undefined;
  readonly limits?: JsonLimits | undefined;
}

export type RepairResult =
  | {
      readonly ok: true;
      readonly value: unknown;
      readonly transformed?: { readonly value: unknown };
      readonly changes: readonly Change[];
      readonly steps: number;
    }
  | { readonly ok: false; readonly why: string; readonly steps: number };

type SuccessfulRepair = Extract<RepairResult, { ok: true }>;

/**
 * Repairs arguments by unambiguous rules; the result is valid. Never throws, and its work is bounded by the
 * input length.
 */
export const repair = (broken: BrokenArguments): RepairResult => {
  let steps = new StepBudget(0);
  try {
    const given = broken.text === undefined ? copyWithinLimits(broken.value ?? {}, broken.limits) : undefined;
    steps = new StepBudget(broken.text?.length ?? JSON.stringify(given).length);
    const { repairing, value } = readBroken(broken, given, steps);
    return chooseRepair(broken, repairing, value);
  } catch (error) {
    const why = error instanceof RepairRefusal ? error.message : "it cannot be repaired";
    return { ok: false, why, steps: steps.spent };
  }
};

const readBroken = (
  { text, schema, validate, tool, nulls, limits }: BrokenArguments,
  given: unknown,
  steps: StepBudget,
): { readonly repairing: RepairContext; readonly value: unknown } => {
  if (text !== undefined && text.length > maxLengthOf(limits)) refuseRepair("it is too long");
  const places = new SchemaPlaces(plainSchemaOf(schema), steps);
  const takesNothing = () => validate({}).ok;
  const repairing: RepairContext = { places, steps, changes: new Changes(), limits, tool, takesNothing };
  const value = text === undefined ? given : readArgumentText(text, repairing);
  const decoded = typeof value === "string" ? decodeRoot(value, repairing) : value;
  if (nulls !== undefined) removeNulls(decoded, nulls);
  return { repairing, value: decoded };
};

type JsonNode = Record<string, unknown>;

/** Removes nulls that mean an absent field. Modifies `value`. */
export const removeNulls = (value: unknown, pointers: readonly string[]): unknown => {
  for (const pointer of pointers) removeNullAt(value, pointer.split("/").slice(1).map(unescapePointerStep));
  return value;
};

const removeNullAt = (place: unknown, steps: readonly string[]): void => {
  if (typeof place !== "object" || place === null) return;
  const [step, ...rest] = steps;
  if (step === undefined) return;
  if (step === "*" && Array.isArray(place)) {
    for (const item of place) removeNullAt(item, rest);
    return;
  }
  if (!Object.hasOwn(place, step)) return;
  if (rest.length > 0) removeNullAt((place as JsonNode)[step], rest);
  else if ((place as JsonNode)[step] === null) delete (place as JsonNode)[step];
};

const unescapePointerStep = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~");

const readArgumentText = (text: string, repairing: RepairContext): unknown => {
  if (text === "") return {};
  repairing.steps.take(text.length);
  const reading = readJson(text, repairing.limits);
  return reading.ok ? reading.value : readObjectInText(text, repairing);
};

const decodeRoot = (text: string, repairing: RepairContext): unknown => {
  const { places, changes, limits, steps } = repairing;
  if ((places.kinds(places.root) & (jsonKindBits.object | jsonKindBits.string)) !== jsonKindBits.object)
    return text;
  changes.add("shape", [], JSON.stringify(text.slice(0, 100)), "{…}");
  let inner = text;
  for (let encodings = 1; encodings <= 3; encodings++) {
    steps.take(inner.length);
    const reading = readJson(inner, limits);
    if (!reading.ok) return readObjectInText(inner, repairing, encodings);
    refuseDoubtfulTexts(inner);
    if (typeof reading.value !== "string") return reading.value;
    inner = reading.value;
  }
  return refuseRepair("it is encoded too often");
};

/** An unchanged value is not validated again, because it was invalid before. */
const chooseRepair = (broken: BrokenArguments, repairing: RepairContext, value: unknown): RepairResult => {
  const { places, changes } = repairing;
  const asRead = changes.list.length > 0 ? acceptIfValid(broken, repairing, value) : undefined;
  if (asRead !== undefined) return asRead;
  const wrapped = unwrapArguments(value, places.names(places.root), broken.tool);
  const unwrappedContext = { ...repairing, changes: new Changes(changes.list) };
  const before = changes.list.length;
  const candidate = repairValue(value, places.root, repairing);
  const repaired = changes.list.length > before ? acceptIfValid(broken, repairing, candidate) : undefined;
  if (wrapped === undefined)
    return repaired ?? refuseRepair("the schema does not say which other type it could have");
  unwrappedContext.changes.add("shape", [], `{${JSON.stringify(wrapped.key)}: …}`, "…");
  const unwrapped = acceptIfValid(
    broken,
    unwrappedContext,
    repairValue(wrapped.inner, places.root, unwrappedContext),
  );
  if (repaired !== undefined && unwrapped !== undefined) refuseRepair("it could be two different values");
  return repaired ?? unwrapped ?? refuseRepair("the schema does not say which other type it could have");
};

/** The candidate must be an object, valid, and stable under serialization. */
const acceptIfValid = (
  { validate, limits }: BrokenArguments,
  { changes, steps }: RepairContext,
  value: unknown,
): SuccessfulRepair | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const copy = copyWithinLimits(value, limits);
  const text = JSON.stringify(copy);
  steps.take(text.length);
  const again = readJson(text, limits);
  if (!again.ok) return undefined;
  const validation = validate(again.value);
  if (!validation.ok) return undefined;
  const comparison = readJson(text, limits);
  if (!comparison.ok || !sameJson(copy, comparison.value, steps)) return undefined;
  return { ...validation, changes: changes.list, steps: steps.spent };
};

const copyWithinLimits = (value: unknown, limits: JsonLimits | undefined): unknown => {
  const copied = copyJson(value, limits);
  return copied.ok ? copied.value : refuseRepair(copied.problem.message);
};

const plainSchemas = new WeakMap<JsonSchema, PlainSchema>();

const plainSchemaOf = (schema: JsonSchema): PlainSchema => {
  const known = plainSchemas.get(schema);
  if (known !== undefined) return known;
  const found = toPlainSchema(schema);
  if (Object.isFrozen(schema)) plainSchemas.set(schema, found);
  return found;
};

const wrapperKeys: ReadonlySet<string> = new Set(
  "arguments args input inputs params parameters kwargs tool_input tool_args toolInput data".split(" "),
);

const labelKeys: ReadonlySet<string> = new Set(["name", "tool", "function", "type"]);

/** The object may contain nothing else but the tool's name. */
const unwrapArguments = (
  value: unknown,
  names: ReadonlySet<string>,
  tool: string | undefined,
): { readonly key: string; readonly inner: unknown } | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const members = Object.entries(value);
  if (members.length > 4) return undefined;
  const wrapping = members.filter(([key]) => wrapperKeys.has(key) && !names.has(key));
  if (wrapping.length !== 1) return undefined;
  const [key, inner] = wrapping[0]!;
  const isAlone = members.every(
    ([other, label]) =>
      other === key ||
      (labelKeys.has(other) &&
        !names.has(other) &&
        (label === tool || (other === "type" && label === "function"))),
  );
  if (!isAlone || inner === null || Array.isArray(inner)) return undefined;
  return typeof inner === "object" || typeof inner === "string" ? { key, inner } : undefined;
};
