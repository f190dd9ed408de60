import type { IncomingMessage } from "node:http";

// Credentials and hop-by-hop headers are not forwarded.
const withheldHeaders: ReadonlySet<string> = new Set([
  "authorization",
  "connection",
  "cookie",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

export const isWithheldHeader = (name: string): boolean => withheldHeaders.has(name);

// Node's own signal stops working when the request is garbage-collected.
const withSignal = (request: Request, signal: AbortSignal): Request => {
  const clone = request.clone.bind(request);
  return Object.defineProperties(request, {
    signal: { value: signal },
    clone: { value: () => withSignal(clone(), signal) },
  });
};

/** Aborts when the client disconnects. */
export const toWebRequest = (
  incoming: IncomingMessage,
  body: Buffer | undefined,
  signal: AbortSignal,
  keepsCookie = false,
): Request => {
  const headers = new Headers();
  const { rawHeaders } = incoming;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    const isOwn = keepsCookie && name.toLowerCase() === "cookie";
    if (isOwn || !withheldHeaders.has(name.toLowerCase())) headers.append(name, rawHeaders[index + 1]!);
  }
  // The Host header was checked.
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method!,
    headers,
    signal,
    ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> }),
  });
  return withSignal(request, signal);
};

export const removeCredentials = (incoming: IncomingMessage): void => {
  const { rawHeaders } = incoming;
  for (let index = rawHeaders.length - 2; index >= 0; index -= 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (name !== "authorization" && name !== "cookie" && name !== "proxy-authorization") continue;
    rawHeaders.splice(index, 2);
    delete incoming.headers[name];
  }
};
