import { readJson } from "../../base/json/read-json.ts";
import { ToolError } from "../../types/errors.ts";
import { decodeResponse, type HttpResponse } from "../http/http-response.ts";
import type { ParsedOperation } from "./operation.ts";

/** Bytes become base64; HEAD returns the headers. */
export const responseReader =
  ({ method, answers }: Pick<ParsedOperation, "method" | "answers">) =>
  (response: HttpResponse): unknown => {
    if (method === "HEAD") return { status: response.status, headers: Object.fromEntries(response.headers) };
    const value = decodeOrBase64(response);
    // Some services send JSON with another content type.
    if (answers.length === 0 || typeof value !== "string") return value;
    const reading = readJson(value);
    return reading.ok ? reading.value : value;
  };

const decodeOrBase64 = (response: HttpResponse): unknown => {
  try {
    return decodeResponse(response);
  } catch (error) {
    const type = response.headers.get("content-type") ?? "";
    // Invalid JSON remains a failure.
    if (!ToolError.is(error) || /json/i.test(type)) throw error;
    return {
      mediaType: type.split(";", 1)[0]!.trim(),
      base64: Buffer.from(response.body).toString("base64"),
    };
  }
};
