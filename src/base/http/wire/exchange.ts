import * as Effect from "effect/Effect";
import type { Dispatcher } from "undici";
import type { HttpEgressResponse, RequestError } from "../http-egress.ts";
import { isRedirect, type RequestHop } from "../redirect.ts";
import { acceptEncoding, readBodyStream } from "./read-body-stream.ts";
import { toRequestError } from "./to-request-error.ts";

const toHeaders = (fields: Dispatcher.ResponseData["headers"]): Headers => {
  const headers = new Headers();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values ?? []].flat()) headers.append(name, value);
  }
  return headers;
};

interface ExchangeLimits {
  readonly maxBytes: number;
  /** Whether an earlier hop of the same request was sent. */
  readonly ran: boolean;
}

/** Sends one request without following redirects. Interruption destroys the socket. */
export const exchange = (
  dispatcher: Dispatcher,
  hop: RequestHop,
  { maxBytes, ran }: ExchangeLimits,
): Effect.Effect<HttpEgressResponse, RequestError> =>
  Effect.callback((resume, signal) => {
    const fail = (error: Error, sent: boolean) => resume(Effect.fail(toRequestError(error, hop, sent)));
    dispatcher.request(
      {
        origin: hop.url.origin,
        path: hop.url.pathname + hop.url.search,
        method: hop.method,
        headers: [...hop.headers, ["accept-encoding", acceptEncoding]].flat(),
        body: hop.body ?? null,
        signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      (error, answer) => {
        if (error !== null) return fail(error, ran);
        const { statusCode: status, body } = answer;
        let headers: Headers;
        try {
          headers = toHeaders(answer.headers);
        } catch {
          body.on("error", () => {}).destroy();
          return fail(new Error("the headers of the answer are not HTTP"), true);
        }
        const finish = (bytes: Uint8Array) =>
          resume(Effect.succeed({ url: hop.url.href, status, headers, body: bytes }));
        if (isRedirect(status, headers.get("location"))) {
          body.on("error", () => {}).destroy();
          return finish(new Uint8Array());
        }
        readBodyStream(body, { encoding: headers.get("content-encoding"), maxBytes }, (broken, bytes) =>
          broken === undefined ? finish(bytes) : fail(broken, true),
        );
      },
    );
  });
