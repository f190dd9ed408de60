import * as Cause from "effect/Cause";
import { ToolError } from "../../types/errors.ts";
import { type Failure, isFailure, stageOf } from "../../types/failure.ts";

/** Never throws, even for hostile error objects. */
export const toFailure = (cause: Cause.Cause<unknown>, tool: string): Failure => {
  const reason = cause.reasons.find((each) => Cause.isFailReason(each) || Cause.isDieReason(each));
  if (reason === undefined) {
    return { code: "cancelled", tool, ran: true, message: `The call of "${tool}" was cancelled.` };
  }
  if (Cause.isFailReason(reason)) return errorToFailure(reason.error, tool);
  return crashedFailure(tool, (reason as Cause.Die).defect);
};

export const crashedFailure = (tool: string, defect: unknown): Failure => ({
  code: "crashed",
  tool,
  ran: true,
  message: `The tool "${tool}" broke.`,
  detail: readErrorMessage(defect),
  cause: defect,
});

/** Keeps the code of run-stage failures; failures of other stages belong to calls that the tool made. */
const errorToFailure = (error: unknown, tool: string): Failure => {
  const failure = tryRead(() => (ToolError.is(error) ? error.failure : undefined));
  if (isFailure(failure) && stageOf(failure) === "run") {
    return { ...failure, tool, ran: failure.ran ?? true, cause: error };
  }
  const retryAfterMs = tryRead(() => (error as { readonly retryAfterMs?: unknown } | null)?.retryAfterMs);
  return {
    code: "failed",
    tool,
    ran: true,
    message: `The tool "${tool}" failed: ${readErrorMessage(error)}`,
    ...(typeof retryAfterMs === "number" ? { retryAfterMs } : {}),
    cause: error,
  };
};

const tryRead = <A>(read: () => A): A | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

const readErrorMessage = (error: unknown): string => {
  const said = tryRead(() => {
    const { message, _tag } = (error ?? {}) as { readonly message?: unknown; readonly _tag?: unknown };
    if (typeof message === "string" && message !== "") return message;
    return typeof _tag === "string" ? _tag : undefined;
  });
  return said ?? tryRead(() => String(error)) ?? "an error that cannot be read";
};
