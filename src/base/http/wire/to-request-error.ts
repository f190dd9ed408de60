import { HttpEgressError, ToolExecutionError, ToolTimeoutError } from "../../../types/errors.ts";
import type { RequestError } from "../http-egress.ts";
import type { RequestHop } from "../redirect.ts";
import { allowAdvice, displayUrl } from "../url.ts";
import { ConnectionFailedError, RefusedAddressError } from "./connector.ts";
import { ResponseTooLargeError, UnknownEncodingError } from "./read-body-stream.ts";

const codeOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
};

// Parser errors carry raw response bytes, so the error is not kept as a cause.
const detailOf = (error: Error): string => `${codeOf(error) || error.name}: ${error.message}`.slice(0, 300);

const timeoutCodes: ReadonlySet<string> = new Set(["UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"]);

const isTlsErrorCode = (code: string): boolean => code.startsWith("ERR_TLS") || code.includes("CERT");

const toConnectionError = (error: ConnectionFailedError, where: string, ran: boolean): RequestError => {
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = codeOf(cause);
  const details = { ran, detail: detailOf(cause) };
  if (timeoutCodes.has(code))
    return new ToolTimeoutError("timed_out", `${where} did not connect in time.`, details);
  if (isTlsErrorCode(code)) {
    const message = `${where} has no valid certificate.`;
    return new ToolExecutionError("failed", message, { ...details, retryable: false });
  }
  return new ToolExecutionError("failed", `${where} could not be reached${code && ` (${code})`}.`, details);
};

/** `ran` says whether an earlier hop was sent. */
export const toRequestError = (error: Error, hop: RequestHop, ran: boolean): RequestError => {
  const where = displayUrl(hop.url);
  if (error instanceof RefusedAddressError) {
    const hint = error.mayBeAllowed ? ` ${allowAdvice(hop.url)}` : "";
    const message = `The HTTP client refused ${where}: its host resolves to a ${error.kind} address, and only public addresses can be reached.${hint}`;
    return new HttpEgressError("outside_refused", message, { ran, detail: error.message });
  }
  if (error instanceof ConnectionFailedError) return toConnectionError(error, where, ran);
  if (error instanceof ResponseTooLargeError) {
    const message = `The HTTP client refused the response of ${where}: it has ${error.message}.`;
    return new HttpEgressError("outside_refused", message, { ran: true });
  }
  if (error instanceof UnknownEncodingError) {
    const message = `${where} answered with ${error.message}, which cannot be read.`;
    return new ToolExecutionError("failed", message, { ran: true, retryable: false });
  }
  const detail = detailOf(error);
  switch (codeOf(error)) {
    case "UND_ERR_HEADERS_OVERFLOW": {
      const message = `The HTTP client refused the response of ${where}: its headers are too large.`;
      return new HttpEgressError("outside_refused", message, { ran: true, detail });
    }
    case "UND_ERR_INVALID_ARG":
      return new HttpEgressError("outside_refused", `The request to ${where} is not valid HTTP.`, {
        ran,
        detail,
      });
    case "UND_ERR_CLOSED":
    case "UND_ERR_DESTROYED":
      return new ToolExecutionError("failed", "The HTTP client is closed.", {
        // Destroying the client ends running requests.
        ran: ran || codeOf(error) === "UND_ERR_DESTROYED",
        ...(codeOf(error) === "UND_ERR_DESTROYED" ? { answerLost: true } : {}),
        detail,
        retryable: false,
      });
    default:
      return new ToolExecutionError(
        "failed",
        `${where} closed the connection before its response was complete.`,
        {
          ran: true,
          answerLost: true,
          detail,
        },
      );
  }
};
