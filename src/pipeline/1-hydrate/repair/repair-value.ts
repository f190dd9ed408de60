import { maxDepthOf } from "../../../base/json/json-problem.ts";
import { readJson } from "../../../base/json/read-json.ts";
import type { PlainNode } from "../../../base/schema/plain/plain-schema.ts";
import type { ExpectedObject, NearName } from "./expected-object.ts";
import { jsonKindBits, jsonKindOf } from "./json-kinds.ts";
import { LooseReader } from "./loose/loose-reader.ts";
import { jsonSpaceEnd } from "./loose/loose-space.ts";
import { toNumber } from "./loose/loose-token.ts";
import { refuseDoubtfulTexts } from "./loose/refuse-doubtful-escapes.ts";
import { maxEncodings } from "./read-object-in-text.ts";
import { type RepairContext, RepairRefusal, refuseRepair } from "./repair-context.ts";

type JsonPath = (string | number)[];

const booleanLiterals: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
]);

/** Decodes strings only where the schema does not accept a string, and corrects misspelled keys. */
export const repairValue = (
  value: unknown,
  node: PlainNode,
  repairing: RepairContext,
  path: JsonPath = [],
): unknown => {
  repairing.steps.take(1);
  if (path.length > maxDepthOf(repairing.limits)) refuseRepair("it is nested too deeply");
  if (typeof value === "string") return repairText(value, node, repairing, path);
  if (typeof value !== "object" || value === null) return value;
  if ((repairing.places.kinds(node) & jsonKindOf(value)) === 0) return value;
  if (Array.isArray(value)) {
    return value.map((item, index) => {
      path.push(index);
      const repaired = repairValue(item, repairing.places.item(node, index), repairing, path);
      path.pop();
      return repaired;
    });
  }
  const renamed = findMisspelledKeys(value, node, repairing);
  const repaired: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const name = renamed.get(key) ?? key;
    path.push(name);
    if (name !== key) repairing.changes.add("key", path, key, name);
    repaired[name] = repairValue(member, repairing.places.member(node, name), repairing, path);
    path.pop();
  }
  return repaired;
};

const repairText = (text: string, node: PlainNode, repairing: RepairContext, path: JsonPath): unknown => {
  const accepts = repairing.places.kinds(node);
  if ((accepts & jsonKindBits.string) !== 0) return text;
  const scalar = toScalar(text, accepts);
  if (scalar !== undefined) {
    repairing.changes.add("value", path, JSON.stringify(text), JSON.stringify(scalar));
    return scalar;
  }
  if ((accepts & (jsonKindBits.object | jsonKindBits.array)) === 0) return text;
  const inner = decodeText(text, node, repairing, path);
  if (inner === undefined || (jsonKindOf(inner) & accepts) === 0) return text;
  repairing.changes.add("shape", path, JSON.stringify(text.slice(0, 100)), abbreviateJson(inner));
  return repairValue(inner, node, repairing, path);
};

const toScalar = (text: string, accepts: number): boolean | number | undefined =>
  (accepts & jsonKindBits.boolean) !== 0 && booleanLiterals.has(text)
    ? booleanLiterals.get(text)
    : toNumber(text, accepts);

const decodeText = (text: string, node: PlainNode, repairing: RepairContext, path: JsonPath): unknown => {
  let inner = text;
  for (let encodings = 0; encodings < maxEncodings; encodings++) {
    const start = jsonSpaceEnd(inner, 0);
    repairing.steps.take(2 * inner.length + 1);
    if (start === inner.length || !'{["'.includes(inner[start]!)) return undefined;
    const reading = readJson(inner, repairing.limits);
    if (!reading.ok) return decodeLoosely(inner, start, node, repairing, path);
    refuseDoubtfulTexts(inner);
    if (typeof reading.value !== "string") return reading.value;
    inner = reading.value;
  }
  return undefined;
};

const decodeLoosely = (
  text: string,
  start: number,
  node: PlainNode,
  repairing: RepairContext,
  path: JsonPath,
): unknown => {
  if (text[start] === '"') return undefined;
  const { list } = repairing.changes;
  const before = list.length;
  const reader = new LooseReader(text, start, repairing, { allowsBareText: false, isDecoded: true });
  try {
    const value = reader.read(node, path);
    if (jsonSpaceEnd(text, reader.end) === text.length) return value;
  } catch (error) {
    if (!(error instanceof RepairRefusal)) throw error;
  }
  list.length = before;
  return undefined;
};

const abbreviateJson = (value: unknown): string => (Array.isArray(value) ? "[…]" : "{…}");

/** An object with more unknown keys is a different object. */
const maxUnknownKeys = 20;

const noRenames: ReadonlyMap<string, string> = new Map();

/**
 * A key is renamed only if the object rejects it or lacks the property, and if the match is unique in both
 * directions.
 */
const findMisspelledKeys = (
  value: object,
  node: PlainNode,
  { places, steps }: RepairContext,
): ReadonlyMap<string, string> => {
  const shape = places.shape(node);
  if (shape === undefined || shape.names.size === 0) return noRenames;
  const unknown: string[] = [];
  for (const key of Object.keys(value)) {
    steps.take(1 + Math.min(key.length, 64));
    if (!shape.names.has(key) && unknown.push(key) > maxUnknownKeys) return noRenames;
  }
  const near = unknown.flatMap((key) => {
    const found = shape.near(key);
    return found === undefined ? [] : [{ key, ...found }];
  });
  const renamed = near.filter(
    ({ name, nearness }) =>
      !Object.hasOwn(value, name) &&
      near.filter((other) => other.name === name).length === 1 &&
      canRename(shape, { name, nearness }),
  );
  return renamed.length === 0 ? noRenames : new Map(renamed.map(({ key, name }) => [key, name]));
};

const canRename = ({ others, required }: ExpectedObject, { name, nearness }: NearName): boolean =>
  others === "refused" || (required.has(name) && (nearness === "same" || others === "unsaid"));
