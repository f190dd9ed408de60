import { isObject } from "../../../base/json/is-object.ts";

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
