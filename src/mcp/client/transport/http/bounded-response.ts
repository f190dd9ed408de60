import { AsyncLocalStorage } from "node:async_hooks";
import { TransportError } from "../server-transport.ts";

const newline = 10;
const carriageReturn = 13;

type ByteMeter = (chunk: Uint8Array) => void;

const messageTooLongError = (maxBytes: number): TransportError =>
  new TransportError({ kind: "garbage", reason: `it sent a message of more than ${maxBytes} bytes` }, true);

const createBodyMeter = (maxBytes: number): ByteMeter => {
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.length;
    if (bytes > maxBytes) throw messageTooLongError(maxBytes);
  };
};

/** An event stream has no end, so each event is limited. */
const createEventMeter = (maxBytes: number): ByteMeter => {
  let event = 0;
  let line = 0;
  return (chunk) => {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(newline, from);
      if (end < 0) break;
      line += end - from;
      const isBlank = line === 0 || (line === 1 && (end === 0 || chunk[end - 1] === carriageReturn));
      event = isBlank ? 0 : event + line + 1;
      line = 0;
      from = end + 1;
      if (event > maxBytes) throw messageTooLongError(maxBytes);
    }
    line += chunk.length - from;
    if (event + line > maxBytes) throw messageTooLongError(maxBytes);
  };
};

const isEventStream = (response: Response): boolean =>
  response.headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") === true;

const hasBoundedLength = ({ headers }: Response, maxBytes: number): boolean => {
  const length = headers.get("content-length");
  // A compressed body may decode to far more.
  return length !== null && Number(length) <= maxBytes && headers.get("content-encoding") === null;
};

interface BoundedResponseOptions {
  readonly maxBytes: number;
  readonly onEvents?: (error?: unknown) => void;
}

export const boundResponse = (
  response: Response,
  { maxBytes, onEvents }: BoundedResponseOptions,
): Response => {
  const { body, status, statusText, headers } = response;
  const isStream = isEventStream(response);
  if (body === null || (!isStream && hasBoundedLength(response, maxBytes))) return response;
  const meter = isStream ? createEventMeter(maxBytes) : createBodyMeter(maxBytes);
  const reader = body.getReader();
  const report = (error?: unknown) => {
    if (isStream) onEvents?.(error);
  };
  const bounded = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (done) {
            controller.close();
            report();
            return;
          }
          meter(value);
          controller.enqueue(value);
        } catch (error) {
          controller.error(error);
          reader.cancel().catch(() => {});
          report(error);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(bounded, { status, statusText, headers });
};

/** No connection was established. */
const notConnectedCodes: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

interface NetworkFault {
  readonly code: string;
  readonly syscall: unknown;
}

const networkFaultOf = (error: unknown): NetworkFault | undefined => {
  let each: unknown = error;
  for (let depth = 0; depth < 6 && typeof each === "object" && each !== null; depth++) {
    const { code, errors, cause, syscall } = each as Record<"code" | "errors" | "cause" | "syscall", unknown>;
    if (
      typeof code === "string" &&
      /^E[A-Z]|^UND_ERR_|^ERR_|^CERT_|^DEPTH_|^SELF_/.test(code) &&
      code !== "ERA_NEGOTIATION_FAILED"
    ) {
      return { code, syscall };
    }
    each = Array.isArray(errors) && errors.length > 0 ? errors[0] : cause;
  }
  return undefined;
};

export const networkCodeOf = (error: unknown): string | undefined => networkFaultOf(error)?.code;

/** The same codes can end an open connection, so the system call is checked. */
export const isNeverSent = (error: unknown): boolean => {
  const fault = networkFaultOf(error);
  if (fault === undefined || !notConnectedCodes.has(fault.code)) return false;
  const { code, syscall } = fault;
  return (
    code.startsWith("UND_ERR_") || (typeof syscall === "string" && /^(connect|getaddrinfo)/.test(syscall))
  );
};

/** The SDK may resend a message silently. */
export interface SentRequest {
  readonly isToolCall: boolean;
  /** The message may have arrived. */
  isSent: boolean;
  /** A status after which the SDK would resend. */
  refusedStatus: number | undefined;
}

export const currentSentRequest = new AsyncLocalStorage<SentRequest>();

/**
 * A tool call is not resent after a redirect or authorization error: that it did not run is only the server's
 * claim.
 */
export class NotResentError extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`the call was answered with HTTP ${status} and is not sent again`);
    this.status = status;
  }
}
