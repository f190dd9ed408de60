import * as Duration from "effect/Duration";
import { ToolDefinitionError } from "../types/errors.ts";
import type { KeyScope } from "../types/ledger.ts";
import type { EffectKey } from "../types/tool.ts";
import type { KeyDefinition } from "./tool-definition.ts";

export const keyScopes: readonly KeyScope[] = ["tenant", "user", "agent", "global"];

const defaultRetention = "30 days";

/** Its fields were checked before. */
export const readEffectKey = (
  given: KeyDefinition<never> | undefined,
  name: string,
): EffectKey | undefined => {
  if (given === undefined) return undefined;
  const {
    of,
    scope = "tenant",
    retention = defaultRetention,
  } = typeof given === "function" ? { of: given } : given;
  if (typeof of !== "function") throw invalid(name, "has a `key` without `of: (input) => …`");
  const retentionMs = toMillis(retention);
  if (retentionMs === undefined || !(retentionMs > 0) || !Number.isSafeInteger(Math.ceil(retentionMs))) {
    throw invalid(
      name,
      'has a `key.retention` that is not a duration; write "30 days" or a number of milliseconds',
    );
  }
  return Object.freeze({ of: of as EffectKey["of"], scope, retentionMs });
};

const toMillis = (retention: Duration.Input): number | undefined => {
  try {
    return Duration.toMillis(retention);
  } catch {
    return undefined;
  }
};

const invalid = (name: string, why: string): ToolDefinitionError =>
  new ToolDefinitionError("invalid_definition", `The tool "${name}" ${why}.`, { tool: name });
