import { type ForeignFields, foreignFieldsOf, foreignListOf } from "../calls/read-untyped-fields.ts";

/** The first candidate; others are alternatives. */
export const candidateOf = (
  event: ForeignFields,
): { readonly candidate: ForeignFields; readonly place: number } | undefined => {
  const all = foreignListOf(event.candidates).map(foreignFieldsOf);
  // An index of 0 may be omitted.
  const place = all.findIndex(({ index }) => typeof index !== "number" || index === 0);
  return place < 0 ? undefined : { candidate: all[place]!, place };
};
