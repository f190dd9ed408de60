import { OutsideError, ToolExecutionError, ToolTimeoutError } from "../../words/errors.ts";
import type { RequestError } from "../outside.ts";
import type { Hop } from "../redirect.ts";
import { howToAllow, shown } from "../url.ts";
import { AnswerTooLarge, UnknownEncoding } from "./body.ts";
import { RefusedAddress, Unreached } from "./connector.ts";

const codeOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
};

// Parser errors carry raw bytes of the answer, so no foreign error is kept as a cause: only its words are.
const detailOf = (error: Error): string => `${codeOf(error) || error.name}: ${error.message}`.slice(0, 300);

const timeouts: ReadonlySet<string> = new Set(["UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"]);

const isTrust = (code: string): boolean => code.startsWith("ERR_TLS") || code.includes("CERT");

const unreached = (error: Unreached, where: string, ran: boolean): RequestError => {
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = codeOf(cause);
  const details = { ran, detail: detailOf(cause) };
  if (timeouts.has(code))
    return new ToolTimeoutError("timed_out", `${where} did not connect in time.`, details);
  if (isTrust(code)) {
    const message = `${where} has no valid certificate.`;
    return new ToolExecutionError("failed", message, { ...details, retryable: false });
  }
  return new ToolExecutionError("failed", `${where} could not be reached${code && ` (${code})`}.`, details);
};

/** Whatever stopped a hop, as an error of the table. `ran` says whether an earlier hop was sent already. */
export const toRequestError = (error: Error, hop: Hop, ran: boolean): RequestError => {
  const where = shown(hop.url);
  if (error instanceof RefusedAddress) {
    const hint = error.mayBeAllowed ? ` ${howToAllow(hop.url)}` : "";
    const message = `The outgoing client refused ${where}: its host leads to a ${error.kind} address, and only public addresses are reached.${hint}`;
    return new OutsideError("outside_refused", message, { ran, detail: error.message });
  }
  if (error instanceof Unreached) return unreached(error, where, ran);
  if (error instanceof AnswerTooLarge) {
    const message = `The outgoing client refused the answer of ${where}: it has ${error.message}.`;
    return new OutsideError("outside_refused", message, { ran: true });
  }
  if (error instanceof UnknownEncoding) {
    const message = `${where} answered with ${error.message}, which cannot be read.`;
    return new ToolExecutionError("failed", message, { ran: true, retryable: false });
  }
  const detail = detailOf(error);
  switch (codeOf(error)) {
    case "UND_ERR_HEADERS_OVERFLOW": {
      const message = `The outgoing client refused the answer of ${where}: its headers are too large.`;
      return new OutsideError("outside_refused", message, { ran: true, detail });
    }
    case "UND_ERR_INVALID_ARG":
      return new OutsideError("outside_refused", `The request to ${where} is not valid HTTP.`, {
        ran,
        detail,
      });
    case "UND_ERR_CLOSED":
    case "UND_ERR_DESTROYED":
      return new ToolExecutionError("failed", "The outgoing client is closed.", {
        // A client that is destroyed ends requests that are under way as well.
        ran: ran || codeOf(error) === "UND_ERR_DESTROYED",
        detail,
        retryable: false,
      });
    default:
      return new ToolExecutionError("failed", `${where} broke off before its answer was complete.`, {
        ran: true,
        detail,
      });
  }
};
