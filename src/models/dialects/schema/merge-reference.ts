import type { JsonSchema } from "../../../types/json.ts";
import type { ReportExportLoss } from "../tool-export.ts";

const annotationKeywords = new Set(["$comment", "default", "deprecated", "description", "examples", "title"]);

/** Conflicting keywords are combined with `allOf`. */
export const mergeReference = (
  target: JsonSchema,
  siblings: JsonSchema,
  pointer: string,
  reportLoss: ReportExportLoss,
): JsonSchema => {
  const twice = Object.keys(siblings).filter((keyword) => target[keyword] !== undefined);
  if (twice.some((keyword) => !annotationKeywords.has(keyword))) return { allOf: [target, siblings] };
  for (const keyword of twice) {
    if (target[keyword] !== siblings[keyword])
      reportLoss(pointer, keyword, "is taken from the reference, not from its target");
  }
  return Object.freeze({ ...target, ...siblings });
};
