import { maxDepthOf } from "../../../json/limits.ts";
import { readJson } from "../../../json/read-json.ts";
import type { PlainNode } from "../../../schema/plain/plain-schema.ts";
import { kindOf, kinds } from "./kinds.ts";
import { refuseDoubtfulTexts } from "./loose/doubtful-escapes.ts";
import { LooseReader } from "./loose/loose-reader.ts";
import { plainSpaceEnd } from "./loose/loose-space.ts";
import { toNumber } from "./loose/loose-token.ts";
import { mostEncodings } from "./read-text.ts";
import { misspelledKeys } from "./repair-keys.ts";
import { type Repairing, RepairRefused, refuse } from "./repairing.ts";

/** Where the walk is: one list for all of it, longer on the way in and shorter on the way out. */
type JsonPath = (string | number)[];

const booleans: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
]);

/**
 * The value with each text decoded that stands where the schema takes no text, and misspelled keys put right.
 * A text is never touched where one is accepted.
 */
export const repairValue = (
  value: unknown,
  node: PlainNode,
  repairing: Repairing,
  path: JsonPath = [],
): unknown => {
  repairing.steps.take(1);
  if (path.length > maxDepthOf(repairing.limits)) refuse("it is nested too deeply");
  if (typeof value === "string") return repairText(value, node, repairing, path);
  if (typeof value !== "object" || value === null) return value;
  if ((repairing.places.kinds(node) & kindOf(value)) === 0) return value;
  if (Array.isArray(value)) {
    return value.map((item, index) => {
      path.push(index);
      const repaired = repairValue(item, repairing.places.item(node, index), repairing, path);
      path.pop();
      return repaired;
    });
  }
  const renamed = misspelledKeys(value, node, repairing);
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

const repairText = (text: string, node: PlainNode, repairing: Repairing, path: JsonPath): unknown => {
  const accepts = repairing.places.kinds(node);
  if ((accepts & kinds.string) !== 0) return text;
  const scalar = toScalar(text, accepts);
  if (scalar !== undefined) {
    repairing.changes.add("value", path, JSON.stringify(text), JSON.stringify(scalar));
    return scalar;
  }
  if ((accepts & (kinds.object | kinds.array)) === 0) return text;
  const inner = decode(text, node, repairing, path);
  if (inner === undefined || (kindOf(inner) & accepts) === 0) return text;
  repairing.changes.add("shape", path, JSON.stringify(text.slice(0, 100)), shownJson(inner));
  return repairValue(inner, node, repairing, path);
};

const toScalar = (text: string, accepts: number): boolean | number | undefined =>
  (accepts & kinds.boolean) !== 0 && booleans.has(text) ? booleans.get(text) : toNumber(text, accepts);

/** The object or list that a text holds and nothing else. Undefined if there is none, or if there is doubt. */
const decode = (text: string, node: PlainNode, repairing: Repairing, path: JsonPath): unknown => {
  let inner = text;
  for (let encodings = 0; encodings < mostEncodings; encodings++) {
    const start = plainSpaceEnd(inner, 0);
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
  repairing: Repairing,
  path: JsonPath,
): unknown => {
  if (text[start] === '"') return undefined;
  const { list } = repairing.changes;
  const before = list.length;
  const reader = new LooseReader(text, start, repairing, { allowsBareText: false, isDecoded: true });
  try {
    const value = reader.read(node, path);
    if (plainSpaceEnd(text, reader.end) === text.length) return value;
  } catch (error) {
    if (!(error instanceof RepairRefused)) throw error;
  }
  list.length = before;
  return undefined;
};

/** No more of it than is shown. */
const shownJson = (value: unknown): string => (Array.isArray(value) ? "[…]" : "{…}");
