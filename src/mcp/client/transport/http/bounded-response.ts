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
