import { ToolError } from "../../types/errors.ts";
import type { Reply } from "../../types/reply.ts";

/** A call without a result, as a tool of the AI SDK throws it: the model reads it as text, name and all, so the text is the reply's. */
export class ReplyError extends ToolError {
  constructor({ failure, text, tool }: Pick<Reply, "failure" | "text" | "tool">) {
    super(failure?.code ?? "approval_required", text, { tool });
  }

  override toString(): string {
    return this.message;
  }
}
