import { extractWWWAuthenticateParams } from "@modelcontextprotocol/client";
import { quoted } from "../../../base/credentials/oauth/credential-errors.ts";
import { CredentialsError } from "../../../types/errors.ts";
import type { AuthCaller } from "./auth-caller.ts";

export interface TokenChallenge {
  readonly rejectedToken?: string | undefined;
  readonly scope?: string | undefined;
  readonly resourceMetadataUrl?: URL | undefined;
  readonly requiresDpop?: boolean;
  /** The token is valid but lacks scopes, so a refresh does not help. */
  readonly isStepUp?: boolean;
}

export const readChallenge = (response: Response): TokenChallenge => {
  const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
  const text = response.headers.get("www-authenticate") ?? "";
  const wantsBound = /(^|,)\s*dpop\b/i.test(text) && !/(^|,)\s*bearer\b/i.test(text);
  return { scope, resourceMetadataUrl, requiresDpop: wantsBound };
};

const pingMessage = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

/** Pings without a token, so that a manual sign-in requests the scopes that the server names. */
export const probeChallenge = async ({ server, fetch }: AuthCaller): Promise<TokenChallenge> => {
  try {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const response = await fetch(server.url, { method: "POST", headers, body: pingMessage });
    return response.status === 401 ? readChallenge(response) : {};
  } catch {
    return {};
  }
};

export const mcpServerLabel = (id: string): string => `MCP server ${quoted(id)}`;

export const mcpSignInRequiredError = (label: string, url: string): CredentialsError =>
  new CredentialsError(
    "sign_in_required",
    `The ${label} requires a sign-in. A person must sign in at ${url}`,
    { ran: false, detail: url },
  );

export const signInFailedError = (label: string, why: string): CredentialsError =>
  new CredentialsError("sign_in_required", `The sign-in to the ${label} ${why}.`, { ran: false });
