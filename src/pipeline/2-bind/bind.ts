import { textOfThrown } from "../../text/thrown-text.ts";
import type { Run } from "../../words/call.ts";
import { failed } from "../../words/outcome.ts";
import type { AnyTool } from "../../words/tool.ts";
import { type BoundCall, type HydratedCall, type Stopped, stopped } from "../call-state.ts";

/** Binding is a property of the tool, so it is done once; a tool that is dropped drops its code too. */
const bound = new WeakMap<AnyTool, Run>();

/** Chooses the code that answers. After this, nobody asks of what kind it is. */
export const bind = (call: HydratedCall): BoundCall | Stopped => {
  const { tool } = call.registration;
  let run = bound.get(tool);
  if (run === undefined) {
    try {
      run = tool.implementation.bind(tool.spec) as Run;
    } catch (cause) {
      return notBound(call, cause);
    }
    if (typeof run !== "function") return notBound(call, `bind returned ${typeof run}, not a function`);
    bound.set(tool, run);
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

const notBound = (call: HydratedCall, cause: unknown): Stopped =>
  stopped(
    call,
    failed({
      code: "not_bound",
      tool: call.registration.key,
      message: `The tool "${call.registration.key}" has no implementation that can answer it.`,
      detail: textOfThrown(cause),
      cause,
    }),
  );
