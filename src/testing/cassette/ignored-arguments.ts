import { canonicalJson } from "../../json/canonical-json.ts";
import { hashJson } from "../../json/hash.ts";
import { ConfigurationError } from "../../words/errors.ts";

type PathSteps = readonly string[];

/** JSON pointers into arguments, with `*` for every item or member. */
export const readIgnore = (ignore: readonly string[]): readonly PathSteps[] => {
  if (!Array.isArray(ignore)) throw refused(ignore);
  return ignore.map((pointer) => {
    if (typeof pointer !== "string" || !pointer.startsWith("/")) throw refused(pointer);
    return pointer
      .slice(1)
      .split("/")
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  });
};

const refused = (given: unknown): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `\`ignore\` holds ${JSON.stringify(given)}; it takes JSON pointers into the arguments, such as ["/requestId", "/items/*/at"].`,
  );

/** The arguments with sorted keys and with `put` in place of what is ignored; `undefined` leaves it out. */
export const withoutIgnored = (value: unknown, ignore: readonly PathSteps[], put?: string): unknown => {
  const copy: unknown = JSON.parse(canonicalJson(value ?? null));
  for (const steps of ignore) replaceAt(copy, steps, put);
  return copy;
};

export const hashWithout = (value: unknown, ignore: readonly PathSteps[]): string =>
  hashJson(withoutIgnored(value, ignore));

const replaceAt = (within: unknown, [step, ...rest]: PathSteps, put: string | undefined): void => {
  if (typeof within !== "object" || within === null || step === undefined) return;
  const parent = within as Record<string, unknown>;
  for (const key of step === "*" ? Object.keys(parent) : [step]) {
    if (!Object.hasOwn(parent, key)) continue;
    if (rest.length > 0) replaceAt(parent[key], rest, put);
    // An item that went would move those behind it.
    else if (put === undefined && !Array.isArray(parent)) delete parent[key];
    else parent[key] = put ?? null;
  }
};
