import { ChatError } from "../../chat/request/chat-error.ts";
import { checkOrigin, readChatBody } from "../../chat/request/check-request.ts";
import { ApiRequestError } from "../api-error.ts";

export const maxBodyBytes = 1_048_576;

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;

/** Prevents DNS rebinding. */
export const checkHost = (request: Request, hosts: readonly string[]): void => {
  const host = (request.headers.get("host") ?? new URL(request.url).host).toLowerCase();
  if (loopback.test(host) || hosts.includes(host)) return;
  throw new ApiRequestError(
    403,
    "foreign_host",
    "This Host header is not allowed. Use the address that the Studio printed, or add the host to `hosts`.",
  );
};

/** Browsers send it across origins only after a CORS preflight, which fails. */
export const csrfHeader = "x-haft-studio";

export const checkWriteRequest = (request: Request): void => {
  checkOrigin(request, []);
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") {
    throw new ApiRequestError(403, "foreign_origin", "This request comes from a page of another origin.");
  }
  if (request.headers.get(csrfHeader) === null) {
    throw new ApiRequestError(
      403,
      "csrf",
      "The header X-Haft-Studio is missing. Send X-Haft-Studio: 1 with every POST.",
    );
  }
};

/** Also refuses requests from the frame of MCP Apps. */
export const checkReadRequest = (request: Request): void => {
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  const own = request.headers.get("host") ?? new URL(request.url).host;
  const isForeign =
    (site !== null && site !== "same-origin" && site !== "none") ||
    (origin !== null && !(URL.canParse(origin) && new URL(origin).host === own));
  if (!isForeign) return;
  throw new ApiRequestError(403, "foreign_origin", "This request comes from a page of another origin.");
};

/** Later code reads the body recursively. */
const maxBodyDepth = 100;

export const readJsonBody = async (request: Request): Promise<Readonly<Record<string, unknown>>> => {
  try {
    const body = await readChatBody(request, maxBodyBytes);
    if (isDeeperThan(body, maxBodyDepth)) {
      throw new ApiRequestError(400, "too_deep", `The body is nested more than ${maxBodyDepth} levels deep.`);
    }
    return body;
  } catch (error) {
    if (!(error instanceof ChatError) || error.status !== 413) throw error;
    throw new ApiRequestError(413, "too_large", `The body has more than ${maxBodyBytes} bytes.`);
  }
};

const isDeeperThan = (value: object, maxDepth: number): boolean => {
  let level: readonly object[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true;
    level = level.flatMap((each) =>
      Object.values(each).filter((inner) => typeof inner === "object" && inner !== null),
    );
  }
  return false;
};
