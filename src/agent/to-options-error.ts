import { ConfigurationError, ToolError } from "../types/errors.ts";

export const toOptionsError = (error: unknown): ToolError =>
  ToolError.is(error)
    ? error
    : new ConfigurationError("invalid_config", error instanceof Error ? error.message : String(error));
