import * as Cause from "effect/Cause";
import * as Exit from "effect/Exit";
import { ToolCancelledError } from "../types/errors.ts";

export const runtimeClosedError = (tool: string): ToolCancelledError =>
  new ToolCancelledError("cancelled", `The runtime is closed: "${tool}" was not called.`, { tool });

export const callCancelledError = (tool: string): ToolCancelledError =>
  new ToolCancelledError("cancelled", `The call of "${tool}" was cancelled.`, { tool });

export const valueOrThrow = <A, E>(exit: Exit.Exit<A, E>): A => {
  if (Exit.isSuccess(exit)) return exit.value;
  throw Cause.squash(exit.cause);
};

export const valueOrCancelled =
  (tool: string) =>
  <A, E>(exit: Exit.Exit<A, E>): A => {
    if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) throw callCancelledError(tool);
    return valueOrThrow(exit);
  };
