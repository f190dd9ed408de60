import type { MachineGrant } from "../../../src/mcp/client/auth/auth-caller.ts";
import type { McpOAuth } from "../../../src/types/mcp.ts";
import { assertionGrant, clientCredentialsGrant, crossAppGrant, privateKeyGrant } from "./machine-grants.ts";
import { type Scene, textOf } from "./scene.ts";

/** The OAuth configuration that an operator would write for the scenario. */
export const oauthOf = (scene: Scene): McpOAuth => {
  const { issuer } = scene.context;
  if (scene.name === "auth/basic-cimd")
    return { clientMetadataUrl: "https://conformance-test.local/client-metadata.json" };
  if (scene.name !== "auth/pre-registration") return {};
  return {
    clientId: textOf(scene, "client_id"),
    clientSecret: textOf(scene, "client_secret"),
    ...(typeof issuer === "string" ? { issuer } : {}),
  };
};

const grants: Readonly<Record<string, (scene: Scene) => MachineGrant>> = {
  "auth/client-credentials-basic": (scene) =>
    clientCredentialsGrant({
      clientId: textOf(scene, "client_id"),
      clientSecret: textOf(scene, "client_secret"),
    }),
  "auth/client-credentials-jwt": (scene) =>
    privateKeyGrant({
      clientId: textOf(scene, "client_id"),
      privateKey: textOf(scene, "private_key_pem"),
      algorithm: textOf(scene, "signing_algorithm"),
    }),
  "auth/cross-app-access-complete-flow": (scene) => crossApp(scene),
  "auth/enterprise-managed-authorization": (scene) => crossApp(scene),
  "auth/wif-jwt-bearer": (scene) =>
    assertionGrant({
      clientId: textOf(scene, "client_id"),
      assertion: () => textOf(scene, "valid_jwt"),
    }),
};

const crossApp = (scene: Scene): MachineGrant =>
  crossAppGrant({
    clientId: textOf(scene, "client_id"),
    clientSecret: textOf(scene, "client_secret"),
    identityTokenUrl: textOf(scene, "idp_token_endpoint"),
    identityClientId: textOf(scene, "idp_client_id"),
    idToken: () => textOf(scene, "idp_id_token"),
  });

export const machineOf = (scene: Scene): MachineGrant | undefined => grants[scene.name]?.(scene);
