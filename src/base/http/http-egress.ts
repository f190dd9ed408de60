import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { HttpEgressError, ToolExecutionError, ToolTimeoutError } from "../../types/errors.ts";

export type HttpMethod = "GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface HttpEgressRequest {
  readonly url: string;
  readonly method?: HttpMethod;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Includes redirects and the body. */
  readonly timeoutMs?: number;
  /** After decompression. */
  readonly maxBytes?: number;
  readonly redirects?: number;
  /** Called for the first URL and for every redirect. */
  readonly refuse?: (url: URL) => string | undefined;
  /** Otherwise a redirect that repeats a method other than GET and HEAD is returned and not followed. */
  readonly idempotent?: boolean;
}

/** A complete response of any status. */
export interface HttpEgressResponse {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** A response with an error status is a success. */
export type RequestError = HttpEgressError | ToolExecutionError | ToolTimeoutError;

/** Sends requests to public addresses and to those that an operator allowed. */
export interface HttpEgressClient {
  readonly request: (request: HttpEgressRequest) => Effect<HttpEgressResponse, RequestError>;
}

/** The only way out of the process: every network request on behalf of a model uses it. */
export class HttpEgress extends Context.Service<HttpEgress, HttpEgressClient>()("haft/HttpEgress") {}
