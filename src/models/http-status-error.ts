/** Keeps the headers, including Retry-After, which errors of SDKs lose. */
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

export const assertOk = async (response: Response): Promise<Response> => {
  if (response.ok) return response;
  throw new HttpStatusError(response.status, response.headers, await response.text());
};
