import { ConfigurationError, ToolError } from "../words/errors.ts";

/** What is thrown while somebody's options are made sense of is about the options. */
export const toToolError = (error: unknown): ToolError =>
  ToolError.is(error)
    ? error
    : new ConfigurationError("invalid_config", error instanceof Error ? error.message : String(error));
