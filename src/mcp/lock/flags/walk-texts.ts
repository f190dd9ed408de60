import { toPointer } from "../../../base/json/to-pointer.ts";
import type { RemoteTool } from "../../../types/mcp.ts";

interface TextPathStep {
  readonly before: TextPathStep | undefined;
  readonly step: string | number;
  readonly depth: number;
}

export interface DefinitionText {
  readonly text: string;
  readonly place: TextPathStep;
  /** Keys are checked for suspicious characters only. */
  readonly isKey: boolean;
  /** Such as a pattern or a reference. */
  readonly isMachineReadable: boolean;
  readonly parameter: string | undefined;
}

interface PendingText {
  readonly value: unknown;
  readonly place: TextPathStep;
  readonly parameter: string | undefined;
}

const maxTexts = 50_000;
const maxDepth = 500;
const machineKeywords = new Set<unknown>([
  "pattern",
  "$ref",
  "$schema",
  "$id",
  "$anchor",
  "$dynamicRef",
  "$dynamicAnchor",
]);

export const pointerOfPath = (place: TextPathStep): string => {
  const steps: (string | number)[] = [];
  for (let at: TextPathStep | undefined = place; at !== undefined; at = at.before) steps.push(at.step);
  return toPointer(steps.reverse());
};

/** Returns false if the definition is too large. Iterative, because the server controls the depth. */
export const walkTexts = (tool: RemoteTool, visit: (found: DefinitionText) => void): boolean => {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const fields = { annotations, outputSchema, inputSchema, description, title, name };
  const open: PendingText[] = Object.entries(fields).map(([step, value]) => ({
    value,
    place: { before: undefined, step, depth: 0 },
    parameter: undefined,
  }));
  let left = maxTexts;
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    const { value, place, parameter } = here;
    if (--left < 0 || place.depth > maxDepth) return false;
    if (typeof value === "string")
      visit({
        text: value,
        place,
        isKey: false,
        isMachineReadable: machineKeywords.has(place.step),
        parameter,
      });
    else if (typeof value === "object" && value !== null) left -= expandValue(value, here, open, visit);
  }
  return true;
};

const expandValue = (
  value: object,
  { place, parameter }: PendingText,
  open: PendingText[],
  visit: (found: DefinitionText) => void,
): number => {
  const depth = place.depth + 1;
  if (Array.isArray(value)) {
    for (let at = Math.min(value.length, maxTexts) - 1; at >= 0; at--)
      open.push({ value: value[at], place: { before: place, step: at, depth }, parameter });
    return value.length > maxTexts ? maxTexts : 0;
  }
  const isParameters = place.step === "properties" && rootStepOf(place) === "inputSchema";
  const keys = Object.keys(value);
  for (let at = Math.min(keys.length, maxTexts) - 1; at >= 0; at--) {
    const key = keys[at]!;
    const inner = { before: place, step: key, depth };
    const about = isParameters ? key : parameter;
    visit({
      text: key,
      place: inner,
      isKey: true,
      isMachineReadable: false,
      parameter: isParameters ? key : undefined,
    });
    open.push({ value: (value as Record<string, unknown>)[key], place: inner, parameter: about });
  }
  return keys.length > maxTexts ? maxTexts : 0;
};

const rootStepOf = (place: TextPathStep): string | number => {
  let at = place;
  while (at.before !== undefined) at = at.before;
  return at.step;
};
