import type { RunCounters } from "../types/call.ts";
import type { Principal } from "../types/principal.ts";
import type { Registration } from "../types/tool.ts";

export interface PolicyRequest {
  readonly principal: Principal | undefined;
  readonly registration: Registration;
  readonly input: unknown;
  readonly validated: boolean;
  readonly repaired?: boolean | undefined;
  /** Undefined for a single call. */
  readonly tally?: RunCounters | undefined;
}

export const isTainted = ({ tally }: PolicyRequest): boolean =>
  tally !== undefined && tally.taints.length > 0;
