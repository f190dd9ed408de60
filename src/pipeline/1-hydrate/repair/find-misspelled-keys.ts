import type { PlainNode } from "../../../base/schema/plain/plain-schema.ts";
import type { ExpectedObject, NearName } from "./expected-object.ts";
import type { RepairContext } from "./repair-context.ts";

/** An object with more unknown keys is a different object. */
const maxUnknownKeys = 20;

const noRenames: ReadonlyMap<string, string> = new Map();

/**
 * A key is renamed only if the object rejects it or lacks the property, and if the match is unique in both
 * directions.
 */
export const findMisspelledKeys = (
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
