import { Misuse } from "./misuse.ts";

/** A whole number of an option, or nothing where it was not given. */
export const readCount = (name: string, text: string | undefined, least = 0): number | undefined => {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (Number.isInteger(count) && count >= least && text.trim() !== "") return count;
  throw new Misuse(
    `--${name} takes a whole number${least > 0 ? ` from ${least} on` : ""}; "${text}" is none.`,
  );
};
