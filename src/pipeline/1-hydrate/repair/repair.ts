import { copyJson } from "../../../json/copy-json.ts";
import { type JsonLimits, maxLengthOf } from "../../../json/limits.ts";
import { readJson } from "../../../json/read-json.ts";
import type { PlainSchema } from "../../../schema/plain/plain-schema.ts";
import { toPlainSchema } from "../../../schema/plain/to-plain-schema.ts";
import type { Change } from "../../../words/hydration.ts";
import type { JsonSchema } from "../../../words/json.ts";
import type { Validation } from "../../../words/validator.ts";
import { withoutNulls } from "../without-nulls.ts";
import { Changes } from "./changes.ts";
import { innerArguments } from "./inner-arguments.ts";
import { kinds } from "./kinds.ts";
import { refuseDoubtfulTexts } from "./loose/doubtful-escapes.ts";
import { SchemaPlaces } from "./places.ts";
import { readText } from "./read-text.ts";
import { repairValue } from "./repair-value.ts";
import { type Repairing, RepairRefused, refuse, StepBudget } from "./repairing.ts";
import { sameJson } from "./same-json.ts";

/** Arguments that cannot be used as they came: a text, or a value where there is none. */
export interface BrokenArguments {
  readonly text?: string;
  readonly value?: unknown;
  readonly schema: JsonSchema;
  readonly validate: (value: unknown) => Validation;
  /** The tool's name, which may stand beside arguments that were wrapped up once more. */
  readonly tool?: string;
  readonly nulls?: readonly string[] | undefined;
  readonly limits?: JsonLimits | undefined;
}

export type Repair =
  | {
      readonly ok: true;
      readonly value: unknown;
      readonly transformed?: { readonly value: unknown };
      readonly changes: readonly Change[];
      readonly steps: number;
    }
  | { readonly ok: false; readonly why: string; readonly steps: number };

type Accepted = Extract<Repair, { ok: true }>;

/**
 * Repairs arguments by rules that leave no doubt: once over the text, once over the value, and what comes out has
 * to be valid. Pure, never throws, and its work is bounded by the length of what came.
 */
export const repair = (broken: BrokenArguments): Repair => {
  let steps = new StepBudget(0);
  try {
    const given = broken.text === undefined ? copyOf(broken.value ?? {}, broken.limits) : undefined;
    steps = new StepBudget(broken.text?.length ?? JSON.stringify(given).length);
    const { repairing, value } = read(broken, given, steps);
    return settle(broken, repairing, value);
  } catch (error) {
    const why = error instanceof RepairRefused ? error.message : "it cannot be repaired";
    return { ok: false, why, steps: steps.spent };
  }
};

const read = (
  { text, schema, validate, tool, nulls, limits }: BrokenArguments,
  given: unknown,
  steps: StepBudget,
): { readonly repairing: Repairing; readonly value: unknown } => {
  if (text !== undefined && text.length > maxLengthOf(limits)) refuse("it is too long");
  const places = new SchemaPlaces(plainOf(schema), steps);
  const takesNothing = () => validate({}).ok;
  const repairing: Repairing = { places, steps, changes: new Changes(), limits, tool, takesNothing };
  const value = text === undefined ? given : readArguments(text, repairing);
  const decoded = typeof value === "string" ? decodeRoot(value, repairing) : value;
  if (nulls !== undefined) withoutNulls(decoded, nulls);
  return { repairing, value: decoded };
};

const readArguments = (text: string, repairing: Repairing): unknown => {
  if (text === "") return {};
  repairing.steps.take(text.length);
  const reading = readJson(text, repairing.limits);
  return reading.ok ? reading.value : readText(text, repairing);
};

/** Arguments as a text in a text. */
const decodeRoot = (text: string, repairing: Repairing): unknown => {
  const { places, changes, limits, steps } = repairing;
  if ((places.kinds(places.root) & (kinds.object | kinds.string)) !== kinds.object) return text;
  changes.add("shape", [], JSON.stringify(text.slice(0, 100)), "{…}");
  let inner = text;
  for (let encodings = 1; encodings <= 3; encodings++) {
    steps.take(inner.length);
    const reading = readJson(inner, limits);
    if (!reading.ok) return readText(inner, repairing, encodings);
    refuseDoubtfulTexts(inner);
    if (typeof reading.value !== "string") return reading.value;
    inner = reading.value;
  }
  return refuse("it is encoded too often");
};

/**
 * As it was read, or else repaired, or else out of its wrapping: the one of them that is valid. What nothing was
 * done to is not judged again: as it came it could not be used.
 */
const settle = (broken: BrokenArguments, repairing: Repairing, value: unknown): Repair => {
  const { places, changes } = repairing;
  const asRead = changes.list.length > 0 ? accept(broken, repairing, value) : undefined;
  if (asRead !== undefined) return asRead;
  const wrapped = innerArguments(value, places.names(places.root), broken.tool);
  const inside = { ...repairing, changes: new Changes(changes.list) };
  const before = changes.list.length;
  const candidate = repairValue(value, places.root, repairing);
  const repaired = changes.list.length > before ? accept(broken, repairing, candidate) : undefined;
  if (wrapped === undefined) return repaired ?? refuse("the schema does not say what else it could be");
  inside.changes.add("shape", [], `{${JSON.stringify(wrapped.key)}: …}`, "…");
  const unwrapped = accept(broken, inside, repairValue(wrapped.inner, places.root, inside));
  if (repaired !== undefined && unwrapped !== undefined) refuse("it could be two different values");
  return repaired ?? unwrapped ?? refuse("the schema does not say what else it could be");
};

/** Named arguments, valid, and the same once written and read again: what was read again is what goes on. */
const accept = (
  { validate, limits }: BrokenArguments,
  { changes, steps }: Repairing,
  value: unknown,
): Accepted | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const copy = copyOf(value, limits);
  const text = JSON.stringify(copy);
  steps.take(text.length);
  const again = readJson(text, limits);
  if (!again.ok) return undefined;
  const validation = validate(again.value);
  if (!validation.ok) return undefined;
  // A validator fills defaults into what it is given, so that it takes a third reading to compare.
  const third = readJson(text, limits);
  if (!third.ok || !sameJson(copy, third.value, steps)) return undefined;
  return { ...validation, changes: changes.list, steps: steps.spent };
};

const copyOf = (value: unknown, limits: JsonLimits | undefined): unknown => {
  const copied = copyJson(value, limits);
  return copied.ok ? copied.value : refuse(copied.problem.message);
};

const plain = new WeakMap<JsonSchema, PlainSchema>();

const plainOf = (schema: JsonSchema): PlainSchema => {
  const known = plain.get(schema);
  if (known !== undefined) return known;
  const found = toPlainSchema(schema);
  if (Object.isFrozen(schema)) plain.set(schema, found);
  return found;
};
