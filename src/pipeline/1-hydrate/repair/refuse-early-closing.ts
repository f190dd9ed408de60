import type { PlainNode } from "../../../base/schema/plain/plain-schema.ts";
import { type RepairContext, refuseRepair } from "./repair-context.ts";

const noNames: ReadonlySet<string> = new Set();

/**
 * A bracket too many at the end may be one that closed something too early: then the members behind a nested
 * value belong into it. They do not if only the outer object knows them. Gives every name that is known inside.
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
    // Such keys come first whatever their order was.
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
