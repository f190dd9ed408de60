import { createPrivateKeyJwtAuth, requestJwtAuthorizationGrant } from "@modelcontextprotocol/client";
import type { MachineGrant, MachineGrantRequest } from "../../../src/mcp/client/auth/auth-caller.ts";

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

export const privateKeyGrant = ({ privateKey, algorithm, ...client }: PrivateKeyOptions): MachineGrant => {
  const { clientId } = client;
  const sign = createPrivateKeyJwtAuth({ issuer: clientId, subject: clientId, privateKey, alg: algorithm });
  return {
    ...client,
    form: async ({ issuer }) => {
      const form = new URLSearchParams({ grant_type: "client_credentials" });
      await sign(new Headers(), form, issuer);
      return Object.fromEntries(form);
    },
  };
};

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
