import { isObject } from "../../../base/json/json-value.ts";
import type { SlicePaths } from "../../../base/json/raw-slices.ts";
import type { CallDrafts } from "./call-drafts.ts";

export type ForeignFields = { readonly [name: string]: unknown };

const noFields: ForeignFields = Object.freeze({});
const emptyList: readonly unknown[] = Object.freeze([]);
export const foreignFieldsOf = (value: unknown): ForeignFields => (isObject(value) ? value : noFields);

export const foreignListOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : emptyList;

/** Vendors also send "" and null for missing text. */
export const foreignTextOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

export const toIndex = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

export interface EventReader {
  readonly read: (event: ForeignFields) => void;
  /** The stream sent `[DONE]`. */
  readonly done?: () => void;
}

export interface WireReader {
  readonly body: (drafts: CallDrafts, body: ForeignFields) => void;
  readonly events: (drafts: CallDrafts) => EventReader;
  /** Arguments that the vendor sends as objects. */
  readonly argumentPaths?: SlicePaths;
}

export const eventTable = (
  field: string,
  table: Readonly<Record<string, (event: ForeignFields) => void>>,
): EventReader => {
  const kinds = new Map<unknown, (event: ForeignFields) => void>(Object.entries(table));
  return { read: (event) => kinds.get(event[field])?.(event) };
};
