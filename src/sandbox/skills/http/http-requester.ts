import * as Effect from "effect/Effect";
import { HttpEgress, type HttpMethod } from "../../../base/http/http-egress.ts";
import type { CallContext } from "../../../types/call.ts";
import { refusedCallError } from "../refused-call-error.ts";
import type { SkillSettings } from "../skill-settings.ts";
import { hostProblem } from "./is-allowed-host.ts";
import { toModelResponse } from "./to-model-response.ts";

export interface HttpRequestInput {
  readonly url: string;
  readonly method?: HttpMethod;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly as?: "text" | "raw" | "base64";
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
}

const readMethods: readonly HttpMethod[] = ["GET", "HEAD"];

export const httpGetter = ({ http }: SkillSettings) => {
  const send = requestSender(http);
  return ({ url }: Pick<HttpRequestInput, "url">, context: CallContext) =>
    send({ url, headers: { accept: "text/html, application/json, text/plain;q=0.9, */*;q=0.5" } }, context);
};

export const httpRequester = ({ http }: SkillSettings) => {
  const send = requestSender(http);
  const headersAllowed = new Set(http.headers.map((name) => name.toLowerCase()));
  return (input: HttpRequestInput, context: CallContext) =>
    Effect.gen(function* () {
      const { method = "GET", headers = {}, body } = input;
      if (!http.methods.includes(method))
        return yield* Effect.fail(notAllowedError("methods", method, http.methods));
      for (const name of Object.keys(headers)) {
        if (!headersAllowed.has(name.toLowerCase())) {
          return yield* Effect.fail(notAllowedError("headers", name, http.headers));
        }
      }
      if (body !== undefined && readMethods.includes(method)) {
        return yield* Effect.fail(
          refusedCallError(`A ${method} request has no body. Leave it out, or use another method.`),
        );
      }
      return yield* send(input, context);
    });
};

const requestSender =
  ({ hosts, ...limits }: SkillSettings["http"]) =>
  (input: HttpRequestInput, { idempotencyKey }: Pick<CallContext, "idempotencyKey">) =>
    Effect.gen(function* () {
      const { url, method = "GET", headers = {}, body, as = "text" } = input;
      const key: Readonly<Record<string, string>> = readMethods.includes(method)
        ? {}
        : { "idempotency-key": idempotencyKey };
      const { request } = yield* HttpEgress;
      const response = yield* request({
        url,
        method,
        headers: { ...headers, ...key },
        // An allowed host could redirect to any other.
        refuse: (at) => hostProblem(at, hosts),
        timeoutMs: Math.min(input.timeoutMs ?? limits.timeoutMs, limits.timeoutMs),
        maxBytes: Math.min(input.maxBytes ?? limits.maxBytes, limits.maxBytes),
        ...(body === undefined ? {} : { body }),
      });
      return yield* toModelResponse(response, as);
    });

const notAllowedError = (what: "methods" | "headers", name: string, granted: readonly string[]) => {
  const shown = JSON.stringify(name.slice(0, 80));
  const among = granted.length === 0 ? "none is" : `these are: ${granted.join(", ")}`;
  return refusedCallError(
    `${what === "methods" ? "The method" : "The header"} ${shown} is not granted; ${among}. An operator can add it: config: { skills: { http: { ${what}: [${shown}] } } }.`,
  );
};
