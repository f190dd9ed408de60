import type { IncomingMessage } from "node:http";
import { isWithheldHeader, toWebRequest } from "./to-web-request.ts";

/** Without credentials. */
class LightHeaders {
  readonly #incoming: IncomingMessage;

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
  }

  get(name: string): string | null {
    const key = name.toLowerCase();
    const value = isWithheldHeader(key) ? undefined : this.#incoming.headers[key];
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
