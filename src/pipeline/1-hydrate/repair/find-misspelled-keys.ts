import type { PlainNode } from "../../../base/schema/plain/plain-schema.ts";
import type { ExpectedObject, NearName } from "./expected-object.ts";
import type { RepairContext } from "./repair-context.ts";

/** An object with more keys that nobody asked for is another object, not a misspelled one. */
const maxUnknownKeys = 20;

const noRenames: ReadonlyMap<string, string> = new Map();

/**
 * Which keys of an object are properties in another writing. Only where the object refuses the key as it stands
 * or lacks the property, and only if a key is near to one property and that property to no other key.
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

/** A key that is legal as it stands may mean itself; it moves only if without it something is missing. */
const canRename = ({ others, required }: ExpectedObject, { name, nearness }: NearName): boolean =>
  others === "refused" || (required.has(name) && (nearness === "same" || others === "unsaid"));
