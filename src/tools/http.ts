import * as Effect from "effect/Effect";
import type { Credentials } from "../base/credentials/credentials.ts";
import type { HttpEgress } from "../base/http/http-egress.ts";
import type { CallContext } from "../types/call.ts";
import type { Implementation, ToolSpec } from "../types/tool.ts";
import {
  authsOf,
  checkAuth,
  checkRequest,
  type HttpAuth,
  type RequestOptions,
} from "./http/request-options.ts";
import type { HttpResponse } from "./http/status-error.ts";

/** The request of an HTTP tool and how its response is read. */
export interface HttpOptions<In = Readonly<Record<string, unknown>>> extends RequestOptions<In> {
  /** In a list, all credentials are sent. */
  readonly auth?: HttpAuth | readonly HttpAuth[];
  /** Maps successful responses. Default: JSON or text, by content type. */
  readonly response?: (response: HttpResponse) => unknown;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

/** Implements a tool as a request that the guarded HTTP client sends. */
export const http = <In = Readonly<Record<string, unknown>>>(
  options: HttpOptions<In>,
): Implementation<HttpEgress | Credentials> => {
  checkRequest(options);
  for (const auth of authsOf(options.auth)) checkAuth(auth);
  return Object.freeze({
    _tag: "http",
    provesNotRun: true,
    bind: (spec: ToolSpec) => {
      const sending = { ...options, request: options as RequestOptions<never>, spec };
      return (input: unknown, context: CallContext) =>
        Effect.flatMap(loadSender, ({ sendToolRequest: send }) => send(sending, input, context));
    },
  });
};

/** Keeps definitions cheap. */
const loadSender = Effect.promise(() => import("./http/send-tool-request.ts"));
