import { isObject, type JsonObject } from "../../base/json/json-value.ts";
import type { HttpAuth } from "../http/request-options.ts";
import type { OpenApiParameter, ParsedOperation, ReportLoss } from "./operation.ts";
import { followReferences, type OpenApiDocument } from "./read-document.ts";

/** A named secret or OAuth credential, from `Haft.open({ credentials })`. */
export type OpenApiCredential = { readonly secret: string } | { readonly credential: string };

/** Credentials by security scheme, or by parameter that holds a secret. */
export type OpenApiAuth = Readonly<Record<string, OpenApiCredential>>;

export interface SelectedAuth {
  readonly auth: readonly HttpAuth[];
  readonly missing?: readonly string[];
}

/** The first fully configured alternative; an empty one needs nothing. */
export const selectAuth = (
  document: OpenApiDocument,
  operation: ParsedOperation,
  auth: OpenApiAuth,
  reportLoss: ReportLoss,
): SelectedAuth => {
  const alternatives = (operation.security ?? []).map((names) =>
    names.flatMap((name) => toAuth(document, name, auth) ?? []),
  );
  const unknown = (operation.security ?? [])
    .flat()
    .filter((name) => schemeByName(document, name) === undefined);
  for (const name of new Set(unknown)) {
    const what = Object.hasOwn(auth, name) ? "is sent as a Bearer token" : "is left out of the request";
    reportLoss(
      `${operation.pointer}/security`,
      `The scheme ${JSON.stringify(name)} is not described; it ${what}.`,
    );
  }
  const complete = alternatives.filter((each) =>
    each.every((one) => typeof one !== "string"),
  ) as HttpAuth[][];
  const found = complete.find((each) => each.length > 0) ?? complete[0];
  if (found !== undefined) return { auth: found };
  if (alternatives.length === 0) return { auth: [] };
  const missing = alternatives.map((each) => each.filter((one) => typeof one === "string").join(" And "));
  reportLoss(
    `${operation.pointer}/security`,
    `It needs a credential that is not configured. ${missing.join(" Or: ")}`,
  );
  return { auth: [], missing };
};

/** Undefined for a scheme that is neither described nor configured. */
const toAuth = (
  document: OpenApiDocument,
  name: string,
  auth: OpenApiAuth,
): HttpAuth | string | undefined => {
  const given = Object.hasOwn(auth, name) ? auth[name] : undefined;
  const scheme = schemeByName(document, name) ?? (given === undefined ? undefined : bearerScheme);
  const shown = JSON.stringify(name);
  if (scheme === undefined) return undefined;
  const transport = schemeTransportOf(scheme);
  if (transport === undefined) return `The scheme ${shown} (${schemeLabel(scheme)}) is not supported.`;
  if (given === undefined)
    return `The scheme ${shown} (${transport.what}) needs auth: { ${shown}: { secret: "NAME" } }.`;
  if ("credential" in given) {
    return transport.isBearer
      ? { kind: "oauth", credential: given.credential }
      : `The scheme ${shown} (${transport.what}) requires a secret, not an OAuth credential.`;
  }
  return { secret: given.secret, ...transport.place } as HttpAuth;
};

const schemeLabel = ({ type, scheme }: JsonObject): string =>
  [type, scheme].filter((each) => typeof each === "string").join(" ");

const bearerScheme = { type: "http", scheme: "bearer" };

const schemeByName = ({ root, version }: OpenApiDocument, name: string): JsonObject | undefined => {
  const components = isObject(root.components) ? root.components.securitySchemes : undefined;
  const schemes = version === "2.0" ? root.securityDefinitions : components;
  if (!isObject(schemes) || !Object.hasOwn(schemes, name)) return undefined;
  const found = followReferences(root, schemes[name], "");
  return "value" in found && isObject(found.value) ? found.value : undefined;
};

interface SchemeTransport {
  readonly what: string;
  readonly place: Readonly<Record<string, string>>;
  readonly isBearer: boolean;
}

const schemeTransportOf = ({ type, in: where, name, scheme }: JsonObject): SchemeTransport | undefined => {
  const http = type === "http" && typeof scheme === "string" ? scheme.toLowerCase() : undefined;
  if (type === "basic" || http === "basic")
    return { what: "user:password as HTTP Basic", place: { scheme: "basic" }, isBearer: false };
  if (http === "bearer" || type === "oauth2" || type === "openIdConnect")
    return { what: "a Bearer token", place: { scheme: "bearer" }, isBearer: true };
  if (type !== "apiKey" || typeof name !== "string") return undefined;
  if (where !== "header" && where !== "query" && where !== "cookie") return undefined;
  return { what: `a key in the ${where} ${name}`, place: { [where]: name }, isBearer: false };
};

/** A scheme's name refers to a parameter only if the scheme uses it. */
export const isSecretParameter = (
  document: OpenApiDocument,
  { in: where, name }: OpenApiParameter,
  auth: OpenApiAuth,
): boolean => {
  if (where === "header" && name.toLowerCase() === "authorization") return true;
  if (!Object.hasOwn(auth, name)) return false;
  const scheme = schemeByName(document, name);
  return scheme === undefined || schemeTransportOf(scheme)?.place[where] === name;
};

export const parameterAuth = (
  secrets: readonly OpenApiParameter[],
  chosen: SelectedAuth,
  auth: OpenApiAuth,
  reportLoss: ReportLoss,
): SelectedAuth => {
  const configured: HttpAuth[] = [];
  const missing: string[] = [];
  for (const { name, in: where, required, pointer } of secrets) {
    const given = Object.hasOwn(auth, name) ? auth[name] : undefined;
    if (given !== undefined && "secret" in given)
      configured.push({ secret: given.secret, [where]: name } as never);
    else if (given !== undefined) configured.push({ kind: "oauth", credential: given.credential });
    else if (!setsAuthorization(chosen)) {
      const shown = JSON.stringify(name);
      reportLoss(
        pointer,
        `The ${where} ${shown} is a secret, so it is not a parameter of the tool; it needs auth: { ${shown}: { secret: "NAME" } }.`,
      );
      if (required) missing.push(`The ${where} ${shown} needs auth: { ${shown}: { secret: "NAME" } }.`);
    }
  }
  const all = [...chosen.auth, ...configured];
  const lacking = [...(chosen.missing ?? []), ...missing];
  return lacking.length === 0 ? { auth: all } : { auth: all, missing: lacking };
};

const setsAuthorization = ({ auth }: SelectedAuth): boolean =>
  auth.some((each) => !("query" in each) && !("cookie" in each) && !("header" in each));
