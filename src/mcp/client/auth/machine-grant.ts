import {
  type AddClientAuthentication,
  createPrivateKeyJwtAuth,
  type FetchLike,
  fetchToken,
  type OAuthTokens,
  requestJwtAuthorizationGrant,
} from "@modelcontextprotocol/client";
import type { MaybeSecret } from "../../../types/mcp.ts";
import type { AuthorizationServer } from "./authorization-server.ts";

export interface MachineGrantRequest {
  readonly issuer: string;
  readonly resource: string | undefined;
  readonly scope: string | undefined;
  readonly fetch: FetchLike;
}

/** Obtains tokens without user interaction. */
export interface MachineGrant {
  readonly clientId: string;
  readonly clientSecret?: MaybeSecret;
  readonly issuer?: string;
  /** Form fields of the token request. */
  readonly form: (
    request: MachineGrantRequest,
  ) => Readonly<Record<string, string>> | Promise<Record<string, string>>;
  readonly authenticate?: AddClientAuthentication;
}

const jwtBearerGrantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";

export const clientCredentialsGrant = (client: Omit<MachineGrant, "form">): MachineGrant => ({
  ...client,
  form: () => ({ grant_type: "client_credentials" }),
});

interface PrivateKeyOptions {
  readonly clientId: string;
  readonly issuer?: string;
  readonly privateKey: string;
  readonly algorithm: string;
}

export const privateKeyGrant = ({ privateKey, algorithm, ...client }: PrivateKeyOptions): MachineGrant =>
  clientCredentialsGrant({
    ...client,
    authenticate: createPrivateKeyJwtAuth({
      issuer: client.clientId,
      subject: client.clientId,
      privateKey,
      alg: algorithm,
    }),
  });

interface AssertionOptions extends Omit<MachineGrant, "form"> {
  readonly assertion: (request: MachineGrantRequest) => string | Promise<string>;
}

/** JWT assertion (RFC 7523) of a trusted issuer, such as a workload platform. */
export const assertionGrant = ({ assertion, ...client }: AssertionOptions): MachineGrant => ({
  ...client,
  form: async (request) => ({ grant_type: jwtBearerGrantType, assertion: await assertion(request) }),
});

interface CrossAppOptions extends Omit<MachineGrant, "form"> {
  readonly identityTokenUrl: string;
  readonly identityClientId: string;
  readonly idToken: () => string | Promise<string>;
}

/** Exchanges the user's ID token at the identity provider for an assertion. */
export const crossAppGrant = ({
  identityTokenUrl,
  identityClientId,
  idToken,
  ...client
}: CrossAppOptions): MachineGrant =>
  assertionGrant({
    ...client,
    assertion: async ({ issuer, resource, scope, fetch }) => {
      const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
        tokenEndpoint: identityTokenUrl,
        audience: issuer,
        resource: resource ?? issuer,
        idToken: await idToken(),
        clientId: identityClientId,
        ...(scope === undefined ? {} : { scope }),
        fetchFn: fetch,
      });
      return jwtAuthGrant;
    },
  });

interface MachineTokenRequest extends MachineGrantRequest {
  readonly server: AuthorizationServer;
  readonly clientSecret: string | undefined;
}

export const requestMachineTokens = (
  grant: MachineGrant,
  request: MachineTokenRequest,
): Promise<OAuthTokens> => {
  const { server, clientSecret, scope, resource, fetch } = request;
  const client = {
    client_id: grant.clientId,
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
  };
  const unused = (): never => {
    throw new Error("a machine grant has no sign-in");
  };
  return fetchToken(
    {
      redirectUrl: undefined,
      clientMetadata: { redirect_uris: [] },
      clientInformation: () => client,
      tokens: () => undefined,
      saveTokens: unused,
      redirectToAuthorization: unused,
      saveCodeVerifier: unused,
      codeVerifier: unused,
      prepareTokenRequest: async () => {
        const form = new URLSearchParams(await grant.form(request));
        if (scope !== undefined) form.set("scope", scope);
        return form;
      },
      ...(grant.authenticate === undefined ? {} : { addClientAuthentication: grant.authenticate }),
    },
    server.url,
    {
      ...(server.metadata === undefined ? {} : { metadata: server.metadata }),
      ...(resource === undefined ? {} : { resource }),
      ...(scope === undefined ? {} : { scope }),
      fetchFn: fetch,
    },
  );
};
