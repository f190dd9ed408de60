import { ProtocolError, ProtocolErrorCode, type Result } from "@modelcontextprotocol/server";
import type { Principal } from "../../../types/principal.ts";
import { toProtocolError, toToolResult } from "../call/call-result.ts";
import type { GatewayState } from "../gateway-state.ts";
import { createDetachedCall, lostCallResult } from "../peers/resume-on-peer.ts";
import type { RemoteStream } from "./event-store.ts";
import { sessionCallId } from "./session-call-id.ts";

/** Grows while the call runs. */
const minPollMs = 300;
const maxPollMs = 5_000;
/** After this, the call was not started by this session. */
const maxUnknownPolls = 5;
const keepAliveMs = 10_000;

export interface ReplayStreamOptions {
  readonly gateway: GatewayState;
  readonly session: string;
  readonly principal: Principal;
  readonly stream: RemoteStream;
}

/** Resumes a stream of a gateway that is gone: reports recorded results and never repeats calls. */
export const replayStream = (options: ReplayStreamOptions): Response => {
  const stop = new AbortController();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const write = (text: string): void => {
        if (!stop.signal.aborted) controller.enqueue(encoder.encode(text));
      };
      write(": looking up the results\n\n");
      const keepAliveTimer = setInterval(() => write(": alive\n\n"), keepAliveMs).unref();
      const answers = options.stream.requests.map(async ([id, isCall]) => {
        const answer = await replayedResponseOf(options, id, isCall, stop.signal);
        write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n\n`);
      });
      void Promise.allSettled(answers).then(() => {
        clearInterval(keepAliveTimer);
        if (!stop.signal.aborted) controller.close();
      });
    },
    cancel: () => stop.abort(),
  });
  const headers = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-cache, no-transform",
    "mcp-session-id": options.session,
  };
  return new Response(body, { headers });
};

const replayedResponseOf = async (
  { gateway, session, principal, stream }: ReplayStreamOptions,
  requestId: unknown,
  isCall: boolean,
  signal: AbortSignal,
): Promise<object> => {
  try {
    if (!isCall) return { result: lostCallResult(gateway, { method: "", name: "" }) };
    const callId = sessionCallId(session, requestId);
    return { result: await waitForRecordedCall(gateway, { callId, principal, holder: stream.name, signal }) };
  } catch (error) {
    const { code, message, data } = toProtocolError(error, gateway.backend.redact);
    return { error: { code, message, ...(data === undefined ? {} : { data }) } };
  }
};

interface RecordedCallQuery {
  readonly callId: string;
  readonly principal: Principal;
  readonly holder: string;
  readonly signal: AbortSignal;
}

const waitForRecordedCall = async (
  gateway: GatewayState,
  { callId, principal, holder, signal }: RecordedCallQuery,
): Promise<Result> => {
  const { backend, peers, holdMs } = gateway;
  const until = Date.now() + holdMs;
  let pauseMs = minPollMs;
  for (let polls = 1; !signal.aborted && Date.now() < until; polls += 1) {
    // Checked first: a gateway that is gone writes nothing later.
    const isGone = (await peers?.isGone(holder)) !== false;
    const found = (await backend.recorded?.(callId, principal)) ?? { kind: "none" };
    if (found.kind === "over") {
      const { reply } = found;
      return toToolResult(
        reply,
        createDetachedCall(),
        backend.redact,
        backend.isRemote?.(reply.tool) === true,
      );
    }
    // Neither an entry nor a gateway: the call cannot have run.
    if (found.kind === "none" && isGone) throw callNotStartedError();
    if (found.kind === "none" && polls >= maxUnknownPolls) break;
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(resolve, pauseMs);
    await promise;
    pauseMs = Math.min(pauseMs * 1.5, maxPollMs);
  }
  return lostCallResult(gateway, { method: "tools/call", name: "" });
};

const callNotStartedError = () =>
  new ProtocolError(
    ProtocolErrorCode.InternalError,
    "The gateway stopped before it started the call, so the call did not run. Call again.",
  );
