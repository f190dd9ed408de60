import { createContext } from "react";

/**
 * Secrets that the page was shown as masks, by JSON pointer, each with the text it was shown as. A form keeps or replaces
 * such a value as a whole: where it is kept, the API puts the exact text back.
 */
export const MaskedValuesContext = createContext<ReadonlyMap<string, string>>(new Map());

/** The masked texts of a value. Pointers that lead nowhere are passed over. */
export const maskedTexts = (value: unknown, pointers: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    pointers.flatMap((pointer) => {
      const text = valueAt(value, pointer);
      return typeof text === "string" ? [[pointer, text] as const] : [];
    }),
  );

/** Whether a value still has the mask that it was shown with. Nothing can be said about the text behind it. */
export const isUnchangedMask = (
  value: unknown,
  pointer: string,
  masked: ReadonlyMap<string, string>,
): boolean => masked.has(pointer) && valueAt(value, pointer) === masked.get(pointer);

/** The member of a value that a JSON pointer names. */
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
