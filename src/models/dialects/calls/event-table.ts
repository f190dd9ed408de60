import type { Fields } from "./fields.ts";
import type { EventReader } from "./wire-reader.ts";

/** Events that say in one field what they are. Kinds that are not in the table say nothing about calls. */
export const eventTable = (
  field: string,
  table: Readonly<Record<string, (event: Fields) => void>>,
): EventReader => {
  const kinds = new Map<unknown, (event: Fields) => void>(Object.entries(table));
  return { read: (event) => kinds.get(event[field])?.(event) };
};
