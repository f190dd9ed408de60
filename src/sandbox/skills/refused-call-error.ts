import { ToolExecutionError } from "../../types/errors.ts";

/** The call had no effect, and retrying it fails again. */
export const refusedCallError = (message: string): ToolExecutionError =>
  new ToolExecutionError("failed", message, { ran: false, retryable: false });
