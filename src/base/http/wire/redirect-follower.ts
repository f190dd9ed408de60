import { lookup as resolve } from "node:dns";
import { pipeline, type Readable, Transform, Writable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import * as Effect from "effect/Effect";
import { Agent, type Dispatcher, Pool } from "undici";
import { HttpEgressError, ToolExecutionError, ToolTimeoutError } from "../../../types/errors.ts";
import { type AllowList, allowList } from "../address.ts";
import { readHeaders } from "../headers.ts";
import type { HttpEgressRequest, HttpEgressResponse, RequestError } from "../http-egress.ts";
import {
  allowAdvice,
  displayUrl,
  isRedirect,
  nextHop,
  type RequestHop,
  readUrl,
  repeatsSideEffects,
} from "../url.ts";
import { ConnectionFailedError, connector, type HostLookup, RefusedAddressError } from "./connector.ts";

export interface EgressSettings {
  readonly places: readonly string[];
  readonly lookup: HostLookup | undefined;
  readonly connectTimeoutMs: number;
  readonly maxBytes: number;
  readonly redirects: number;
}

export interface RedirectFollower {
  readonly request: (request: HttpEgressRequest) => Effect.Effect<HttpEgressResponse, RequestError>;
  readonly close: () => Promise<void>;
}

const systemLookup: HostLookup = (hostname, answer) =>
  resolve(hostname, { all: true }, (error, addresses) => answer(error, addresses ?? []));

const firstHop = (request: HttpEgressRequest, allow: AllowList): RequestHop | HttpEgressError => {
  const url = readUrl(request.url, allow);
  if (url instanceof HttpEgressError) return url;
  const headers = readHeaders({ "user-agent": "haft", ...request.headers });
  if (typeof headers === "string") {
    return new HttpEgressError(
      "outside_refused",
      `The request to ${displayUrl(url)} is refused: ${headers}.`,
      {
        ran: false,
      },
    );
  }
  return { url, method: request.method ?? "GET", headers, body: request.body };
};

const tooManyRedirectsError = (count: number): HttpEgressError =>
  new HttpEgressError("outside_refused", `The HTTP client refused to follow more than ${count} redirects.`, {
    ran: true,
  });

const refusedByCallerError = (reason: string, isRedirect: boolean): HttpEgressError =>
  new HttpEgressError("outside_refused", isRedirect ? `A redirect was not followed: ${reason}` : reason, {
    ran: isRedirect,
  });

/** Every hop passes the same checks as the first. */
export const openRedirectFollower = (settings: EgressSettings): RedirectFollower => {
  const { connectTimeoutMs, lookup = systemLookup } = settings;
  const allow = allowList(settings.places);
  const agent = new Agent({
    connections: 128,
    maxHeaderSize: 16 * 1024,
    factory: (origin, options) =>
      new Pool(origin, {
        ...options,
        connect: connector(new URL(origin), { allow, lookup, connectTimeoutMs }),
      }),
  });

  const request = Effect.fnUntraced(function* (asked: HttpEgressRequest) {
    const { maxBytes = settings.maxBytes, redirects = settings.redirects, idempotent = false } = asked;
    let hop = firstHop(asked, allow);
    for (let count = 0; ; count++) {
      if (hop instanceof HttpEgressError) return yield* Effect.fail(hop);
      const reason = asked.refuse?.(hop.url);
      if (reason !== undefined) return yield* Effect.fail(refusedByCallerError(reason, count > 0));
      const response: HttpEgressResponse = yield* exchange(agent, hop, { maxBytes, ran: count > 0 });
      const location = response.headers.get("location");
      if (location === null || !isRedirect(response.status, location)) return response;
      if (!(count < redirects)) return yield* Effect.fail(tooManyRedirectsError(redirects));
      hop = nextHop(hop, response.status, location, allow);
      // That nothing was done is only the server's claim.
      if (!(hop instanceof HttpEgressError) && repeatsSideEffects(hop) && !idempotent) return response;
    }
  });

  return { request, close: () => agent.destroy() };
};

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
const exchange = (
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
          return fail(new Error("the headers of the response are not valid HTTP"), true);
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

class ResponseTooLargeError extends Error {}

class UnknownEncodingError extends Error {}

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const acceptEncoding = "gzip, br";

const byteLimitTransform = (limit: number) => {
  let total = 0;
  return {
    total: () => total,
    refuse: (chunk: Uint8Array): ResponseTooLargeError | null => {
      total += chunk.byteLength;
      return total <= limit ? null : new ResponseTooLargeError(`more than ${limit} bytes`);
    },
  };
};

const decoderFor = (encoding: string | null): Transform | UnknownEncodingError | undefined => {
  const name = encoding?.trim().toLowerCase() ?? "";
  if (name === "" || name === "identity") return undefined;
  const decoder = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
  return decoder === undefined
    ? new UnknownEncodingError(`content-encoding ${name.slice(0, 40)}`)
    : decoder();
};

interface BodyLimits {
  readonly encoding: string | null;
  readonly maxBytes: number;
}

/** Limits compressed bytes too, because a compressed stream can be endless and contain no data. */
const readBodyStream = (
  source: Readable,
  { encoding, maxBytes }: BodyLimits,
  done: (error: Error | undefined, body: Uint8Array) => void,
): void => {
  const unpack = decoderFor(encoding);
  if (unpack instanceof UnknownEncodingError) {
    source.on("error", () => {}).destroy();
    done(unpack, new Uint8Array());
    return;
  }
  const chunks: Uint8Array[] = [];
  const [wire, body] = [byteLimitTransform(maxBytes * 2 + 1024), byteLimitTransform(maxBytes)];
  const sink = new Writable({
    write(chunk: Uint8Array, _encoding, next) {
      chunks.push(chunk);
      next(body.refuse(chunk));
    },
  });
  const counted = new Transform({
    transform(chunk: Uint8Array, _encoding, next) {
      next(wire.refuse(chunk), chunk);
    },
  });
  const stages = unpack === undefined ? [source, sink] : [source, counted, unpack, sink];
  pipeline(stages, (error) => {
    // Some servers declare an encoding for an empty body.
    const isEmpty = unpack !== undefined && wire.total() === 0 && source.readableEnded;
    if (!error || isEmpty) done(undefined, Buffer.concat(chunks));
    else done(error, new Uint8Array());
  });
};

const codeOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
};

// Parser errors carry raw response bytes, so the error is not kept as a cause.
const detailOf = (error: Error): string => `${codeOf(error) || error.name}: ${error.message}`.slice(0, 300);

const timeoutCodes: ReadonlySet<string> = new Set(["UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"]);

const isTlsErrorCode = (code: string): boolean => code.startsWith("ERR_TLS") || code.includes("CERT");

const toConnectionError = (error: ConnectionFailedError, where: string, ran: boolean): RequestError => {
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = codeOf(cause);
  const details = { ran, detail: detailOf(cause) };
  if (timeoutCodes.has(code))
    return new ToolTimeoutError("timed_out", `${where} did not connect in time.`, details);
  if (isTlsErrorCode(code)) {
    const message = `${where} has no valid certificate.`;
    return new ToolExecutionError("failed", message, { ...details, retryable: false });
  }
  return new ToolExecutionError("failed", `${where} could not be reached${code && ` (${code})`}.`, details);
};

/** `ran` says whether an earlier hop was sent. */
const toRequestError = (error: Error, hop: RequestHop, ran: boolean): RequestError => {
  const where = displayUrl(hop.url);
  if (error instanceof RefusedAddressError) {
    const hint = error.mayBeAllowed ? ` ${allowAdvice(hop.url)}` : "";
    const message = `The HTTP client refused ${where}: its host resolves to a ${error.kind} address, and only public addresses can be reached.${hint}`;
    return new HttpEgressError("outside_refused", message, { ran, detail: error.message });
  }
  if (error instanceof ConnectionFailedError) return toConnectionError(error, where, ran);
  if (error instanceof ResponseTooLargeError) {
    const message = `The HTTP client refused the response of ${where}: it has ${error.message}.`;
    return new HttpEgressError("outside_refused", message, { ran: true });
  }
  if (error instanceof UnknownEncodingError) {
    const message = `${where} answered with ${error.message}, which cannot be read.`;
    return new ToolExecutionError("failed", message, { ran: true, retryable: false });
  }
  const detail = detailOf(error);
  switch (codeOf(error)) {
    case "UND_ERR_HEADERS_OVERFLOW": {
      const message = `The HTTP client refused the response of ${where}: its headers are too large.`;
      return new HttpEgressError("outside_refused", message, { ran: true, detail });
    }
    case "UND_ERR_INVALID_ARG":
      return new HttpEgressError("outside_refused", `The request to ${where} is not valid HTTP.`, {
        ran,
        detail,
      });
    case "UND_ERR_CLOSED":
    case "UND_ERR_DESTROYED":
      return new ToolExecutionError("failed", "The HTTP client is closed.", {
        // Destroying the client ends running requests.
        ran: ran || codeOf(error) === "UND_ERR_DESTROYED",
        ...(codeOf(error) === "UND_ERR_DESTROYED" ? { answerLost: true } : {}),
        detail,
        retryable: false,
      });
    default:
      return new ToolExecutionError(
        "failed",
        `${where} closed the connection before its response was complete.`,
        {
          ran: true,
          answerLost: true,
          detail,
        },
      );
  }
};
