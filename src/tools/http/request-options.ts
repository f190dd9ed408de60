import { headerProblem } from "../../base/http/headers.ts";
import { ToolDefinitionError } from "../../types/errors.ts";
import type { RequestContent } from "./encode-content.ts";
import { type RequestParameter, resolveParameter } from "./resolve-parameter.ts";
import { readTemplate } from "./url-template.ts";

const httpMethods = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"] as const;

export interface RequestOptions<In> {
  /** `{name}` in the path is filled from the input. */
  readonly url: string;
  readonly method?: (typeof httpMethods)[number];
  /** By default, GET and DELETE send the rest of the input here. */
  readonly query?: RequestFields<In>;
  readonly headers?: RequestFields<In>;
  /** By default, POST, PUT and PATCH send the rest of the input here. */
  readonly body?: RequestFields<In> | ((input: In) => unknown);
  /** Input properties with their own place and style. If set, other properties are not sent unless named. */
  readonly parameters?: readonly RequestParameter[];
  /** The property that becomes the body, encoded as JSON, form, text or bytes. Replaces `body`. */
  readonly content?: RequestContent;
}

export const checkRequest = <In>(options: RequestOptions<In>): void => {
  const { method = "GET", headers = {}, body, content, parameters = [] } = options;
  const refuse = (why: string) => new ToolDefinitionError("invalid_definition", `An HTTP tool ${why}.`);
  if (!httpMethods.includes(method)) throw refuse(`must have one of the methods ${httpMethods.join(", ")}`);
  if (method === "GET" && body !== undefined) throw refuse("with GET cannot send a body; use `query`");
  if (body !== undefined && content !== undefined) throw refuse("has both `body` and `content`; remove one");
  for (const name of Object.keys(headers)) {
    const reason = headerProblem(name, "");
    if (reason !== undefined) throw refuse(`cannot be sent: ${reason}`);
  }
  for (const parameter of parameters) resolveParameter(parameter);
  readTemplate(options.url);
};

/** Constants, or functions of the validated input. */
export type RequestFields<In> = Readonly<Record<string, FieldValue | ((input: In) => unknown)>>;

type FieldValue = string | number | boolean | null | undefined;
