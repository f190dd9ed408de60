import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { HttpEgressError, ToolExecutionError, ToolTimeoutError } from "../../types/errors.ts";

export type HttpMethod = "GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface HttpEgressRequest {
  readonly url: string;
  readonly method?: HttpMethod;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** One deadline for the whole request: every redirect and the last byte of the body. */
  readonly timeoutMs?: number;
  /** Most bytes of the body, counted after decompression. */
  readonly maxBytes?: number;
  readonly redirects?: number;
  /** Asked of the URL and of every one that a redirect leads to: why it may not be reached, or nothing if it may. */
  readonly refuse?: (url: URL) => string | undefined;
  /** It may be sent twice. Otherwise a redirect that keeps a method other than GET and HEAD is not followed but the answer. */
  readonly idempotent?: boolean;
}

/** Any status, read to its end. A redirect is one only where to follow it would repeat what may not be sent twice. */
export interface HttpEgressResponse {
  /** Where the answer came from, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** Refused by the guard, in trouble on the wire, or out of time. A bad status is none of these. */
export type RequestError = HttpEgressError | ToolExecutionError | ToolTimeoutError;

/** Sends requests to public addresses and to those that an operator allowed. */
export interface HttpEgressClient {
  readonly request: (request: HttpEgressRequest) => Effect<HttpEgressResponse, RequestError>;
}

/** The one way out of the process: whatever calls the network on behalf of a model goes through it. */
export class HttpEgress extends Context.Service<HttpEgress, HttpEgressClient>()("haft/HttpEgress") {}
