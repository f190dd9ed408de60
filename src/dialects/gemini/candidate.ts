import { type Fields, fieldsOf, listOf } from "../calls/fields.ts";

/** The one answer: others are alternatives to it, in whatever order they stand. An index of zero may be left out. */
export const candidateOf = (event: Fields): Fields | undefined =>
  listOf(event.candidates)
    .map(fieldsOf)
    .find(({ index }) => typeof index !== "number" || index === 0);
