/** The page may show the message. */
export class ChatError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export const toChatErrorResponse = ({ status, code, message, headers }: ChatError): Response =>
  noStoreJsonResponse({ error: { code, message } }, status, headers);

export const noStoreJsonResponse = (
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store", ...headers },
  });

export const chatNotFoundError = (): ChatError => new ChatError(404, "not_found", "The chat does not exist.");

export const chatBusyError = (): ChatError =>
  new ChatError(
    409,
    "busy",
    "Another answer is being written in this chat. Wait until it is complete or stop it, then send the message again.",
  );

export const chatDeletedError = (): ChatError =>
  new ChatError(410, "deleted", "This chat was deleted. Start a chat with another id.");

export const approvalOpenError = (): ChatError =>
  new ChatError(
    409,
    "question_open",
    "A call of this chat is pending approval. Decide the approval request or stop the answer before you send another message.",
  );
