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

/** A sign-in that waits for a person. It holds all that its end needs, so that another process can end it. */
export interface PendingSignIn {
  readonly state: string;
  readonly verifier: string;
  readonly url: string;
  readonly redirectUrl: string;
  readonly until: number;
  readonly server: AuthorizationServer;
  readonly client: OAuthClientInformationMixed;
  readonly asked?: string;
  /** The private key that the tokens will be bound to. */
  readonly key?: DpopKey;
}

/** What one party has at one MCP server. All of it comes from one issuer, and goes when the server names another. */
export interface TokenBundle {
  readonly version: 1;
  readonly server?: AuthorizationServer;
  readonly client?: OAuthClientInformationMixed;
  readonly tokens?: StoredTokens;
  /** Every scope that was asked for, granted or not: nobody is asked twice. */
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

/** What a store gave, if it is a bundle. */
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

/** Without what nobody needs again: metadata can be long, and files for secrets are bounded. */
export const trimServerMetadata = (server: AuthorizationServer): AuthorizationServer => {
  const { metadata, scopes: _, ...rest } = server;
  if (metadata === undefined) return rest;
  const fields = keptMetadataFields.flatMap((name) =>
    metadata[name] === undefined ? [] : [[name, metadata[name]]],
  );
  return { ...rest, metadata: Object.fromEntries(fields) as AuthorizationServerMetadata };
};
