import type { Result } from "@modelcontextprotocol/server";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { callCancelledError, runtimeClosedError } from "../../../runtime/run-in-runtime.ts";
import { CurrentMcpCaller } from "../../../types/mcp.ts";
import type { Reply } from "../../../types/outcome.ts";
import type { Principal } from "../../../types/principal.ts";
import { toProtocolError, toRequestResult, toToolResult } from "../../gateway/call/call-result.ts";
import { LiveCall } from "../../gateway/call/live-call.ts";
import type { AppResource, AppResult } from "../schemas/apps.ts";
import type { StudioServices } from "../studio-services.ts";

/** Apps expect the result as the server sent it. Secrets are masked. */
export interface ServerResultCall {
  readonly callId: string;
  readonly reply: Reply;
  readonly result: () => AppResult;
  /** Throws if reading failed. */
  readonly resource: () => AppResource;
}

export interface ServerCallOptions {
  readonly principal: Principal;
  readonly operator: string;
  readonly signal: AbortSignal;
}

/** If a layer replaced the result, Apps get the replacement. */
export const callWithServerResult = async (
  { shared, redactor }: StudioServices,
  tool: string,
  input: unknown,
  { principal, operator, signal }: ServerCallOptions,
): Promise<ServerResultCall> => {
  if (shared.closed) throw runtimeClosedError(tool);
  const live = new LiveCall({
    principal,
    subject: tool,
    capabilities: {},
    waitsForTasks: true,
    mayBeTask: false,
    logLevel: undefined,
    ask: () => Promise.reject(new Error("Apps cannot request input from the user.")),
  });
  const callId = live.newId();
  const turn = shared.tools.turn([{ id: callId, tool, input }], { principal, operator });
  const fiber = Effect.runForkWith(shared.tools.context)(
    Effect.provideService(turn, CurrentMcpCaller, live.caller),
    { signal },
  );
  shared.inFlight.add(fiber);
  const exit = await new Promise<Exit.Exit<readonly Reply[], unknown>>((resolve) => {
    fiber.addObserver(resolve);
  }).finally(() => shared.inFlight.delete(fiber));
  if (!Exit.isSuccess(exit)) throw callCancelledError(tool);
  const reply = exit.value[0]!;
  const readOrError = (read: () => Result): Result => {
    try {
      return read();
    } catch (error) {
      const { message } = toProtocolError(error, redactor.text);
      return { content: [{ type: "text", text: message }], isError: true };
    }
  };
  return {
    callId,
    reply,
    result: () => readOrError(() => toToolResult(reply, live, redactor.text, true)) as unknown as AppResult,
    resource: () => toRequestResult(reply, live, redactor.text) as unknown as AppResource,
  };
};
