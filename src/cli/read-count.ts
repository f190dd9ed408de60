import { CommandUsageError } from "./command-usage-error.ts";

/** A whole number of an option, or nothing where it was not given. */
export const readCount = (name: string, text: string | undefined, minimum = 0): number | undefined => {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (Number.isInteger(count) && count >= minimum && text.trim() !== "") return count;
  throw new CommandUsageError(
    `--${name} takes a whole number${minimum > 0 ? ` from ${minimum} on` : ""}; "${text}" is none.`,
  );
};
