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
  body: Uint8Array | undefined,
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

/** Without credentials. */
class LightHeaders {
  readonly #incoming: IncomingMessage;

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
  }

  get(name: string): string | null {
    const key = name.toLowerCase();
    const value = withheldHeaders.has(key) ? undefined : this.#incoming.headers[key];
    return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  *entries(): IterableIterator<[string, string]> {
    for (const name of Object.keys(this.#incoming.headers)) {
      const value = this.get(name);
      if (value !== null) yield [name, value];
    }
  }

  *keys(): IterableIterator<string> {
    for (const [name] of this.entries()) yield name;
  }

  *values(): IterableIterator<string> {
    for (const [, value] of this.entries()) yield value;
  }

  forEach(visit: (value: string, name: string) => void): void {
    for (const [name, value] of this.entries()) visit(value, name);
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }
}

export const createLightHeaders = (incoming: IncomingMessage): Pick<Headers, "get"> =>
  new LightHeaders(incoming);

/** Constructing a `Request` costs more than forwarding the call, so only `clone` does. */
export const createLightRequest = (incoming: IncomingMessage, signal: AbortSignal): Request => {
  const light = {
    method: incoming.method!,
    url: `http://${incoming.headers.host}${incoming.url}`,
    headers: new LightHeaders(incoming),
    signal,
    body: null,
    bodyUsed: false,
    clone: () => toWebRequest(incoming, undefined, signal),
  };
  return light as unknown as Request;
};
