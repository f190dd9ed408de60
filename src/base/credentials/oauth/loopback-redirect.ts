import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface RedirectAnswer {
  readonly state: string;
  readonly code?: string;
  readonly iss?: string;
  readonly error?: string;
}

/** Rejects duplicate fields, because parsers disagree about which one counts. */
export const readRedirect = (fields: URLSearchParams): RedirectAnswer | undefined => {
  const found: Record<string, string> = {};
  for (const name of ["state", "code", "iss", "error"]) {
    const values = fields.getAll(name);
    if (values.length > 1) return undefined;
    if (values[0] !== undefined) found[name] = values[0];
  }
  return found.state === undefined ? undefined : (found as unknown as RedirectAnswer);
};

export interface LoopbackRedirect {
  readonly url: string;
  readonly answered: Promise<RedirectAnswer>;
  readonly close: () => void;
}

interface LoopbackRedirectOptions {
  readonly path: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly state: string;
  readonly timeoutMs: number;
}

const pageTexts = {
  done: "You are signed in. You can close this window.",
  refused: "You were not signed in. You can close this window.",
  unknown: "No sign-in is waiting for this response.",
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

/** Requests with another path, host or state get 404 and do not end the wait. */
export const openLoopbackRedirect = async (options: LoopbackRedirectOptions): Promise<LoopbackRedirect> => {
  const { path, port, state, timeoutMs } = options;
  const answered = Promise.withResolvers<RedirectAnswer>();
  // The timeout may fire before `answered` is awaited.
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
    // The user sees the page even if the token exchange fails.
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
    answered.reject(new Error("the browser did not return from the sign-in"));
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
