import { ToolExecutionError } from "../../types/errors.ts";

/** A call that was refused before anything was done. The same call will be refused again. */
export const refusedCallError = (message: string): ToolExecutionError =>
  new ToolExecutionError("failed", message, { ran: false, retryable: false });
