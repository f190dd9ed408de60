import { isJSONRPCRequest, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/server";
import type { HoldSlot } from "../../gateway/client-connection.ts";
import { errorResponse } from "../../gateway/wire/malformed-message.ts";
import { kindOfMessage } from "../../gateway/wire/message-kind.ts";
import { cancelledId, duplicateIdError } from "../../gateway/wire/open-requests.ts";
import { trackClientRequests } from "../../gateway/wire/pending-client-requests.ts";
import type { AdmittedMessage, SocketContext, SocketMessageInfo, SocketRejection } from "../host-options.ts";

interface SocketControl {
  readonly close: (code: number, reason: string) => void;
  readonly pause: () => void;
  readonly resume: () => void;
}

interface MalformedAwareTransport extends Transport {
  onmalformed?: (answer: JSONRPCMessage) => void;
}

export interface GuardedTransport {
  readonly transport: Transport;
  readonly hold: HoldSlot;
}

type QueuedMessage =
  | { readonly kind: "message"; readonly message: JSONRPCMessage; readonly extra: unknown }
  | { readonly kind: "malformed"; readonly answer: JSONRPCMessage };

interface OpenSocketRequest {
  readonly answered: (status: number) => void;
  readonly hold: AdmittedMessage["hold"];
}

/** As in nginx: the client closed early. */
const clientClosedRequestStatus = 499;
/** Above this, reading pauses. */
const maxQueuedMessages = 16;
/** Close frames have at most 125 bytes. */
const maxCloseReasonBytes = 120;

const badRequestStatus = 400;

const ignoreHold = (): void => {};

const methodOf = (message: JSONRPCMessage): string => ("method" in message ? message.method : "response");

/** JSON-RPC has one code for server errors. */
const toErrorMessage = (message: JSONRPCMessage, refused: SocketRejection): JSONRPCMessage => {
  const { status, error, message: why, retryAfterSec } = refused;
  const data = { status, error, ...(retryAfterSec === undefined ? {} : { retryAfterSec }) };
  const id = isJSONRPCRequest(message) ? message.id : null;
  return { jsonrpc: "2.0", id, error: { code: -32_000, message: why, data } } as unknown as JSONRPCMessage;
};

/**
 * Applies the checks of HTTP requests to every message. If the caller is no longer valid, the socket closes
 * after its running calls.
 */
export const guardTransport = (
  inner: MalformedAwareTransport,
  context: SocketContext,
  control: SocketControl,
): GuardedTransport => {
  const open = new Map<unknown, OpenSocketRequest>();
  const clientRequests = trackClientRequests();
  /** Without streams. */
  const calls = new Set<unknown>();
  const queue: QueuedMessage[] = [];
  let isAdmitting = false;
  let isClosed = false;
  let ending: SocketRejection | undefined;
  let drainTimer: NodeJS.Timeout | undefined;

  const answered = (id: unknown, status: number): void => {
    const request = open.get(id);
    if (request === undefined) return;
    open.delete(id);
    calls.delete(id);
    request.answered(status);
    if (ending !== undefined && calls.size === 0) finish(ending);
  };
  const outer: Transport = {
    start: () => inner.start(),
    close: () => inner.close(),
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    send: async (message, options) => {
      clientRequests.onSend(message);
      try {
        await inner.send(message, options);
      } finally {
        if (!("method" in message)) answered(message.id, 200);
      }
    },
  };

  const finish = ({ closeCode = 1000, message }: SocketRejection): void => {
    clearTimeout(drainTimer);
    control.close(closeCode, Buffer.from(message).subarray(0, maxCloseReasonBytes).toString());
  };
  const end = (why: SocketRejection): void => {
    if (ending !== undefined) return;
    ending = why;
    if (calls.size === 0) finish(why);
    else drainTimer = setTimeout(() => finish(why), context.drainMs).unref();
  };

  /** Undefined if rejected, or if the socket has ended. */
  const admit = async (
    method: string,
    asked: SocketMessageInfo,
    toRefusal: (refused: SocketRejection) => JSONRPCMessage,
  ): Promise<AdmittedMessage | undefined> => {
    const verdict = ending ?? (await context.admit(method, asked));
    // The socket may have ended meanwhile.
    const late = isClosed ? clientClosedRequestStatus : ending?.status;
    if (verdict.kind === "admitted" && late !== undefined) verdict.answered(late);
    if (isClosed) return undefined;
    const admitted = ending ?? verdict;
    if (admitted.kind === "admitted") return admitted;
    await inner.send(toRefusal(admitted)).catch(() => {});
    if (admitted.closeCode !== undefined) end(admitted);
    return undefined;
  };
  const refuseMalformed = async (answer: JSONRPCMessage): Promise<void> => {
    const admitted = await admit("?", { kind: "note" }, (refused) => toErrorMessage(answer, refused));
    if (admitted === undefined) return;
    // The ID belongs to a running request.
    const isDuplicateId = "id" in answer && open.has(answer.id);
    await inner.send(isDuplicateId ? ({ ...answer, id: null } as never) : answer).catch(() => {});
    admitted.answered(badRequestStatus);
  };
  const admitMessage = async (message: JSONRPCMessage, extra: unknown): Promise<void> => {
    const isAwaited = open.has(cancelledId(message)) || clientRequests.isAnswer(message);
    const asked = { kind: kindOfMessage(message), isAwaited };
    const admitted = await admit(methodOf(message), asked, (refused) => toErrorMessage(message, refused));
    if (admitted === undefined) return;
    if (!isJSONRPCRequest(message)) admitted.answered(202);
    else if (open.has(message.id)) {
      await inner.send(errorResponse(duplicateIdError.code, duplicateIdError.message)).catch(() => {});
      return admitted.answered(badRequestStatus);
    } else {
      open.set(message.id, { answered: admitted.answered, hold: admitted.hold });
      if (asked.kind !== "standing") calls.add(message.id);
    }
    clientRequests.onReceive(message);
    // Canceled requests get no response.
    answered(cancelledId(message), clientClosedRequestStatus);
    outer.onmessage?.(message, extra as Parameters<NonNullable<Transport["onmessage"]>>[1]);
  };
  const admitQueued = async (): Promise<void> => {
    isAdmitting = true;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (queue.length === maxQueuedMessages - 1) control.resume();
      const taken =
        next.kind === "message" ? admitMessage(next.message, next.extra) : refuseMalformed(next.answer);
      await taken.catch((error: Error) => outer.onerror?.(error));
    }
    isAdmitting = false;
  };

  const enqueue = (arrival: QueuedMessage): void => {
    queue.push(arrival);
    if (queue.length === maxQueuedMessages) control.pause();
    if (!isAdmitting) void admitQueued();
  };

  inner.onmessage = (message, extra) => enqueue({ kind: "message", message, extra });
  inner.onmalformed = (answer) => enqueue({ kind: "malformed", answer });
  inner.onerror = (error) => outer.onerror?.(error);
  inner.onclose = () => {
    isClosed = true;
    clearTimeout(drainTimer);
    queue.length = 0;
    for (const id of [...open.keys()]) answered(id, clientClosedRequestStatus);
    outer.onclose?.();
  };
  context.onEnd(end);
  return { transport: outer, hold: (id) => open.get(id)?.hold?.() ?? ignoreHold };
};
