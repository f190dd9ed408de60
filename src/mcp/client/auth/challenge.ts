import { extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import type { AuthCaller } from "./auth-caller.ts";

/** Why a token is wanted. */
export interface TokenChallenge {
  /** The one that the server did not take. */
  readonly refused?: string | undefined;
  readonly scope?: string | undefined;
  readonly resourceMetadataUrl?: URL | undefined;
  /** The server takes bound tokens only. */
  readonly wantsBound?: boolean;
  /** A token was good, but not for this: no refresh makes it more. */
  readonly isStepUp?: boolean;
}

/** What a server says that it wants, when it refuses a request. */
export const readChallenge = (response: Response): TokenChallenge => {
  const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
  const text = response.headers.get("www-authenticate") ?? "";
  const wantsBound = /(^|,)\s*dpop\b/i.test(text) && !/(^|,)\s*bearer\b/i.test(text);
  return { scope, resourceMetadataUrl, wantsBound };
};

const pingMessage = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

/** Knocks without a token, so that a sign-in nobody was refused for asks for the right scopes too. */
export const probeChallenge = async ({ server, fetch }: AuthCaller): Promise<TokenChallenge> => {
  try {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const response = await fetch(server.url, { method: "POST", headers, body: pingMessage });
    return response.status === 401 ? readChallenge(response) : {};
  } catch {
    return {};
  }
};
