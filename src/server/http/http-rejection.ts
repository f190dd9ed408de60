/** Never repeats input of the caller. */
export interface HttpRejection {
  readonly status: number;
  readonly error: string;
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

/** At least one second, so that clients do not retry at once. */
export const retryAfterHeader = (ms: number): HttpRejection["headers"] => ({
  "retry-after": String(Math.max(1, Math.ceil(ms / 1000))),
});
