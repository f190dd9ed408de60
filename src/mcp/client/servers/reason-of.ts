import { ToolError } from "../../../types/errors.ts";
import { sanitizeUntrustedText } from "../transport/sanitize-foreign-text.ts";

export const errorReason = (error: unknown): string => {
  const said = ToolError.is(error) ? error.failure.message : error instanceof Error ? error.message : error;
  const reason = sanitizeUntrustedText(said, 400).replace(/\.$/, "");
  const isGone = ToolError.is(error) && error.code === "mcp_unreachable";
  const words = isGone ? lastStderrLine(error.failure.detail) : undefined;
  return words === undefined ? reason : `${reason}; its last output: ${words}`;
};

const lastStderrLine = (detail: string | undefined): string | undefined => {
  const line = detail?.trimEnd().split("\n").at(-1);
  return line === undefined || line === "" ? undefined : sanitizeUntrustedText(line, 200);
};
