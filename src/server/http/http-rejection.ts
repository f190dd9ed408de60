/** An answer that ends a request early. Its text is ours alone: nothing a caller sent is repeated in it. */
export interface HttpRefusal {
  readonly status: number;
  readonly error: string;
  /** What was wrong, and what to do about it. */
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const refusal = (
  status: number,
  error: string,
  message: string,
  headers?: HttpRefusal["headers"],
): HttpRefusal => Object.freeze({ status, error, message, ...(headers === undefined ? {} : { headers }) });

export const isRefusal = (value: object): value is HttpRefusal => "status" in value && "error" in value;

/** Whole seconds, and never 0: a client that waits for nothing asks again at once. */
export const retryAfter = (ms: number): HttpRefusal["headers"] => ({
  "retry-after": String(Math.max(1, Math.ceil(ms / 1000))),
});
