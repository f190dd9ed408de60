import { type ForeignFields, foreignFieldsOf, foreignListOf } from "../calls/foreign-fields.ts";

/** Reasons by OpenAI and those who speak its dialect that mean the reply broke off. */
const truncationReasons: ReadonlySet<unknown> = new Set([
  "length",
  "max_tokens",
  "model_length",
  "content_filter",
  "insufficient_system_resource",
  "error",
]);

export const isChatTruncation = (reason: unknown): boolean => truncationReasons.has(reason);

/** The one answer: others are alternatives to it. Some vendors spread it over choices without an index. */
export const choicesOf = (body: ForeignFields): readonly ForeignFields[] =>
  indexedChoicesOf(body).map(([choice]) => choice);

/** The same, each with its place in the list. */
export const indexedChoicesOf = (body: ForeignFields): readonly (readonly [ForeignFields, number])[] =>
  foreignListOf(body.choices)
    .map((choice, place) => [foreignFieldsOf(choice), place] as const)
    .filter(([{ index }]) => typeof index !== "number" || index === 0);
