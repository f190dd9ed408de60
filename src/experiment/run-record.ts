import type { RunRecord, ToolUse } from "./result.ts";

/** A journal is a file, and anybody may have written to it. */
export const isRunRecord = (value: unknown): value is RunRecord => {
  if (!isObject(value)) return false;
  const { arm, input, repetition, success, status, reason, latencyMs, usage, turns, tools, scores, answer } =
    value;
  return (
    [arm, input, status, answer].every((text) => typeof text === "string") &&
    (reason === undefined || typeof reason === "string") &&
    typeof success === "boolean" &&
    Number.isSafeInteger(repetition) &&
    (repetition as number) >= 1 &&
    (latencyMs === null || isAmount(latencyMs)) &&
    (turns === null || isAmount(turns)) &&
    (usage === null || (isObject(usage) && isAmount(usage.inputTokens) && isAmount(usage.outputTokens))) &&
    Array.isArray(tools) &&
    tools.every(isToolUse) &&
    isObject(scores) &&
    Object.values(scores).every((score) => Number.isFinite(score))
  );
};

const isToolUse = (value: unknown): value is ToolUse =>
  isObject(value) && typeof value.name === "string" && isAmount(value.calls) && isAmount(value.failures);

const isAmount = (value: unknown): value is number => Number.isFinite(value) && (value as number) >= 0;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
