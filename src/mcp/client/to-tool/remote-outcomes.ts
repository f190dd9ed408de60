import { shorten } from "../../../text/cut-text.ts";
import { ToolError } from "../../../words/errors.ts";
import type { RemoteResult } from "../../../words/mcp.ts";
import { failed, type Outcome } from "../../../words/outcome.ts";
import type { HeldBack } from "./link.ts";

const longest = 4_000;

/** Whatever a session rejects with is a ToolError; its code is kept, also one of another stage. */
export const toFailed = (error: unknown, tool: string): Outcome => {
  if (ToolError.is(error)) return failed({ ...error.failure, tool, cause: error });
  const detail = error instanceof Error ? error.message : String(error);
  return failed({
    code: "crashed",
    tool,
    ran: true,
    message: `The tool "${tool}" broke.`,
    detail,
    cause: error,
  });
};

/** The server answered, and says that its tool failed: in its words, which are for the model. */
export const saidError = (result: RemoteResult, tool: string): Outcome => {
  const words = wordsOf(result);
  const said = words === "" ? "its server says no more than that" : words;
  return failed({
    code: "failed",
    tool,
    ran: true,
    retryable: false,
    message: `The tool "${tool}" failed: ${said}`,
  });
};

/** Never more than a message carries, and without the signs that a terminal obeys. */
const wordsOf = ({ content, structuredContent }: RemoteResult): string => {
  let words = "";
  for (const block of Array.isArray(content) ? content : []) {
    if (block?.type !== "text" || typeof block.text !== "string") continue;
    words += `${words === "" ? "" : "\n"}${block.text.slice(0, longest + 1)}`;
    if (words.length > longest) break;
  }
  if (words === "" && structuredContent !== undefined) words = JSON.stringify(structuredContent) ?? "";
  const plain = words.slice(0, longest + 1).replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}]/gu, " ");
  return plain.length > longest ? shorten(plain, longest) : plain.trim();
};

/** A page that was read and is not handed on. */
export const pageHeldBack = (reason: string, tool: string): Outcome =>
  failed({
    code: "definition_changed",
    tool,
    ran: true,
    message:
      "The page of this app is held back: nobody has agreed to it as it is now. `haft lock --diff` shows an operator what is to be reviewed, and `haft lock` approves it.",
    detail: reason,
  });

/** The reason quotes the server, often the very words it is held back for: it is for operators, not for a model. */
export const heldBack = ({ reason, isApprovable }: HeldBack, tool: string): Outcome => {
  const why = isApprovable
    ? "nobody has agreed to its definition as it is now. `haft lock --diff` shows an operator what is to be reviewed, and `haft lock` approves it"
    : "its definition cannot be used as it is";
  return failed({
    code: "definition_changed",
    tool,
    ran: false,
    message: `The tool "${tool}" is held back, so it was not called: ${why}.`,
    detail: reason,
  });
};
