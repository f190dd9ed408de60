import { type HttpRefusal, refusal } from "../refusal.ts";

/** Where a request leads. */
export type Route = "mcp" | "metadata" | "healthz" | "readyz" | "routes";

export interface RouteOptions {
  readonly path: string;
  /** Where the resource's metadata stands, if there is any. */
  readonly metadata: readonly string[];
  readonly hasRoutes: boolean;
}

export const pathOf = (target: string): string => {
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
};

const methods: Record<Route, string | undefined> = {
  mcp: "GET, POST, DELETE",
  metadata: "GET, HEAD",
  healthz: "GET, HEAD",
  readyz: "GET, HEAD",
  routes: undefined,
};

const find = (path: string, { path: mcp, metadata, hasRoutes }: RouteOptions): Route | undefined => {
  if (path === mcp) return "mcp";
  if (path === "/healthz" || path === "/readyz") return path.slice(1) as Route;
  if (metadata.includes(path)) return "metadata";
  return hasRoutes ? "routes" : undefined;
};

export const placeOf = (
  target: string,
  method: string | undefined,
  places: RouteOptions,
): Route | HttpRefusal => {
  const place = find(pathOf(target), places);
  if (place === undefined)
    return refusal(404, "not_found", `There is nothing here. The MCP endpoint is ${places.path}.`);
  const allow = methods[place];
  if (allow === undefined || allow.split(", ").includes(method ?? "")) return place;
  return refusal(405, "method_not_allowed", `Use one of ${allow} here.`, { allow });
};

/** Query strings end up in logs and histories (RFC 6750 §5.3), so a token in one is not even looked at. */
export const refuseQuery = (target: string): HttpRefusal | undefined =>
  /[?&](access_token|authorization|bearer|token)=/i.test(target)
    ? refusal(
        400,
        "invalid_request",
        "Tokens are not taken from the query string. Send the header Authorization: Bearer, and replace this token: it may have been logged.",
      )
    : undefined;
