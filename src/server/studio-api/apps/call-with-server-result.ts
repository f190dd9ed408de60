import type { Result } from "@modelcontextprotocol/server";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { plainResult, toolResult, toProtocolError } from "../../gateway/call/call-result.ts";
import { LiveCall } from "../../gateway/call/live-call.ts";
import { cancelled, closed } from "../../runtime/cancelled.ts";
import { CurrentCaller } from "../../words/mcp.ts";
import type { Principal } from "../../words/principal.ts";
import type { Reply } from "../../words/reply.ts";
import type { AppResource, AppResult } from "../words/apps.ts";
import type { StudioWorld } from "../world.ts";

/** A call of a server's tool, and its result as the server gave it, which Apps are written for; secrets are masked in both. */
export interface HeardCall {
  readonly callId: string;
  readonly reply: Reply;
  readonly result: () => AppResult;
  /** Of a resource that was read. Throws where it could not be. */
  readonly resource: () => AppResource;
}

export interface HeardAs {
  readonly principal: Principal;
  readonly correlationId: string;
  readonly signal: AbortSignal;
}

/** Down the corridor like every call. What comes back is the server's own words only where no layer put others in their place. */
export const heardCall = async (
  { shared, redactor }: StudioWorld,
  tool: string,
  input: unknown,
  { principal, correlationId, signal }: HeardAs,
): Promise<HeardCall> => {
  if (shared.closed) throw closed(tool);
  const live = new LiveCall({
    principal,
    subject: tool,
    capabilities: {},
    waitsForTasks: true,
    mayBeTask: false,
    logLevel: undefined,
    ask: () => Promise.reject(new Error("Nobody is asked for an App.")),
  });
  const callId = live.newId();
  const turn = shared.tools.turn([{ id: callId, tool, input }], { principal, correlationId });
  const fiber = Effect.runForkWith(shared.tools.context)(
    Effect.provideService(turn, CurrentCaller, live.caller),
    { signal },
  );
  shared.inFlight.add(fiber);
  const exit = await new Promise<Exit.Exit<readonly Reply[], unknown>>((resolve) => {
    fiber.addObserver(resolve);
  }).finally(() => shared.inFlight.delete(fiber));
  if (!Exit.isSuccess(exit)) throw cancelled(tool);
  const reply = exit.value[0]!;
  const told = (read: () => Result): Result => {
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
    result: () => told(() => toolResult(reply, live, redactor.text, true)) as unknown as AppResult,
    resource: () => plainResult(reply, live, redactor.text) as unknown as AppResource,
  };
};
