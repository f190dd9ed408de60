import { type ForeignFields, foreignFieldsOf, foreignListOf } from "../calls/read-untyped-fields.ts";

const truncationReasons: ReadonlySet<unknown> = new Set([
  "length",
  "max_tokens",
  "model_length",
  "content_filter",
  "insufficient_system_resource",
  "error",
]);

export const isChatTruncation = (reason: unknown): boolean => truncationReasons.has(reason);

/** Some vendors spread one answer over choices without an index. */
export const choicesOf = (body: ForeignFields): readonly ForeignFields[] =>
  indexedChoicesOf(body).map(([choice]) => choice);

export const indexedChoicesOf = (body: ForeignFields): readonly (readonly [ForeignFields, number])[] =>
  foreignListOf(body.choices)
    .map((choice, place) => [foreignFieldsOf(choice), place] as const)
    .filter(([{ index }]) => typeof index !== "number" || index === 0);
