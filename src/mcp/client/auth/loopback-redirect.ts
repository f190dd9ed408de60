import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type RedirectAnswer, readRedirect } from "./sign-in/redirect-answer.ts";

export interface LoopbackRedirect {
  /** Where the authorization service sends the person back to. */
  readonly url: string;
  /** The one answer that has the right state; rejects when it is late or nobody waits any more. */
  readonly answered: Promise<RedirectAnswer>;
  readonly close: () => void;
}

interface LoopbackRedirectOptions {
  readonly path: string;
  /** Any free one unless given. */
  readonly port: number;
  readonly state: string;
  readonly timeoutMs: number;
}

const pageTexts = {
  done: "You are signed in. You can close this window.",
  refused: "You were not signed in. You can close this window.",
  unknown: "Nothing waits for this answer.",
};

const sendPage = (response: ServerResponse, status: number, page: keyof typeof pageTexts): void => {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'",
    connection: "close",
  });
  response.end(pageTexts[page]);
};

/**
 * Waits on 127.0.0.1 for one person to come back. What has another path, host or state is answered and forgotten: it
 * neither ends the wait nor learns anything.
 */
export const openLoopbackRedirect = async (options: LoopbackRedirectOptions): Promise<LoopbackRedirect> => {
  const { path, port, state, timeoutMs } = options;
  const answered = Promise.withResolvers<RedirectAnswer>();
  // Nobody may be waiting yet when it is late.
  answered.promise.catch(() => {});
  let url: URL;

  const read = (request: IncomingMessage): RedirectAnswer | undefined => {
    const { method, headers, url: target = "" } = request;
    const isExpectedPath = headers.host === url.host || headers.host === `localhost:${url.port}`;
    if (method !== "GET" || !isExpectedPath || !URL.canParse(target, url.href)) return undefined;
    const asked = new URL(target, url);
    if (asked.pathname !== path) return undefined;
    const answer = readRedirect(asked.searchParams);
    return answer?.state === state ? answer : undefined;
  };

  const server = createServer({ maxHeaderSize: 32 * 1024 }, (request, response) => {
    const answer = read(request);
    if (answer === undefined) return sendPage(response, 404, "unknown");
    // The person sees the page before anything else happens, however that ends.
    response.once("close", () => {
      answered.resolve(answer);
      close();
    });
    sendPage(response, 200, answer.code === undefined ? "refused" : "done");
  });
  const close = (): void => {
    clearTimeout(timer);
    server.close();
    server.closeAllConnections();
    answered.reject(new Error("nobody came back"));
  };
  const timer = setTimeout(close, timeoutMs);

  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", resolve);
    });
  } catch (error) {
    clearTimeout(timer);
    throw error;
  }
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  return { url: url.href, answered: answered.promise, close };
};
