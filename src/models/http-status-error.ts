/** An HTTP refusal with all it says; SDKs that raise their own lose the headers, and with them Retry-After. */
export class HttpStatusError extends Error {
  override readonly name = "RefusedResponse";
  readonly status: number;
  readonly headers: Headers;

  constructor(status: number, headers: Headers, body: string) {
    super(body === "" ? `status ${status}` : body);
    this.status = status;
    this.headers = headers;
  }
}

/** Throws for what is not a success, before an SDK reads it. */
export const assertOk = async (response: Response): Promise<Response> => {
  if (response.ok) return response;
  throw new HttpStatusError(response.status, response.headers, await response.text());
};
