import { createContext } from "react";

/**
 * Secrets that the page was shown as masks, by JSON pointer, each with the text it was shown as. A form keeps or replaces
 * such a value as a whole: where it is kept, the API puts the exact text back.
 */
export const MaskedPlaces = createContext<ReadonlyMap<string, string>>(new Map());

/** The masked texts of a value. Pointers that lead nowhere are passed over. */
export const maskedTexts = (value: unknown, pointers: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    pointers.flatMap((pointer) => {
      const text = at(value, pointer);
      return typeof text === "string" ? [[pointer, text] as const] : [];
    }),
  );

/** Whether a value still has the mask that it was shown with. Nothing can be said about the text behind it. */
export const isKept = (value: unknown, pointer: string, masked: ReadonlyMap<string, string>): boolean =>
  masked.has(pointer) && at(value, pointer) === masked.get(pointer);

const at = (value: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .reduce<unknown>((found, step) => {
      const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
      return typeof found === "object" && found !== null && Object.hasOwn(found, key)
        ? (found as Readonly<Record<string, unknown>>)[key]
        : undefined;
    }, value);
