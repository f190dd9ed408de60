import { ProtocolError, ProtocolErrorCode, type Result } from "@modelcontextprotocol/server";
import type { Principal } from "../../words/principal.ts";
import { toolResult, toProtocolError } from "../call/call-result.ts";
import type { GatewayState } from "../gateway-state.ts";
import { lostCall, nobody } from "../peers/go-on-elsewhere.ts";
import type { StreamElsewhere } from "./event-store.ts";
import { sessionCallId } from "./session-call-id.ts";

const lookMs = 300;
const aliveMs = 10_000;

export interface ToldAgain {
  readonly gateway: GatewayState;
  readonly session: string;
  readonly principal: Principal;
  readonly stream: StreamElsewhere;
}

/**
 * The stream of a client whose connection to another gateway broke. Its calls are not made again: what came of them is
 * told from the ledger, once it is there, and that nobody knows it where their gateway died with them.
 */
export const toldAgain = (told: ToldAgain): Response => {
  const stop = new AbortController();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const write = (text: string): void => {
        if (!stop.signal.aborted) controller.enqueue(encoder.encode(text));
      };
      write(": what came of it is looked up\n\n");
      const alive = setInterval(() => write(": alive\n\n"), aliveMs).unref();
      const answers = told.stream.requests.map(async ([id, isCall]) => {
        const answer = await answerOf(told, id, isCall, stop.signal);
        write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n\n`);
      });
      void Promise.allSettled(answers).then(() => {
        clearInterval(alive);
        if (!stop.signal.aborted) controller.close();
      });
    },
    cancel: () => stop.abort(),
  });
  const headers = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    "mcp-session-id": told.session,
  };
  return new Response(body, { headers });
};

const answerOf = async (
  { gateway, session, principal, stream }: ToldAgain,
  requestId: unknown,
  isCall: boolean,
  signal: AbortSignal,
): Promise<object> => {
  try {
    if (!isCall) return { result: lostCall(gateway, { method: "", name: "" }) };
    const callId = sessionCallId(session, requestId);
    return { result: await untilRecorded(gateway, { callId, principal, holder: stream.name, signal }) };
  } catch (error) {
    const { code, message, data } = toProtocolError(error, gateway.served.redact);
    return { error: { code, message, ...(data === undefined ? {} : { data }) } };
  }
};

interface Looking {
  readonly callId: string;
  readonly principal: Principal;
  readonly holder: string;
  readonly signal: AbortSignal;
}

const untilRecorded = async (
  gateway: GatewayState,
  { callId, principal, holder, signal }: Looking,
): Promise<Result> => {
  const { served, peers, holdMs } = gateway;
  const until = Date.now() + holdMs;
  while (!signal.aborted && Date.now() < until) {
    // Asked before the ledger is: one that is gone writes nothing more.
    const isGone = (await peers?.isGone(holder)) !== false;
    const found = (await served.recorded?.(callId, principal)) ?? { kind: "none" };
    if (found.kind === "over") {
      const { reply } = found;
      return toolResult(reply, nobody(), served.redact, served.isRemote?.(reply.tool) === true);
    }
    // Nothing of it is on record, and nothing can come any more: it was not made.
    if (found.kind === "none" && isGone) throw notMade();
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
  return lostCall(gateway, { method: "tools/call", name: "" });
};

const notMade = () =>
  new ProtocolError(
    ProtocolErrorCode.InternalError,
    "The gateway ended before it made the call. It was not made: ask once more.",
  );
