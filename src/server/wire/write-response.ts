import type { OutgoingHttpHeaders, ServerResponse } from "node:http";

const hop: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade"]);

const headersOf = (response: Response): OutgoingHttpHeaders => {
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of response.headers) if (!hop.has(name)) headers[name] = value;
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) headers["set-cookie"] = cookies;
  return headers;
};

const drained = (outgoing: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const settle = (): void => {
      outgoing.off("drain", settle).off("close", settle);
      resolve();
    };
    outgoing.on("drain", settle).on("close", settle);
  });

/** Reads no faster than the client does, and stops reading when it went away. */
const stream = async (body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> => {
  const reader = body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => {});
  outgoing.on("close", cancel);
  outgoing.flushHeaders();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (!outgoing.write(next.value)) await drained(outgoing);
    }
    outgoing.end();
  } finally {
    outgoing.off("close", cancel);
    reader.releaseLock();
  }
};

const oneWrite = 16 * 1024;

/** JSON goes out in one piece with its length; everything else as it comes. */
export const writeResponse = async (response: Response, outgoing: ServerResponse): Promise<void> => {
  const headers = headersOf(response);
  const isWhole = response.headers.get("content-type")?.startsWith("application/json") === true;
  if (response.body === null || outgoing.req.method === "HEAD") {
    await response.body?.cancel();
    outgoing.writeHead(response.status, headers).end();
  } else if (isWhole) {
    const bytes = Buffer.from(await response.arrayBuffer());
    headers["content-length"] = bytes.byteLength;
    outgoing.writeHead(response.status, headers);
    // As text of the same bytes it leaves in one write together with the headers.
    if (bytes.byteLength <= oneWrite) outgoing.end(bytes.toString("latin1"), "latin1");
    else outgoing.end(bytes);
  } else {
    outgoing.writeHead(response.status, headers);
    await stream(response.body, outgoing);
  }
};
