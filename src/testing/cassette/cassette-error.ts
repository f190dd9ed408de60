import { ToolError } from "../../types/errors.ts";

/** What was called is not what is on the tape. */
export class CassetteError extends ToolError {
  override readonly _tag = "CassetteError";

  constructor(message: string) {
    super("failed", message, { retryable: false });
    this.name = "CassetteError";
  }
}
