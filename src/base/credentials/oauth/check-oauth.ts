import { ConfigurationError } from "../../../types/errors.ts";
import { checkFields } from "../../json/check-fields.ts";
import type { JsonObject } from "../../json/is-object.ts";
import { endpointProblem } from "./endpoint-problem.ts";
import type { OAuthCredential } from "./oauth-credential.ts";

const commonFields = [
  "grant",
  "clientId",
  "clientSecret",
  "clientAuth",
  "tokenUrl",
  "issuer",
  "scopes",
  "audience",
  "resource",
];

const fieldsByGrant: Readonly<Record<OAuthCredential["grant"], readonly string[]>> = {
  client_credentials: commonFields,
  refresh_token: [...commonFields, "refreshToken"],
  authorization_code: [...commonFields, "authorizationUrl", "redirectUrl"],
};

const isText = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";

const isScope = (value: unknown): boolean =>
  typeof value === "string" && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value);

const isResource = (value: unknown): boolean =>
  typeof value === "string" && URL.canParse(value) && !value.includes("#");

const credentialProblem = (given: JsonObject): string | undefined => {
  const { grant, clientId, clientSecret, clientAuth, tokenUrl, issuer, scopes, audience, resource } = given;
  if (!isText(clientId)) return "clientId must be the client id that the service registered";
  if (clientSecret !== undefined && !isText(clientSecret)) return "clientSecret must be the name of a secret";
  if (grant === "client_credentials" && clientSecret === undefined)
    return "clientSecret must be the name of a secret: without it, any client could request this token";
  if (clientAuth !== undefined && clientAuth !== "basic" && clientAuth !== "form")
    return 'clientAuth must be "basic" or "form"';
  if (tokenUrl === undefined && issuer === undefined) return "tokenUrl or issuer must be given";
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every(isScope)))
    return "scopes must be a list of scopes without spaces";
  if (audience !== undefined && !isText(audience)) return "audience must be a string";
  if (resource !== undefined && ![resource].flat().every(isResource))
    return "resource must be an absolute URI without a fragment, or a list of them";
  if (grant === "refresh_token" && typeof given.refreshToken !== "function")
    return "refreshToken must be a function from a caller to the name of a secret";
  if (grant !== "authorization_code") return undefined;
  if (given.redirectUrl === undefined) return "redirectUrl must be given";
  return given.authorizationUrl === undefined && issuer === undefined
    ? "authorizationUrl or issuer must be given"
    : undefined;
};

const checkCredential = (name: string, given: unknown): void => {
  const what = `credentials.oauth.${name}`;
  const grants = Object.keys(fieldsByGrant);
  const grant = (given as JsonObject | null | undefined)?.grant;
  if (typeof grant !== "string" || !Object.hasOwn(fieldsByGrant, grant))
    throw new ConfigurationError("invalid_config", `${what}.grant must be one of ${grants.join(", ")}.`);
  checkFields(what, given, fieldsByGrant[grant as OAuthCredential["grant"]]);
  const fields = given as JsonObject;
  const reason = credentialProblem(fields);
  if (reason !== undefined) throw new ConfigurationError("invalid_config", `${what}: ${reason}.`);
  for (const field of ["tokenUrl", "authorizationUrl", "redirectUrl", "issuer"]) {
    const wrong = fields[field] === undefined ? undefined : endpointProblem(fields[field]);
    if (wrong !== undefined) throw new ConfigurationError("invalid_config", `${what}.${field} ${wrong}.`);
  }
};

export const checkOAuth = (given: unknown): void => {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new ConfigurationError(
      "invalid_config",
      "credentials.oauth must be an object, one field for each name.",
    );
  for (const [name, one] of Object.entries(given)) checkCredential(name, one);
};
