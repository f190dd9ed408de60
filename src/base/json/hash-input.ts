import { hashJson, hashText } from "./hash.ts";
import { stringifyValue } from "./stringify-value.ts";

/** Falls back to the printed text if the arguments are not JSON. */
export const hashInput = (input: unknown): string => {
  try {
    return hashJson(input);
  } catch {
    return hashText(stringifyValue(input));
  }
};
