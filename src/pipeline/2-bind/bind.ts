import { thrownMessage } from "../../base/text/thrown-message.ts";
import type { ToolFunction } from "../../types/call.ts";
import { failed } from "../../types/outcome.ts";
import type { AnyTool } from "../../types/tool.ts";
import { type BoundCall, type HydratedCall, type StoppedCall, stopCall } from "../call-state.ts";

const boundRuns = new WeakMap<AnyTool, ToolFunction>();

/** Stage 2. Later stages do not depend on the kind of implementation. */
export const bindCall = (call: HydratedCall): BoundCall | StoppedCall => {
  const { tool } = call.registration;
  let run = boundRuns.get(tool);
  if (run === undefined) {
    try {
      run = tool.implementation.bind(tool.spec) as ToolFunction;
    } catch (cause) {
      return notBoundOutcome(call, cause);
    }
    if (typeof run !== "function")
      return notBoundOutcome(call, `bind returned ${typeof run}, not a function`);
    boundRuns.set(tool, run);
  }
  return {
    request: call.request,
    parent: call.parent,
    onReply: call.onReply,
    recorder: call.recorder,
    principal: call.principal,
    clock: call.clock,
    startedAt: call.startedAt,
    ledgerError: call.ledgerError,
    registration: call.registration,
    provenance: call.provenance,
    spec: call.spec,
    input: call.input,
    transformed: call.transformed,
    isRevised: call.isRevised,
    validated: call.validated,
    run,
  };
};

const notBoundOutcome = (call: HydratedCall, cause: unknown): StoppedCall =>
  stopCall(
    call,
    failed({
      code: "not_bound",
      tool: call.registration.key,
      message: `The tool "${call.registration.key}" has no implementation that can run it.`,
      detail: thrownMessage(cause),
      cause,
    }),
  );
