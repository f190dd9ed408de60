import type { PlainNode } from "../../../define/schema/plain/plain-schema.ts";
import { isNearKey } from "./near-key.ts";
import type { Repairing } from "./repairing.ts";

/** So many names are compared with each other, and no more. */
const mostNames = 100;

const none: ReadonlyMap<string, string> = new Map();

/**
 * Which keys of an object are misspelled properties. Only where the schema refuses the object as it is, and only
 * if a key is near to one property and that property to no other key.
 */
export const misspelledKeys = (
  value: object,
  node: PlainNode,
  { places, steps }: Repairing,
): ReadonlyMap<string, string> => {
  const shape = places.shape(node);
  if (shape === undefined || shape.names.size > mostNames) return none;
  const keys = Object.keys(value);
  steps.take(keys.length);
  const unknown = keys.filter((key) => !shape.names.has(key));
  if (unknown.length === 0 || unknown.length > 20) return none;
  steps.take(unknown.length * shape.names.size);
  const near = unknown.map((key) => [...shape.names].filter((name) => isNearKey(key, name)));
  const renamed = new Map<string, string>();
  unknown.forEach((key, index) => {
    const [name, ...others] = near[index]!;
    if (name === undefined || others.length > 0 || Object.hasOwn(value, name)) return;
    if (near.some((names, other) => other !== index && names.includes(name))) return;
    if (shape.isClosed || shape.required.has(name)) renamed.set(key, name);
  });
  return renamed;
};
