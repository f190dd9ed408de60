import { randomUUID } from "node:crypto";
import { ToolError } from "../../types/errors.ts";
import { failures } from "../../types/failures.ts";

type HttpHeaders = Readonly<Record<string, string>>;

export interface HttpErrorOptions {
  readonly headers?: HttpHeaders;
  /** Further fields of `error` in the body. */
  readonly details?: object;
  /** Fields of the body next to `error`. */
  readonly body?: object;
}

/** Ends a request with an error response. The message is for the client and never repeats its input. */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: HttpHeaders;
  readonly details: object;
  readonly body: object;

  constructor(status: number, code: string, message: string, options: HttpErrorOptions = {}) {
    super(message);
    const { headers = {}, details = {}, body = {} } = options;
    this.name = "HttpError";
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.details = details;
    this.body = body;
  }
}

/** At least one second, so that clients do not retry at once. */
export const retryAfter = (ms: number): HttpHeaders => ({
  "retry-after": String(Math.max(1, Math.ceil(ms / 1000))),
});

/** Users may read what models may read. */
export const clientMessageOf = (error: unknown): string | undefined =>
  error instanceof HttpError || (ToolError.is(error) && failures[error.code].reader === "model")
    ? error.message
    : undefined;

/** Receives errors that clients see only as a reference. */
export type ReportError = (error: unknown, reference: string) => void;

/** Reports errors that are not for clients. */
export const toHttpError = (error: unknown, report: ReportError): HttpError => {
  if (error instanceof HttpError) return error;
  const text = clientMessageOf(error);
  if (text !== undefined && ToolError.is(error)) return new HttpError(422, error.code, text);
  const reference = randomUUID();
  reportSafely(report, error, reference);
  return new HttpError(500, "internal_error", internalErrorText(reference));
};

export const internalErrorText = (reference: string): string =>
  `The request failed because of an internal error. The operator finds details in the log under the reference ${reference}.`;

export const reportSafely = (report: ReportError, error: unknown, reference: string): void => {
  try {
    report(error, reference);
  } catch {
    // A failing callback must not break the response.
  }
};

/** Default of `onError`. */
export const warnOfError =
  (what: string): ReportError =>
  (error, reference) => {
    const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.emitWarning(`${what} failed (${reference}): ${details}`, "HaftWarning");
  };

type ResponseHeaders = Readonly<Record<string, string>>;

const responseTexts = new WeakMap<Response, string>();

/** Keeps the text, so that the host need not read a stream. */
export const textResponse = (text: string, status = 200, headers: ResponseHeaders = {}): Response => {
  const init = { status, headers: { "content-type": "application/json", ...headers } };
  const response = new Response(text, init);
  responseTexts.set(response, text);
  return response;
};

export const responseTextOf = (response: Response): string | undefined => responseTexts.get(response);

const longLivedResponses = new WeakSet<Response>();

/** Marks notification streams, which last until one side closes them. */
export const markLongLived = (response: Response): Response => {
  longLivedResponses.add(response);
  return response;
};

export const isLongLived = (response: Response): boolean => longLivedResponses.has(response);

export const jsonResponse = (body: unknown, status = 200, headers: ResponseHeaders = {}): Response =>
  textResponse(JSON.stringify(body), status, {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
  });

/** Errors of all endpoints; MCP messages have `rpcErrorMessage`. */
export const errorResponse = ({ status, code, message, headers, details, body }: HttpError): Response =>
  jsonResponse({ ...body, error: { code, message, ...details } }, status, headers);

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Errors of MCP messages, on every transport. The ID is null if it cannot be read. */
export const rpcErrorMessage = (error: RpcError, id: unknown = null) => ({
  jsonrpc: "2.0" as const,
  error,
  id: typeof id === "string" || typeof id === "number" ? id : null,
});

export const rpcErrorResponse = (
  status: number,
  error: RpcError,
  { id, headers }: { readonly id?: unknown; readonly headers?: ResponseHeaders } = {},
): Response => textResponse(JSON.stringify(rpcErrorMessage(error, id)), status, headers);

/** JSON-RPC has one code for server errors. */
const rpcServerErrorCode = -32_000;

export const toRpcError = ({ status, code, message, headers }: HttpError): RpcError => {
  const after = headers["retry-after"];
  const retryAfterSec = after === undefined ? {} : { retryAfterSec: Number(after) };
  return { code: rpcServerErrorCode, message, data: { status, error: code, ...retryAfterSec } };
};
