import { headerProblem } from "../../base/http/headers.ts";
import { ToolDefinitionError } from "../../types/errors.ts";
import type { RequestContent } from "./encode-content.ts";
import { type RequestParameter, resolveParameter } from "./resolve-parameter.ts";
import { readTemplate } from "./url-template.ts";

const httpMethods = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"] as const;

export interface RequestOptions<In> {
  /** `{name}` in the path takes that part of the input. */
  readonly url: string;
  readonly method?: (typeof httpMethods)[number];
  /** Left out, GET and DELETE send what the path did not take of the input. */
  readonly query?: RequestFields<In>;
  readonly headers?: RequestFields<In>;
  /** Left out, POST, PUT and PATCH send what the path did not take of the input. */
  readonly body?: RequestFields<In> | ((input: In) => unknown);
  /** Parts of the input with a place and a style of their own. With them, nothing else of the input is sent unless it is named. */
  readonly parameters?: readonly RequestParameter[];
  /** The part of the input that is the body, and how it is written: JSON, a form, text or bytes. In place of `body`. */
  readonly content?: RequestContent;
}

/** Throws at definition time what no input could repair. */
export const checkRequest = <In>(options: RequestOptions<In>): void => {
  const { method = "GET", headers = {}, body, content, parameters = [] } = options;
  const refuse = (why: string) => new ToolDefinitionError("invalid_definition", `An HTTP tool ${why}.`);
  if (!httpMethods.includes(method)) throw refuse(`has one of the methods ${httpMethods.join(", ")}`);
  if (method === "GET" && body !== undefined) throw refuse("that uses GET sends no body; use `query`");
  if (body !== undefined && content !== undefined)
    throw refuse("has both `body` and `content`; leave one out");
  for (const name of Object.keys(headers)) {
    const reason = headerProblem(name, "");
    if (reason !== undefined) throw refuse(`cannot be sent: ${reason}`);
  }
  for (const parameter of parameters) resolveParameter(parameter);
  readTemplate(options.url);
};

/** Named parts of a request: constants, and functions of the validated input. */
export type RequestFields<In> = Readonly<Record<string, FieldValue | ((input: In) => unknown)>>;

type FieldValue = string | number | boolean | null | undefined;
