import { canonicalJson, hashJson } from "../../base/json/canonical-json.ts";
import { ConfigurationError } from "../../types/errors.ts";

type PointerSteps = readonly string[];

export const parseIgnorePointers = (ignore: readonly string[]): readonly PointerSteps[] => {
  if (!Array.isArray(ignore)) throw ignorePointersError(ignore);
  return ignore.map((pointer) => {
    if (typeof pointer !== "string" || !pointer.startsWith("/")) throw ignorePointersError(pointer);
    return pointer
      .slice(1)
      .split("/")
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  });
};

const ignorePointersError = (given: unknown): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `\`ignore\` holds ${JSON.stringify(given)}; it must be a list of JSON pointers into the arguments, such as ["/requestId", "/items/*/at"].`,
  );

/** Without a placeholder, ignored arguments are removed. */
export const withoutIgnored = (
  value: unknown,
  ignore: readonly PointerSteps[],
  placeholder?: string,
): unknown => {
  const copy: unknown = JSON.parse(canonicalJson(value ?? null));
  for (const steps of ignore) replaceAt(copy, steps, placeholder);
  return copy;
};

export const hashWithoutIgnored = (value: unknown, ignore: readonly PointerSteps[]): string =>
  hashJson(withoutIgnored(value, ignore));

const replaceAt = (within: unknown, [step, ...rest]: PointerSteps, placeholder: string | undefined): void => {
  if (typeof within !== "object" || within === null || step === undefined) return;
  const parent = within as Record<string, unknown>;
  for (const key of step === "*" ? Object.keys(parent) : [step]) {
    if (!Object.hasOwn(parent, key)) continue;
    if (rest.length > 0) replaceAt(parent[key], rest, placeholder);
    // Removing an item would shift those after it.
    else if (placeholder === undefined && !Array.isArray(parent)) delete parent[key];
    else parent[key] = placeholder ?? null;
  }
};
