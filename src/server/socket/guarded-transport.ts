import { isJSONRPCRequest, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/server";
import { cancelledId } from "../../gateway/wire/open-requests.ts";
import type { SocketEnd, SocketVisit } from "../host-options.ts";

/** What the guard does to the socket itself. */
interface SocketControl {
  readonly close: (code: number, reason: string) => void;
  readonly pause: () => void;
  readonly resume: () => void;
}

/** As nginx has it: nobody waits for the answer any more. */
const givenUp = 499;
/** So many messages may wait to be let in; the client is not read from until there are fewer. */
const mostWaiting = 16;
/** A close frame has no room for more, in bytes. */
const longestReason = 120;

const methodOf = (message: JSONRPCMessage): string => ("method" in message ? message.method : "response");

/** JSON-RPC has one code for what a server defines; what it was is in the data, as over HTTP. */
const toAnswer = (message: JSONRPCMessage, refused: SocketEnd): JSONRPCMessage => {
  const { status, error, message: why, retryAfterSec } = refused;
  const data = { status, error, ...(retryAfterSec === undefined ? {} : { retryAfterSec }) };
  const id = isJSONRPCRequest(message) ? message.id : null;
  return { jsonrpc: "2.0", id, error: { code: -32_000, message: why, data } } as unknown as JSONRPCMessage;
};

/**
 * A socket whose every message passes the checks of a request over HTTP. One that is refused is answered; where the
 * caller is not known any more the socket ends, after the calls that were let in.
 */
export const guardedTransport = (inner: Transport, visit: SocketVisit, control: SocketControl): Transport => {
  const open = new Map<unknown, (status: number) => void>();
  /** Of these, the ones that end by themselves. */
  const calls = new Set<unknown>();
  const waiting: { readonly message: JSONRPCMessage; readonly extra: unknown }[] = [];
  let isLetting = false;
  let isClosed = false;
  let ending: SocketEnd | undefined;
  let lastCall: NodeJS.Timeout | undefined;

  const answered = (id: unknown, status: number): void => {
    const tell = open.get(id);
    if (tell === undefined) return;
    open.delete(id);
    calls.delete(id);
    tell(status);
    if (ending !== undefined && calls.size === 0) finish(ending);
  };
  const outer: Transport = {
    start: () => inner.start(),
    close: () => inner.close(),
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    send: async (message, options) => {
      try {
        await inner.send(message, options);
      } finally {
        if (!("method" in message)) answered(message.id, 200);
      }
    },
  };

  const finish = ({ closeCode = 1000, message }: SocketEnd): void => {
    clearTimeout(lastCall);
    control.close(closeCode, Buffer.from(message).subarray(0, longestReason).toString());
  };
  /** Calls that were let in are answered, within the time that a shutdown gives them too. */
  const end = (why: SocketEnd): void => {
    if (ending !== undefined) return;
    ending = why;
    if (calls.size === 0) finish(why);
    else lastCall = setTimeout(() => finish(why), visit.drainMs).unref();
  };

  const letIn = async (message: JSONRPCMessage, extra: unknown): Promise<void> => {
    const verdict = ending ?? (await visit.admit(methodOf(message)));
    // The socket may have ended while the message was judged.
    const late = isClosed ? givenUp : ending?.status;
    if (verdict.kind === "admitted" && late !== undefined) verdict.answered(late);
    if (isClosed) return;
    const admitted = ending ?? verdict;
    if (admitted.kind === "refused") {
      await inner.send(toAnswer(message, admitted)).catch(() => {});
      if (admitted.closeCode !== undefined) end(admitted);
      return;
    }
    // An id that is in use is refused further in; the first request under it is still the one that is counted.
    if (isJSONRPCRequest(message) && !open.has(message.id)) {
      open.set(message.id, admitted.answered);
      if (message.method !== "subscriptions/listen") calls.add(message.id);
    } else admitted.answered(202);
    // What was cancelled is not answered.
    answered(cancelledId(message), givenUp);
    outer.onmessage?.(message, extra as Parameters<NonNullable<Transport["onmessage"]>>[1]);
  };
  const letAllIn = async (): Promise<void> => {
    isLetting = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (waiting.length === mostWaiting - 1) control.resume();
      await letIn(next.message, next.extra).catch((error: Error) => outer.onerror?.(error));
    }
    isLetting = false;
  };

  inner.onmessage = (message, extra) => {
    waiting.push({ message, extra });
    if (waiting.length === mostWaiting) control.pause();
    if (!isLetting) void letAllIn();
  };
  inner.onerror = (error) => outer.onerror?.(error);
  inner.onclose = () => {
    isClosed = true;
    clearTimeout(lastCall);
    waiting.length = 0;
    for (const id of [...open.keys()]) answered(id, givenUp);
    outer.onclose?.();
  };
  visit.onEnd(end);
  return outer;
};
