import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { responseTextOf } from "../../request/http-error.ts";

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

const maxUnreadBodyBytes = 64 * 1024;
const lingerMs = 500;
const maxLingerBytes = 1024 * 1024;

const canReadRest = ({ complete, headers, method }: IncomingMessage, status: number): boolean => {
  if (complete || method === "GET" || method === "HEAD") return true;
  if (status === 408 || status === 413 || headers["transfer-encoding"] !== undefined) return false;
  return Number(headers["content-length"] ?? 0) <= maxUnreadBodyBytes;
};

/** Closing on a client that still writes would reset the connection before it reads the response. */
const linger = (request: IncomingMessage, response: ServerResponse): void => {
  let length = 0;
  const settle = (): void => {
    clearTimeout(timer);
    request.off("data", onData).off("end", settle).off("close", settle);
    response.end();
  };
  const onData = (chunk: Buffer): void => {
    length += chunk.length;
    if (length > maxLingerBytes) settle();
  };
  const timer = setTimeout(settle, lingerMs);
  request.on("data", onData).on("end", settle).on("close", settle);
  request.resume();
};

const maxSingleWriteBytes = 16 * 1024;

/** JSON is sent in one piece, other bodies are streamed. Closes the connection if too much of the body is unread. */
export const writeResponse = async (
  response: Response,
  outgoing: ServerResponse,
  stallMs = defaultStallMs,
): Promise<void> => {
  const headers = outgoingHeaders(response);
  const isWhole = response.headers.get("content-type")?.startsWith("application/json") === true;
  const hasBody = response.body !== null && outgoing.req.method !== "HEAD";
  const text = responseTextOf(response);
  if (hasBody && text === undefined && !isWhole) {
    outgoing.writeHead(response.status, headers);
    return pipeBody(response.body!, outgoing, stallMs);
  }
  let body: string | Buffer = hasBody ? (text ?? Buffer.from(await response.arrayBuffer())) : "";
  if (!hasBody) await response.body?.cancel();
  if (hasBody || text !== undefined) headers["content-length"] = Buffer.byteLength(hasBody ? body : text!);
  let encoding: BufferEncoding = "utf8";
  // A string is sent in one write with the headers.
  if (typeof body !== "string" && body.byteLength <= maxSingleWriteBytes)
    [body, encoding] = [body.toString("latin1"), "latin1"];
  if (canReadRest(outgoing.req, response.status)) {
    outgoing.writeHead(response.status, headers);
    if (hasBody) outgoing.setTimeout(stallMs);
    outgoing.end(body, encoding);
    return;
  }
  outgoing.writeHead(response.status, { ...headers, connection: "close" });
  outgoing.write(body, encoding);
  linger(outgoing.req, outgoing);
};
