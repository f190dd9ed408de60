import type { PlainNode } from "../../../schema/plain/plain-schema.ts";
import type { Repairing } from "./repairing.ts";
import type { AskedObject, NearName } from "./shape.ts";

/** An object with more keys that nobody asked for is another object, not a misspelled one. */
const mostUnknown = 20;

const none: ReadonlyMap<string, string> = new Map();

/**
 * Which keys of an object are properties in another writing. Only where the object refuses the key as it stands
 * or lacks the property, and only if a key is near to one property and that property to no other key.
 */
export const misspelledKeys = (
  value: object,
  node: PlainNode,
  { places, steps }: Repairing,
): ReadonlyMap<string, string> => {
  const shape = places.shape(node);
  if (shape === undefined || shape.names.size === 0) return none;
  const unknown: string[] = [];
  for (const key of Object.keys(value)) {
    steps.take(1 + Math.min(key.length, 64));
    if (!shape.names.has(key) && unknown.push(key) > mostUnknown) return none;
  }
  const near = unknown.flatMap((key) => {
    const found = shape.near(key);
    return found === undefined ? [] : [{ key, ...found }];
  });
  const renamed = near.filter(
    ({ name, nearness }) =>
      !Object.hasOwn(value, name) &&
      near.filter((other) => other.name === name).length === 1 &&
      mayMove(shape, { name, nearness }),
  );
  return renamed.length === 0 ? none : new Map(renamed.map(({ key, name }) => [key, name]));
};

/** A key that is legal as it stands may mean itself; it moves only if without it something is missing. */
const mayMove = ({ others, required }: AskedObject, { name, nearness }: NearName): boolean =>
  others === "refused" || (required.has(name) && (nearness === "same" || others === "unsaid"));
