import { isObject } from "../../../base/json/is-object.ts";

/** Foreign JSON of which nothing is known yet. */
export type ForeignFields = { readonly [name: string]: unknown };

const noFields: ForeignFields = Object.freeze({});
const emptyList: readonly unknown[] = Object.freeze([]);
/** The object, or one without fields: what a vendor left out or wrote as something else says nothing. */
export const foreignFieldsOf = (value: unknown): ForeignFields => (isObject(value) ? value : noFields);

export const foreignListOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : emptyList;

/** Vendors write "" and null where they repeat nothing, so neither is a text. */
export const foreignTextOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

export const toIndex = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
