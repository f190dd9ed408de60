import * as Effect from "effect/Effect";
import { type HttpMethod, Outside } from "../../http/outside.ts";
import type { CallContext } from "../../words/call.ts";
import { refuse } from "../refuse.ts";
import type { SkillSettings } from "../skill-settings.ts";
import { toAnswer } from "./answer.ts";
import { refuseHost } from "./hosts.ts";

export interface RequestInput {
  readonly url: string;
  readonly method?: HttpMethod;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly as?: "text" | "raw" | "base64";
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
}

const reads: readonly HttpMethod[] = ["GET", "HEAD"];

/** `http-get`: one page by its URL, and nothing else that could be chosen. */
export const pageGetter = ({ http }: SkillSettings) => {
  const send = sender(http);
  return ({ url }: Pick<RequestInput, "url">, context: CallContext) =>
    send({ url, headers: { accept: "text/html, application/json, text/plain;q=0.9, */*;q=0.5" } }, context);
};

/** `http-request`: what the operator granted of methods and headers. */
export const requester = ({ http }: SkillSettings) => {
  const send = sender(http);
  const headersAllowed = new Set(http.headers.map((name) => name.toLowerCase()));
  return (input: RequestInput, context: CallContext) =>
    Effect.gen(function* () {
      const { method = "GET", headers = {}, body } = input;
      if (!http.methods.includes(method))
        return yield* Effect.fail(ungranted("methods", method, http.methods));
      for (const name of Object.keys(headers)) {
        if (!headersAllowed.has(name.toLowerCase())) {
          return yield* Effect.fail(ungranted("headers", name, http.headers));
        }
      }
      if (body !== undefined && reads.includes(method)) {
        return yield* Effect.fail(
          refuse(`A ${method} request has no body. Leave it out, or use another method.`),
        );
      }
      return yield* send(input, context);
    });
};

const sender =
  ({ hosts, ...limits }: SkillSettings["http"]) =>
  (input: RequestInput, { idempotencyKey }: Pick<CallContext, "idempotencyKey">) =>
    Effect.gen(function* () {
      const { url, method = "GET", headers = {}, body, as = "text" } = input;
      const key: Readonly<Record<string, string>> = reads.includes(method)
        ? {}
        : { "idempotency-key": idempotencyKey };
      const { request } = yield* Outside;
      const response = yield* request({
        url,
        method,
        headers: { ...headers, ...key },
        // Judged again for every redirect, because a granted host could lead to any other.
        refuse: (at) => refuseHost(at, hosts),
        timeoutMs: Math.min(input.timeoutMs ?? limits.timeoutMs, limits.timeoutMs),
        maxBytes: Math.min(input.maxBytes ?? limits.maxBytes, limits.maxBytes),
        ...(body === undefined ? {} : { body }),
      });
      return yield* toAnswer(response, as);
    });

const ungranted = (what: "methods" | "headers", name: string, granted: readonly string[]) => {
  const shown = JSON.stringify(name.slice(0, 80));
  const among = granted.length === 0 ? "none is" : `these are: ${granted.join(", ")}`;
  return refuse(
    `${what === "methods" ? "The method" : "The header"} ${shown} is not granted; ${among}. An operator can add it: config: { skills: { http: { ${what}: [${shown}] } } }.`,
  );
};
