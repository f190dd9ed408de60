import { type ForeignFields, foreignFieldsOf, foreignListOf } from "../calls/foreign-fields.ts";

/** The one answer and its place: others are alternatives to it, in whatever order they stand. */
export const candidateOf = (
  event: ForeignFields,
): { readonly candidate: ForeignFields; readonly place: number } | undefined => {
  const all = foreignListOf(event.candidates).map(foreignFieldsOf);
  // An index of zero may be left out.
  const place = all.findIndex(({ index }) => typeof index !== "number" || index === 0);
  return place < 0 ? undefined : { candidate: all[place]!, place };
};
