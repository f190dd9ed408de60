import { WireError } from "../wire.ts";

const newline = 10;
const carriageReturn = 13;

/** Throws once more bytes came than one message may have. */
type Meter = (chunk: Uint8Array) => void;

const tooLong = (maxBytes: number): WireError =>
  new WireError({ kind: "garbage", reason: `it sent a message of more than ${maxBytes} bytes` }, true);

const wholeMeter = (maxBytes: number): Meter => {
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLong(maxBytes);
  };
};

/** A stream of events goes on for ever; each event is bounded. An empty line ends one. */
const eventMeter = (maxBytes: number): Meter => {
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
      if (event > maxBytes) throw tooLong(maxBytes);
    }
    line += chunk.length - from;
    if (event + line > maxBytes) throw tooLong(maxBytes);
  };
};

const isEvents = (response: Response): boolean =>
  response.headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") === true;

const isShort = ({ headers }: Response, maxBytes: number): boolean => {
  const length = headers.get("content-length");
  // What is packed may be far more once unpacked.
  return length !== null && Number(length) <= maxBytes && headers.get("content-encoding") === null;
};

interface Watching {
  readonly maxBytes: number;
  /** Hears of the end of a stream of events, or of what ended it. */
  readonly onEvents?: (error?: unknown) => void;
}

/** The same response, whose body cannot outgrow what a message may have. */
export const boundedResponse = (response: Response, { maxBytes, onEvents }: Watching): Response => {
  const { body, status, statusText, headers } = response;
  const isStream = isEvents(response);
  if (body === null || (!isStream && isShort(response, maxBytes))) return response;
  const meter = isStream ? eventMeter(maxBytes) : wholeMeter(maxBytes);
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
