import { isJSONRPCRequest, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/server";
import type { HoldSlot } from "../../gateway/client-connection.ts";
import { errorResponse } from "../../gateway/wire/malformed-message.ts";
import { kindOfMessage } from "../../gateway/wire/message-kind.ts";
import { cancelledId, duplicateIdError } from "../../gateway/wire/open-requests.ts";
import { trackClientRequests } from "../../gateway/wire/pending-client-requests.ts";
import type { AdmittedMessage, SocketContext, SocketMessageInfo, SocketRejection } from "../host-options.ts";

/** What the guard does to the socket itself. */
interface SocketControl {
  readonly close: (code: number, reason: string) => void;
  readonly pause: () => void;
  readonly resume: () => void;
}

/** A transport that tells what the sender of a malformed message is to be answered, and leaves it to whoever listens. */
interface MalformedAwareTransport extends Transport {
  onmalformed?: (answer: JSONRPCMessage) => void;
}

/** A transport behind the checks, and how the place of one of its requests is held. */
export interface GuardedTransport {
  readonly transport: Transport;
  readonly hold: HoldSlot;
}

/** What came and waits for its turn. */
type QueuedMessage =
  | { readonly kind: "message"; readonly message: JSONRPCMessage; readonly extra: unknown }
  | { readonly kind: "malformed"; readonly answer: JSONRPCMessage };

interface OpenSocketRequest {
  readonly answered: (status: number) => void;
  readonly hold: AdmittedMessage["hold"];
}

/** As nginx has it: nobody waits for the answer any more. */
const clientClosedRequestStatus = 499;
/** So many messages may wait to be let in; the client is not read from until there are fewer. */
const maxQueuedMessages = 16;
/** A close frame has no room for more, in bytes. */
const maxCloseReasonBytes = 120;

const badRequestStatus = 400;

const ignoreHold = (): void => {};

const methodOf = (message: JSONRPCMessage): string => ("method" in message ? message.method : "response");

/** JSON-RPC has one code for what a server defines; what it was is in the data, as over HTTP. */
const toErrorMessage = (message: JSONRPCMessage, refused: SocketRejection): JSONRPCMessage => {
  const { status, error, message: why, retryAfterSec } = refused;
  const data = { status, error, ...(retryAfterSec === undefined ? {} : { retryAfterSec }) };
  const id = isJSONRPCRequest(message) ? message.id : null;
  return { jsonrpc: "2.0", id, error: { code: -32_000, message: why, data } } as unknown as JSONRPCMessage;
};

/**
 * A socket whose every message passes the checks of a request over HTTP. One that is refused is answered; where the
 * caller is not known any more the socket ends, after the calls that were let in.
 */
export const guardTransport = (
  inner: MalformedAwareTransport,
  context: SocketContext,
  control: SocketControl,
): GuardedTransport => {
  const open = new Map<unknown, OpenSocketRequest>();
  const questions = trackClientRequests();
  /** Of these, the ones that end by themselves. */
  const calls = new Set<unknown>();
  const queue: QueuedMessage[] = [];
  let isAdmitting = false;
  let isClosed = false;
  let ending: SocketRejection | undefined;
  let lastCall: NodeJS.Timeout | undefined;

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
      questions.sent(message);
      try {
        await inner.send(message, options);
      } finally {
        if (!("method" in message)) answered(message.id, 200);
      }
    },
  };

  const finish = ({ closeCode = 1000, message }: SocketRejection): void => {
    clearTimeout(lastCall);
    control.close(closeCode, Buffer.from(message).subarray(0, maxCloseReasonBytes).toString());
  };
  /** Calls that were let in are answered, within the time that a shutdown gives them too. */
  const end = (why: SocketRejection): void => {
    if (ending !== undefined) return;
    ending = why;
    if (calls.size === 0) finish(why);
    else lastCall = setTimeout(() => finish(why), context.drainMs).unref();
  };

  /** Nothing where the message goes no further: it was refused and told so, or the socket ended. */
  const judge = async (
    method: string,
    asked: SocketMessageInfo,
    toRefusal: (refused: SocketRejection) => JSONRPCMessage,
  ): Promise<AdmittedMessage | undefined> => {
    const verdict = ending ?? (await context.admit(method, asked));
    // The socket may have ended while the message was judged.
    const late = isClosed ? clientClosedRequestStatus : ending?.status;
    if (verdict.kind === "admitted" && late !== undefined) verdict.answered(late);
    if (isClosed) return undefined;
    const admitted = ending ?? verdict;
    if (admitted.kind === "admitted") return admitted;
    await inner.send(toRefusal(admitted)).catch(() => {});
    if (admitted.closeCode !== undefined) end(admitted);
    return undefined;
  };
  /** A message that is none is counted, answered and logged; the socket and its calls go on. */
  const refuseMalformed = async (answer: JSONRPCMessage): Promise<void> => {
    const admitted = await judge("?", { kind: "note" }, (refused) => toErrorMessage(answer, refused));
    if (admitted === undefined) return;
    // Under the id of a request that runs, it would be taken for that one's answer.
    const isDuplicateId = "id" in answer && open.has(answer.id);
    await inner.send(isDuplicateId ? ({ ...answer, id: null } as never) : answer).catch(() => {});
    admitted.answered(badRequestStatus);
  };
  const admitMessage = async (message: JSONRPCMessage, extra: unknown): Promise<void> => {
    const isAwaited = open.has(cancelledId(message)) || questions.isAnswer(message);
    const asked = { kind: kindOfMessage(message), isAwaited };
    const admitted = await judge(methodOf(message), asked, (refused) => toErrorMessage(message, refused));
    if (admitted === undefined) return;
    if (!isJSONRPCRequest(message)) admitted.answered(202);
    else if (open.has(message.id)) {
      // The first request under the id is still the one that is counted.
      await inner.send(errorResponse(duplicateIdError.code, duplicateIdError.message)).catch(() => {});
      return admitted.answered(badRequestStatus);
    } else {
      open.set(message.id, { answered: admitted.answered, hold: admitted.hold });
      if (asked.kind !== "standing") calls.add(message.id);
    }
    questions.heard(message);
    // What was cancelled is not answered.
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
    clearTimeout(lastCall);
    queue.length = 0;
    for (const id of [...open.keys()]) answered(id, clientClosedRequestStatus);
    outer.onclose?.();
  };
  context.onEnd(end);
  return { transport: outer, hold: (id) => open.get(id)?.hold?.() ?? ignoreHold };
};
