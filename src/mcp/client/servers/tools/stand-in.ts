import * as Effect from "effect/Effect";
import { tool } from "../../../../tools/tool.ts";
import type { CallContext } from "../../../../types/call.ts";
import type { AnyTool, Implementation } from "../../../../types/tool.ts";
import { quarantinedToolOutcome } from "../../to-tool/call-remote.ts";
import { connectionLayer, type ToolQuarantine } from "../../to-tool/tool-link.ts";

const uncheckedQuarantine: ToolQuarantine = { reason: "it has not been reviewed", isApprovable: true };

/** Replaces an unreviewed tool. It is never offered and contains no text of the server. */
export const createStandInTool = (
  name: string,
  serverId: string,
  quarantineOf: () => ToolQuarantine | undefined,
): AnyTool => {
  const run = (_: unknown, context: CallContext) =>
    Effect.sync(() => quarantinedToolOutcome(quarantineOf() ?? uncheckedQuarantine, context.tool));
  const implementation: Implementation = Object.freeze({ _tag: "mcp", provesNotRun: true, bind: () => run });
  return tool({
    name,
    description: `A tool of the server "${serverId}" that is quarantined.`,
    input: { type: "object" },
    risk: "low",
    source: "mcp",
    annotations: { readOnly: true, openWorld: false },
    implementation,
    layers: [connectionLayer(() => false)],
  }) as AnyTool;
};
