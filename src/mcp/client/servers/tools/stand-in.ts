import * as Effect from "effect/Effect";
import { tool } from "../../../../tool/tool.ts";
import type { CallContext } from "../../../../words/call.ts";
import type { AnyTool, Implementation } from "../../../../words/tool.ts";
import { heldBack } from "../../to-tool/failures.ts";
import { gate } from "../../to-tool/gate.ts";
import type { HeldBack } from "../../to-tool/link.ts";

const unseen: HeldBack = { reason: "nobody has looked at it yet", isApprovable: true };

/**
 * Stands where a tool would be that nobody has looked at. It is never offered, has no word of the server in it, and
 * whatever it is called with, the answer is why the tool is held back.
 */
export const standIn = (name: string, serverId: string, held: () => HeldBack | undefined): AnyTool => {
  const run = (_: unknown, context: CallContext) =>
    Effect.sync(() => heldBack(held() ?? unseen, context.tool));
  const implementation: Implementation = Object.freeze({ _tag: "mcp", provesNotRun: true, bind: () => run });
  return tool({
    name,
    description: `A tool of the server "${serverId}" that is held back.`,
    input: { type: "object" },
    risk: "low",
    source: "mcp",
    annotations: { readOnly: true, openWorld: false },
    implementation,
    layers: [gate(() => false)],
  }) as AnyTool;
};
