import type { ToolSpec } from "../../types/spec.ts";

export interface OfferedTool {
  readonly wireName: string;
  readonly spec: ToolSpec;
  /** Shown only by the provider's tool search. */
  readonly deferred?: true;
}
