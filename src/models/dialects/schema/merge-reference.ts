import type { JsonSchema } from "../../words/json.ts";
import type { NoteLoss } from "../export.ts";

const annotations = new Set(["$comment", "default", "deprecated", "description", "examples", "title"]);

/** Target and reference both hold, so where both set one keyword they stand side by side. */
export const mergeReference = (
  target: JsonSchema,
  beside: JsonSchema,
  pointer: string,
  note: NoteLoss,
): JsonSchema => {
  const twice = Object.keys(beside).filter((keyword) => target[keyword] !== undefined);
  if (twice.some((keyword) => !annotations.has(keyword))) return { allOf: [target, beside] };
  for (const keyword of twice) {
    if (target[keyword] !== beside[keyword])
      note(pointer, keyword, "is what the reference says, not its target");
  }
  return Object.freeze({ ...target, ...beside });
};
