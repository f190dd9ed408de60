import type { RunCounters } from "../types/call.ts";
import type { Principal } from "../types/principal.ts";
import type { Registration } from "../types/tool.ts";

export interface PolicyRequest {
  readonly principal: Principal | undefined;
  readonly registration: Registration;
  readonly input: unknown;
  /** Whether the input was held against the tool's schema and passed. */
  readonly validated: boolean;
  /** The arguments were repaired on the way, so they may not be what was meant. */
  readonly repaired?: boolean | undefined;
  /** What the run has come to. A call on its own has spent nothing and read nothing. */
  readonly tally?: RunCounters | undefined;
}

export const isTainted = ({ tally }: PolicyRequest): boolean =>
  tally !== undefined && tally.taints.length > 0;
