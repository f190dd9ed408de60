import { isObject } from "../../json/is-object.ts";

/** Foreign JSON of which nothing is known yet. */
export type Fields = { readonly [name: string]: unknown };

const none: Fields = Object.freeze({});
const empty: readonly unknown[] = Object.freeze([]);
/** The object, or one without fields: what a vendor left out or wrote as something else says nothing. */
export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : none);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : empty);

/** Vendors write "" and null where they repeat nothing, so neither is a text. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

export const placeOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
