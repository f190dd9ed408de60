import * as Effect from "effect/Effect";
import type { Credentials } from "../base/credentials/credentials.ts";
import type { HttpEgress } from "../base/http/http-egress.ts";
import type { CallContext } from "../types/call.ts";
import type { ToolSpec } from "../types/spec.ts";
import type { Implementation } from "../types/tool.ts";
import { authsOf, checkAuth, type HttpAuth } from "./http/http-auth.ts";
import type { HttpResponse } from "./http/http-response.ts";
import { checkRequest, type RequestOptions } from "./http/request-options.ts";

/** The request that an HTTP tool sends, and how its answer is read. */
export interface HttpOptions<In = Readonly<Record<string, unknown>>> extends RequestOptions<In> {
  /** A list goes along whole, for services that want two things at once. */
  readonly auth?: HttpAuth | readonly HttpAuth[];
  /** Only sees answers with a good status. Left out: JSON by content type, or text. */
  readonly response?: (response: HttpResponse) => unknown;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

/** A tool that is a request to a web service, sent by the guarded client. */
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

/** What sends requests, and with it the guarded client, is loaded by the first request: a definition needs none of it. */
const loadSender = Effect.promise(() => import("./http/send-tool-request.ts"));
