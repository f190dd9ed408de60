import { ConfigurationError } from "../../types/errors.ts";
import { checkOverride, type OperationOverride } from "./describe-operation.ts";
import type { OpenApiOperation, ParsedOperation } from "./operation.ts";

/** Overrides for operations, by unique `operationId`, by method and path, or as a function. */
export type OpenApiOverride =
  | Readonly<Record<string, OperationOverride>>
  | ((operation: OpenApiOperation) => OperationOverride | undefined);

/** Method and path take precedence over an id. A key that matches nothing is refused. */
export const overrideFinder = (
  operations: readonly ParsedOperation[],
  override: OpenApiOverride = {},
): ((operation: ParsedOperation) => OperationOverride) => {
  if (typeof override === "function")
    return (operation) => checkOverride(override(operation) ?? {}, operation.label);
  const keys = Object.keys(override);
  if (keys.length === 0) return () => ({});
  const labels = new Set(operations.map(({ label }) => label));
  const ids = Map.groupBy(operations, ({ id }) => id);
  for (const key of keys) if (!labels.has(key)) checkId(key, ids.get(key) ?? []);
  const at = (key: string, label: string): OperationOverride =>
    Object.hasOwn(override, key) ? checkOverride(override[key]!, label) : {};
  return ({ id, label }) => ({
    ...(id === undefined || labels.has(id) ? {} : at(id, label)),
    ...at(label, label),
  });
};

const checkId = (key: string, named: readonly ParsedOperation[]): void => {
  if (named.length === 1) return;
  const shown = JSON.stringify(key.slice(0, 200));
  const labels = named.slice(0, 3).map(({ label }) => JSON.stringify(label.slice(0, 200)));
  throw new ConfigurationError(
    "invalid_config",
    named.length === 0
      ? `\`override\` names ${shown}, but no operation of the document has this id, or this method and path.`
      : `\`override\` names ${shown}, which is the id of ${named.length} operations. Identify each by method and path: ${labels.join(", ")}.`,
  );
};
