import { ConfigurationError, ToolError } from "../types/errors.ts";

/** What is thrown while somebody's options are made sense of is about the options. */
export const toOptionsError = (error: unknown): ToolError =>
  ToolError.is(error)
    ? error
    : new ConfigurationError("invalid_config", error instanceof Error ? error.message : String(error));
