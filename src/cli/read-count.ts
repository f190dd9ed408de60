import { CommandUsageError } from "./command-usage-error.ts";

export const readCount = (
  name: string,
  text: string | undefined,
  minimum = 0,
  maximum = Number.MAX_SAFE_INTEGER,
): number | undefined => {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (Number.isInteger(count) && count >= minimum && count <= maximum && text.trim() !== "") return count;
  throw new CommandUsageError(
    `--${name} must be a whole number${rangeText(minimum, maximum)}, not "${text}".`,
  );
};

const rangeText = (minimum: number, maximum: number): string => {
  if (maximum < Number.MAX_SAFE_INTEGER) return ` from ${minimum} to ${maximum}`;
  return minimum > 0 ? ` of at least ${minimum}` : "";
};
