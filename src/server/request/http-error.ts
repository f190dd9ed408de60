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
