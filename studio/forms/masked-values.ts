import { createContext } from "react";

/** Masks by JSON pointer. The API replaces an unchanged mask by the original text. */
export const MaskedValuesContext = createContext<ReadonlyMap<string, string>>(new Map());

export const maskedTexts = (value: unknown, pointers: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    pointers.flatMap((pointer) => {
      const text = valueAt(value, pointer);
      return typeof text === "string" ? [[pointer, text] as const] : [];
    }),
  );

/** The original text is not in the page, so it cannot be validated here. */
export const isUnchangedMask = (
  value: unknown,
  pointer: string,
  masked: ReadonlyMap<string, string>,
): boolean => masked.has(pointer) && valueAt(value, pointer) === masked.get(pointer);

export const valueAt = (value: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((found, step) => {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
      return typeof found === "object" && found !== null && Object.hasOwn(found, key)
        ? (found as Readonly<Record<string, unknown>>)[key]
        : undefined;
    }, value);
