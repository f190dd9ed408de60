import { toPointer } from "../../../json/pointer.ts";
import type { RemoteTool } from "../../../words/mcp.ts";

/** A step of a path; pointers are written only where something is found. */
interface PathStep {
  readonly before: PathStep | undefined;
  readonly step: string | number;
  readonly depth: number;
}

export interface FoundText {
  readonly text: string;
  readonly place: PathStep;
  /** A key is looked at for its characters only. */
  readonly isKey: boolean;
  /** Is read by a machine: a pattern, a reference. */
  readonly isMachine: boolean;
  /** The parameter that the text is about, or is the name of. */
  readonly parameter: string | undefined;
}

interface OpenText {
  readonly value: unknown;
  readonly place: PathStep;
  readonly parameter: string | undefined;
}

const most = 50_000;
const deepest = 500;
const machine = new Set<unknown>([
  "pattern",
  "$ref",
  "$schema",
  "$id",
  "$anchor",
  "$dynamicRef",
  "$dynamicAnchor",
]);

export const pointerTo = (place: PathStep): string => {
  const steps: (string | number)[] = [];
  for (let at: PathStep | undefined = place; at !== undefined; at = at.before) steps.push(at.step);
  return toPointer(steps.reverse());
};

/**
 * Every text of a definition. False when there is more than anybody would look at. It does not recurse: a stranger
 * decides how deep a schema goes.
 */
export const eachText = (tool: RemoteTool, visit: (found: FoundText) => void): boolean => {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const fields = { annotations, outputSchema, inputSchema, description, title, name };
  const open: OpenText[] = Object.entries(fields).map(([step, value]) => ({
    value,
    place: { before: undefined, step, depth: 0 },
    parameter: undefined,
  }));
  let left = most;
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    const { value, place, parameter } = here;
    if (--left < 0 || place.depth > deepest) return false;
    if (typeof value === "string")
      visit({ text: value, place, isKey: false, isMachine: machine.has(place.step), parameter });
    else if (typeof value === "object" && value !== null) left -= openUp(value, here, open, visit);
  }
  return true;
};

const openUp = (
  value: object,
  { place, parameter }: OpenText,
  open: OpenText[],
  visit: (found: FoundText) => void,
): number => {
  const depth = place.depth + 1;
  if (Array.isArray(value)) {
    for (let at = Math.min(value.length, most) - 1; at >= 0; at--)
      open.push({ value: value[at], place: { before: place, step: at, depth }, parameter });
    return value.length > most ? most : 0;
  }
  const isParameters = place.step === "properties" && rootOf(place) === "inputSchema";
  const keys = Object.keys(value);
  for (let at = Math.min(keys.length, most) - 1; at >= 0; at--) {
    const key = keys[at]!;
    const inner = { before: place, step: key, depth };
    const about = isParameters ? key : parameter;
    visit({
      text: key,
      place: inner,
      isKey: true,
      isMachine: false,
      parameter: isParameters ? key : undefined,
    });
    open.push({ value: (value as Record<string, unknown>)[key], place: inner, parameter: about });
  }
  return keys.length > most ? most : 0;
};

const rootOf = (place: PathStep): string | number => {
  let at = place;
  while (at.before !== undefined) at = at.before;
  return at.step;
};
