import type { ForeignFields } from "./foreign-fields.ts";
import type { EventReader } from "./wire-reader.ts";

/** Events that say in one field what they are. Kinds that are not in the table say nothing about calls. */
export const eventTable = (
  field: string,
  table: Readonly<Record<string, (event: ForeignFields) => void>>,
): EventReader => {
  const kinds = new Map<unknown, (event: ForeignFields) => void>(Object.entries(table));
  return { read: (event) => kinds.get(event[field])?.(event) };
};
