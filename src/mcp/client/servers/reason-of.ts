import { ToolError } from "../../../words/errors.ts";
import { foreignWords } from "../transport/foreign-words.ts";

/** What went wrong, as part of a sentence for an operator. */
export const reasonOf = (error: unknown): string => {
  const said = ToolError.is(error) ? error.failure.message : error instanceof Error ? error.message : error;
  const reason = foreignWords(said, 400).replace(/\.$/, "");
  const isGone = ToolError.is(error) && error.code === "mcp_unreachable";
  const words = isGone ? lastWords(error.failure.detail) : undefined;
  return words === undefined ? reason : `${reason}; its last words: ${words}`;
};

/** Of a child that died: what it said to its operator, secrets masked. */
const lastWords = (detail: string | undefined): string | undefined => {
  const line = detail?.trimEnd().split("\n").at(-1);
  return line === undefined || line === "" ? undefined : foreignWords(line, 200);
};
