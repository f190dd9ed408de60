import { ToolExecutionError } from "../../types/errors.ts";

/** Nothing was sent, and a retry will not help. */
export const unsendableInputError = (message: string, pointer = ""): ToolExecutionError =>
  new ToolExecutionError("failed", message, {
    ran: false,
    retryable: false,
    issues: [{ pointer, message }],
  });
