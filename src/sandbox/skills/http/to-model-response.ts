import * as Effect from "effect/Effect";
import type { HttpEgressResponse } from "../../../base/http/http-egress.ts";
import { responseText } from "../../../tools/http/http-response.ts";
import { ToolExecutionError } from "../../../types/errors.ts";

/** None of them contains session secrets. */
const visibleHeaders = [
  "content-language",
  "content-length",
  "date",
  "etag",
  "last-modified",
  "link",
  "location",
  "retry-after",
];

const isHtml = (type: string): boolean => type === "text/html" || type === "application/xhtml+xml";

const isText = (type: string): boolean =>
  type.startsWith("text/") ||
  /^application\/([\w.-]+\+)?(json|xml)$/.test(type) ||
  /^application\/(javascript|yaml|x-ndjson|x-www-form-urlencoded|toml)$/.test(type) ||
  type === "image/svg+xml";

/** HTML becomes text; binary types only as base64 on request. */
export const toModelResponse = (
  response: HttpEgressResponse,
  as: "text" | "raw" | "base64",
): Effect.Effect<object, ToolExecutionError> =>
  Effect.gen(function* () {
    const { url, status, headers, body } = response;
    const contentType = headers.get("content-type") ?? "";
    const type = contentType.split(";", 1)[0]!.trim().toLowerCase();
    const about = { url, status, contentType, headers: pickHeaders(headers) };
    if (as === "base64") return { ...about, base64: Buffer.from(body).toString("base64") };
    if (body.byteLength === 0) return { ...about, text: "" };
    if (!isText(type) && !(type === "" && !body.includes(0)))
      return yield* Effect.fail(unreadableResponseError(type, url));
    if (!isHtml(type) || as === "raw") return { ...about, text: responseText(response) };
    const { htmlToText: readable } = yield* Effect.promise(() => import("./html-to-text.ts"));
    return { ...about, text: readable(responseText(response), url) };
  });

const pickHeaders = (headers: Headers): Readonly<Record<string, string>> =>
  Object.fromEntries(
    visibleHeaders.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );

const unreadableResponseError = (type: string, url: string): ToolExecutionError =>
  new ToolExecutionError(
    "failed",
    `${new URL(url).host} answered with ${type === "" ? "bytes of no type" : type.slice(0, 80)}, which is not text. http-request with as: "base64" gives it as it is.`,
    { ran: true, retryable: false },
  );
