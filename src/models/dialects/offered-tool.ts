import type { ToolSpec } from "../../types/spec.ts";

/** One tool of an offer: its spec, and the name this model calls it by. */
export interface OfferedTool {
  readonly wireName: string;
  readonly spec: ToolSpec;
  /** To be shown to the model only by its provider's own search. */
  readonly deferred?: true;
}
