import { isAddressReader, isSink } from "../policy/taint.ts";
import { noLayerScopes } from "../types/layer.ts";
import { isOutcome } from "../types/outcome.ts";
import type { Principal } from "../types/principal.ts";
import { isReadOnly } from "../types/spec.ts";
import { findTool } from "./1-hydrate/find-tool.ts";
import type { CallServices } from "./call-services.ts";

/** Whether no call of this tool can require approval, for any arguments and taints. */
export const isAlwaysAllowed = (services: CallServices, tool: string, principal: Principal): boolean => {
  const found = findTool(services, tool, principal, undefined);
  if (isOutcome(found)) return true;
  if (!isReadOnly(found.tool.spec) || isSink(found.tool) || isAddressReader(found.tool)) return false;
  if (services.policy.settled?.(principal, found)?.effect !== "allow") return false;
  try {
    return services.stackOf(found.tool, noLayerScopes).approvers.length === 0;
  } catch {
    return false;
  }
};
