import { shorten } from "../../../base/text/cut-text.ts";
import { ToolError } from "../../../types/errors.ts";
import type { RemoteResult } from "../../../types/mcp.ts";
import { failed, type Outcome } from "../../../types/outcome.ts";
import type { ToolQuarantine } from "./tool-link.ts";

const maxErrorTextLength = 4_000;

export const sessionFailureOutcome = (error: unknown, tool: string): Outcome => {
  if (ToolError.is(error)) return failed({ ...error.failure, tool, cause: error });
  const detail = error instanceof Error ? error.message : String(error);
  return failed({
    code: "crashed",
    tool,
    ran: true,
    message: `The tool "${tool}" failed.`,
    detail,
    cause: error,
  });
};

export const toolErrorOutcome = (result: RemoteResult, tool: string): Outcome => {
  const words = errorTextOf(result);
  const said = words === "" ? "its server gives no details" : words;
  return failed({
    code: "failed",
    tool,
    ran: true,
    retryable: false,
    message: `The tool "${tool}" failed: ${said}`,
  });
};

/** Removes terminal control characters. */
const errorTextOf = ({ content, structuredContent }: RemoteResult): string => {
  let words = "";
  for (const block of Array.isArray(content) ? content : []) {
    if (block?.type !== "text" || typeof block.text !== "string") continue;
    words += `${words === "" ? "" : "\n"}${block.text.slice(0, maxErrorTextLength + 1)}`;
    if (words.length > maxErrorTextLength) break;
  }
  if (words === "" && structuredContent !== undefined) words = JSON.stringify(structuredContent) ?? "";
  const plain = words.slice(0, maxErrorTextLength + 1).replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}]/gu, " ");
  return plain.length > maxErrorTextLength ? shorten(plain, maxErrorTextLength) : plain.trim();
};

export const quarantinedPageOutcome = (reason: string, tool: string): Outcome =>
  failed({
    code: "definition_changed",
    tool,
    ran: true,
    message: "The page of this app is quarantined, so it is not shown. An operator must review it first.",
    detail: reason,
  });

/** The reason quotes untrusted server text, so only operators see it. */
export const quarantinedToolOutcome = ({ reason, isApprovable }: ToolQuarantine, tool: string): Outcome => {
  const why = isApprovable ? "an operator must review its definition first" : "its definition cannot be used";
  return failed({
    code: "definition_changed",
    tool,
    ran: false,
    message: `The tool "${tool}" is quarantined, so it was not called: ${why}.`,
    detail: reason,
  });
};
