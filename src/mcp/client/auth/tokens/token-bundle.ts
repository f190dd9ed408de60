import type { AuthorizationServerMetadata, OAuthClientInformationMixed } from "@modelcontextprotocol/client";
import { isObject } from "../../../../base/json/is-object.ts";
import type { AuthorizationServer } from "../authorization-server.ts";
import type { DpopKey } from "./bound-key.ts";

export interface StoredTokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly refresh_token?: string;
  readonly scope?: string;
  readonly issuedAt: number;
  readonly expiresAt?: number;
}

/** Holds everything that another process needs to finish the sign-in. */
export interface PendingSignIn {
  readonly state: string;
  readonly verifier: string;
  readonly url: string;
  readonly redirectUrl: string;
  readonly until: number;
  readonly server: AuthorizationServer;
  readonly client: OAuthClientInformationMixed;
  readonly asked?: string;
  readonly key?: DpopKey;
}

/** State of one caller at one MCP server. It is discarded when the server names another issuer. */
export interface TokenBundle {
  readonly version: 1;
  readonly server?: AuthorizationServer;
  readonly client?: OAuthClientInformationMixed;
  readonly tokens?: StoredTokens;
  /** Requested scopes, granted or not. */
  readonly asked?: string;
  readonly signedInAt?: number;
  readonly key?: DpopKey;
  readonly waiting?: PendingSignIn;
}

const isStoredServer = (value: unknown): boolean =>
  isObject(value) && typeof value.url === "string" && typeof value.issuer === "string";

const isStoredTokens = (value: unknown): boolean =>
  isObject(value) && typeof value.access_token === "string" && typeof value.issuedAt === "number";

const isPendingSignIn = (value: unknown): boolean =>
  isObject(value) &&
  ["state", "verifier", "url", "redirectUrl"].every((name) => typeof value[name] === "string") &&
  isStoredServer(value.server) &&
  isObject(value.client);

export const readTokenBundle = (text: string): TokenBundle | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value.version !== 1) return undefined;
  const { server, tokens, client, waiting } = value;
  const isWhole =
    (server === undefined || isStoredServer(server)) &&
    (tokens === undefined || (isStoredTokens(tokens) && isStoredServer(server))) &&
    (client === undefined || isObject(client)) &&
    (waiting === undefined || isPendingSignIn(waiting));
  return isWhole ? (value as unknown as TokenBundle) : undefined;
};

const keptMetadataFields = [
  "issuer",
  "authorization_endpoint",
  "token_endpoint",
  "response_types_supported",
  "code_challenge_methods_supported",
  "token_endpoint_auth_methods_supported",
  "authorization_response_iss_parameter_supported",
] as const;

/** Secret files have a size limit. */
export const trimServerMetadata = (server: AuthorizationServer): AuthorizationServer => {
  const { metadata, scopes: _, ...rest } = server;
  if (metadata === undefined) return rest;
  const fields = keptMetadataFields.flatMap((name) =>
    metadata[name] === undefined ? [] : [[name, metadata[name]]],
  );
  return { ...rest, metadata: Object.fromEntries(fields) as AuthorizationServerMetadata };
};
