import { type Fields, fieldsOf, listOf } from "../calls/fields.ts";

/** The one answer and its place: others are alternatives to it, in whatever order they stand. */
export const candidateOf = (
  event: Fields,
): { readonly candidate: Fields; readonly place: number } | undefined => {
  const all = listOf(event.candidates).map(fieldsOf);
  // An index of zero may be left out.
  const place = all.findIndex(({ index }) => typeof index !== "number" || index === 0);
  return place < 0 ? undefined : { candidate: all[place]!, place };
};
