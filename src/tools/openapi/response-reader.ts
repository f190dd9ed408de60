import { readJson } from "../../json/read-json.ts";
import { decode, type HttpResponse } from "../../tool/http/response.ts";
import { ToolError } from "../../words/errors.ts";
import type { ReadOperation } from "./operation.ts";

/** What the tool answers: JSON or text, bytes in base64, and of HEAD the headers. */
export const answerReader =
  ({ method, answers }: Pick<ReadOperation, "method" | "answers">) =>
  (response: HttpResponse): unknown => {
    if (method === "HEAD") return { status: response.status, headers: Object.fromEntries(response.headers) };
    const value = decodeOr64(response);
    // Some services send JSON under another name, and the document says that it is JSON.
    if (answers.length === 0 || typeof value !== "string") return value;
    const reading = readJson(value);
    return reading.ok ? reading.value : value;
  };

const decodeOr64 = (response: HttpResponse): unknown => {
  try {
    return decode(response);
  } catch (error) {
    const type = response.headers.get("content-type") ?? "";
    // What is called JSON and is none stays a failure.
    if (!ToolError.is(error) || /json/i.test(type)) throw error;
    return {
      mediaType: type.split(";", 1)[0]!.trim(),
      base64: Buffer.from(response.body).toString("base64"),
    };
  }
};
