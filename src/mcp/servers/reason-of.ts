import { ToolError } from "../../words/errors.ts";
import { foreignWords } from "../transport/foreign-words.ts";

/** What went wrong, as part of a sentence for an operator. */
export const reasonOf = (error: unknown): string => {
  const said = ToolError.is(error) ? error.failure.message : error instanceof Error ? error.message : error;
  return foreignWords(said, 400).replace(/\.$/, "");
};
