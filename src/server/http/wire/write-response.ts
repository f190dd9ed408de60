import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { responseTextOf } from "../../gateway/http/text-response.ts";

const hopByHopHeaders: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
]);

const outgoingHeaders = (response: Response): OutgoingHttpHeaders => {
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of response.headers) if (!hopByHopHeaders.has(name)) headers[name] = value;
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) headers["set-cookie"] = cookies;
  return headers;
};

/** For clients that read nothing. */
const defaultStallMs = 60_000;

const waitForDrain = (outgoing: ServerResponse, stallMs: number): Promise<void> =>
  new Promise((resolve) => {
    const settle = (): void => {
      outgoing.off("drain", settle).off("close", settle);
      outgoing.setTimeout(0);
      resolve();
    };
    outgoing.on("drain", settle).on("close", settle);
    // Without a listener, Node ends the socket.
    outgoing.setTimeout(stallMs);
  });

/** Respects backpressure. */
const pipeBody = async (
  body: ReadableStream<Uint8Array>,
  outgoing: ServerResponse,
  stallMs: number,
): Promise<void> => {
  const reader = body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => {});
  outgoing.on("close", cancel);
  outgoing.flushHeaders();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      // For example because the token expired.
      if (outgoing.writableEnded) break;
      if (!outgoing.write(next.value)) await waitForDrain(outgoing, stallMs);
    }
    outgoing.end();
  } finally {
    outgoing.off("close", cancel);
    reader.releaseLock();
  }
};

const maxSingleWriteBytes = 16 * 1024;

/** JSON is sent in one piece, other bodies are streamed. */
export const writeResponse = async (
  response: Response,
  outgoing: ServerResponse,
  stallMs = defaultStallMs,
): Promise<void> => {
  const headers = outgoingHeaders(response);
  const text = responseTextOf(response);
  if (text !== undefined && outgoing.req.method !== "HEAD") {
    headers["content-length"] = Buffer.byteLength(text);
    outgoing.writeHead(response.status, headers);
    outgoing.setTimeout(stallMs);
    outgoing.end(text);
    return;
  }
  const isWhole = response.headers.get("content-type")?.startsWith("application/json") === true;
  if (response.body === null || outgoing.req.method === "HEAD") {
    await response.body?.cancel();
    outgoing.writeHead(response.status, headers).end();
  } else if (isWhole) {
    const bytes = Buffer.from(await response.arrayBuffer());
    headers["content-length"] = bytes.byteLength;
    outgoing.writeHead(response.status, headers);
    outgoing.setTimeout(stallMs);
    // A string is sent in one write with the headers.
    if (bytes.byteLength <= maxSingleWriteBytes) outgoing.end(bytes.toString("latin1"), "latin1");
    else outgoing.end(bytes);
  } else {
    outgoing.writeHead(response.status, headers);
    await pipeBody(response.body, outgoing, stallMs);
  }
};
