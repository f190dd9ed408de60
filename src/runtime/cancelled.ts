import { ToolCancelledError } from "../words/errors.ts";

export const closed = (tool: string): ToolCancelledError =>
  new ToolCancelledError("cancelled", `The runtime is closed: "${tool}" was not called.`, { tool });

export const cancelled = (tool: string): ToolCancelledError =>
  new ToolCancelledError("cancelled", `The call of "${tool}" was cancelled.`, { tool });
