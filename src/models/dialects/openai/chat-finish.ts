import { type Fields, fieldsOf, listOf } from "../calls/fields.ts";

/** Reasons by OpenAI and those who speak its dialect that mean the reply broke off. */
const cuts: ReadonlySet<unknown> = new Set([
  "length",
  "max_tokens",
  "model_length",
  "content_filter",
  "insufficient_system_resource",
  "error",
]);

export const isCut = (reason: unknown): boolean => cuts.has(reason);

/** The one answer: others are alternatives to it. Some vendors spread it over choices without an index. */
export const choicesOf = (body: Fields): readonly Fields[] => placedChoicesOf(body).map(([choice]) => choice);

/** The same, each with its place in the list. */
export const placedChoicesOf = (body: Fields): readonly (readonly [Fields, number])[] =>
  listOf(body.choices)
    .map((choice, place) => [fieldsOf(choice), place] as const)
    .filter(([{ index }]) => typeof index !== "number" || index === 0);
