import { ToolExecutionError } from "../../types/errors.ts";

/** An input that satisfies its schema but cannot become a request. Nothing was sent, and the same input never will be. */
export const unsendableInputError = (message: string, pointer = ""): ToolExecutionError =>
  new ToolExecutionError("failed", message, {
    ran: false,
    retryable: false,
    issues: [{ pointer, message }],
  });
