import type { ForeignFields } from "./read-untyped-fields.ts";
import type { EventReader } from "./wire-reader.ts";

export const eventTable = (
  field: string,
  table: Readonly<Record<string, (event: ForeignFields) => void>>,
): EventReader => {
  const kinds = new Map<unknown, (event: ForeignFields) => void>(Object.entries(table));
  return { read: (event) => kinds.get(event[field])?.(event) };
};
