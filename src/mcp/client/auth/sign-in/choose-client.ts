import { type OAuthClientInformationMixed, registerClient } from "@modelcontextprotocol/client";
import { authRejectedError } from "../../../../base/credentials/oauth/credential-errors.ts";
import { ToolError } from "../../../../types/errors.ts";
import { type AuthCaller, type AuthServices, checkSecretIssuer } from "../auth-caller.ts";
import type { AuthorizationServer } from "../authorization-server.ts";

interface ClientQuery {
  readonly server: AuthorizationServer;
  readonly redirectUrl: string;
  readonly scope: string | undefined;
  readonly kept: OAuthClientInformationMixed | undefined;
}

const isUsableClient = (client: OAuthClientInformationMixed, redirectUrl: string, now: number): boolean => {
  const uris = "redirect_uris" in client ? client.redirect_uris : undefined;
  const expires = client.client_secret_expires_at ?? 0;
  const isKnown = uris === undefined || uris.some((uri) => String(uri) === redirectUrl);
  return isKnown && (expires === 0 || expires * 1_000 > now);
};

const authMethodFor = ({ metadata }: AuthorizationServer): string | undefined => {
  const methods = metadata?.token_endpoint_auth_methods_supported;
  // A secret on a user's machine is not confidential, so a public client is preferred.
  if (methods === undefined || methods.includes("none")) return "none";
  return ["client_secret_basic", "client_secret_post"].find((method) => methods.includes(method));
};

const registerNewClient = async (
  { owner, fetch }: AuthCaller,
  { server, redirectUrl, scope }: ClientQuery,
) => {
  const method = authMethodFor(server);
  try {
    return await registerClient(server.url, {
      ...(server.metadata === undefined ? {} : { metadata: server.metadata }),
      clientMetadata: {
        client_name: "Haft",
        redirect_uris: [redirectUrl],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        application_type: new URL(redirectUrl).protocol === "http:" ? "native" : "web",
        ...(method === undefined ? {} : { token_endpoint_auth_method: method }),
      },
      ...(scope === undefined ? {} : { scope }),
      fetchFn: fetch,
    });
  } catch (error) {
    if (ToolError.is(error)) throw error;
    throw authRejectedError(
      owner.label,
      "has an authorization server without dynamic client registration; register a client and set oauth.clientId",
    );
  }
};

export const isFixedClient = ({ oauth }: AuthCaller, { metadata }: AuthorizationServer): boolean =>
  oauth.clientId !== undefined ||
  (oauth.clientMetadataUrl !== undefined && metadata?.client_id_metadata_document_supported === true);

export const chooseClient = async (
  { now, reveal }: AuthServices,
  caller: AuthCaller,
  query: ClientQuery,
): Promise<OAuthClientInformationMixed> => {
  const { clientId, clientSecret, clientMetadataUrl } = caller.oauth;
  if (clientId !== undefined) {
    if (clientSecret === undefined) return { client_id: clientId };
    checkSecretIssuer(caller, query.server);
    return { client_id: clientId, client_secret: await reveal(clientSecret) };
  }
  if (clientMetadataUrl !== undefined && isFixedClient(caller, query.server))
    return { client_id: clientMetadataUrl };
  if (query.kept !== undefined && isUsableClient(query.kept, query.redirectUrl, now())) return query.kept;
  return registerNewClient(caller, query);
};
