import * as Duration from "effect/Duration";
import { ConfigurationError } from "../words/errors.ts";

/** A duration as milliseconds. A layer that is told nonsense refuses when it is made, not when it is used. */
export const readMillis = (option: string, input: Duration.Input, least = 1): number => {
  let millis = Number.NaN;
  try {
    millis = Duration.toMillis(Duration.fromInputUnsafe(input));
  } catch {
    // Not a duration: refused below with the sentence that says what is one.
  }
  if (millis >= least) return millis;
  throw new ConfigurationError(
    "invalid_config",
    `${option} is ${JSON.stringify(input)}; it takes a duration of at least ${least} ms, such as "5 seconds" or 5000.`,
  );
};

export const readCount = (option: string, input: number, least: number): number => {
  if (Number.isSafeInteger(input) && input >= least) return input;
  throw new ConfigurationError(
    "invalid_config",
    `${option} is ${JSON.stringify(input)}; it takes a whole number of at least ${least}.`,
  );
};
