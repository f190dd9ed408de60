import { ToolError } from "../../types/errors.ts";
import type { Reply } from "../../types/reply.ts";

/** The model reads the error as a string, so that is the text of the reply. */
export class ReplyError extends ToolError {
  constructor({ failure, text, tool }: Pick<Reply, "failure" | "text" | "tool">) {
    super(failure?.code ?? "approval_required", text, { tool });
  }

  override toString(): string {
    return this.message;
  }
}
