import { ToolError } from "../../types/errors.ts";

/** The calls differ from the cassette. */
export class CassetteError extends ToolError {
  override readonly _tag = "CassetteError";

  constructor(message: string) {
    super("failed", message, { retryable: false });
    this.name = "CassetteError";
  }
}
