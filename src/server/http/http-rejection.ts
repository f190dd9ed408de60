/** An answer that ends a request early. Its text is ours alone: nothing a caller sent is repeated in it. */
export interface HttpRejection {
  readonly status: number;
  readonly error: string;
  /** What was wrong, and what to do about it. */
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const httpRejection = (
  status: number,
  error: string,
  message: string,
  headers?: HttpRejection["headers"],
): HttpRejection => Object.freeze({ status, error, message, ...(headers === undefined ? {} : { headers }) });

export const isHttpRejection = (value: object): value is HttpRejection =>
  "status" in value && "error" in value;

/** Whole seconds, and never 0: a client that waits for nothing asks again at once. */
export const retryAfterHeader = (ms: number): HttpRejection["headers"] => ({
  "retry-after": String(Math.max(1, Math.ceil(ms / 1000))),
});
