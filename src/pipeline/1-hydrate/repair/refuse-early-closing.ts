import type { PlainNode } from "../../../base/schema/plain/plain-schema.ts";
import { type RepairContext, refuseRepair } from "./repair-context.ts";

const noNames: ReadonlySet<string> = new Set();

/**
 * A surplus closing bracket may belong to a value that was closed too early, so members after a nested value
 * must be declared by the outer object only.
 */
export const refuseEarlyClosing = (
  value: unknown,
  node: PlainNode,
  repairing: RepairContext,
): ReadonlySet<string> => {
  const { places, steps } = repairing;
  steps.take(1);
  if (typeof value !== "object" || value === null) return noNames;
  const isList = Array.isArray(value);
  const names = isList ? noNames : places.names(node);
  const inside = new Set<string>();
  let isBehind = false;
  for (const [key, member] of Object.entries(value)) {
    // Integer keys come first in JavaScript objects, so their position is unknown.
    if (!isList && /^\d+$/.test(key)) refuseRepair("a bracket is closed too often");
    if (!isList && isBehind && (!names.has(key) || inside.has(key)))
      refuseRepair("a bracket is closed too early");
    if (typeof member !== "object" || member === null) continue;
    isBehind = true;
    const place = isList ? places.item(node, Number(key)) : places.member(node, key);
    const known = refuseEarlyClosing(member, place, repairing);
    steps.take(known.size);
    for (const name of known) inside.add(name);
  }
  steps.take(names.size);
  return new Set([...names, ...inside]);
};
