import * as Duration from "effect/Duration";
import { ConfigurationError } from "../../types/errors.ts";

export const readMillis = (option: string, input: Duration.Input, min = 1): number => {
  let millis = Number.NaN;
  try {
    millis = Duration.toMillis(Duration.fromInputUnsafe(input));
  } catch {}
  if (millis >= min) return millis;
  throw new ConfigurationError(
    "invalid_config",
    `${option} is ${JSON.stringify(input)}; it must be a duration of at least ${min} ms, such as "5 seconds" or 5000.`,
  );
};

export const readCount = (option: string, input: number, min: number): number => {
  if (Number.isSafeInteger(input) && input >= min) return input;
  throw new ConfigurationError(
    "invalid_config",
    `${option} is ${JSON.stringify(input)}; it must be a whole number of at least ${min}.`,
  );
};

export const readFleetScopeName = (
  layer: string,
  { scope = "process", name }: { readonly scope?: unknown; readonly name?: unknown },
): string | undefined => {
  const refuse = (why: string): never => {
    throw new ConfigurationError("invalid_config", `${layer} ${why}`);
  };
  if (scope === "process") {
    return name === undefined ? undefined : refuse('has a `name`, which is only used with scope "fleet".');
  }
  if (scope !== "fleet") return refuse(`scope is ${JSON.stringify(scope)}; it must be "process" or "fleet".`);
  if (typeof name === "string" && /^[\w.:/-]{1,100}$/.test(name)) return name;
  return refuse(
    'across a fleet needs a `name` of letters, digits and . : / _ -, such as "crm": processes that use the same name share it.',
  );
};
