import { type HttpRejection, httpRejection } from "../http-rejection.ts";

export type HttpRoute = "mcp" | "metadata" | "healthz" | "readyz" | "routes";

export interface HttpRouteOptions {
  readonly path: string;
  readonly metadata: readonly string[];
  readonly hasRoutes: boolean;
}

export const pathOfTarget = (target: string): string => {
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
};

const allowedMethods: Record<HttpRoute, string | undefined> = {
  mcp: "GET, POST, DELETE",
  metadata: "GET, HEAD",
  healthz: "GET, HEAD",
  readyz: "GET, HEAD",
  routes: undefined,
};

const matchRoute = (
  path: string,
  { path: mcp, metadata, hasRoutes }: HttpRouteOptions,
): HttpRoute | undefined => {
  if (path === mcp) return "mcp";
  if (path === "/healthz" || path === "/readyz") return path.slice(1) as HttpRoute;
  if (metadata.includes(path)) return "metadata";
  return hasRoutes ? "routes" : undefined;
};

export const resolveRoute = (
  target: string,
  method: string | undefined,
  options: HttpRouteOptions,
): HttpRoute | HttpRejection => {
  const route = matchRoute(pathOfTarget(target), options);
  if (route === undefined)
    return httpRejection(404, "not_found", `Not found. The MCP endpoint is ${options.path}.`);
  const allow = allowedMethods[route];
  if (allow === undefined || allow.split(", ").includes(method ?? "")) return route;
  return httpRejection(405, "method_not_allowed", `Method not allowed. Use ${allow}.`, { allow });
};

/** Query strings end up in logs (RFC 6750 §5.3). */
export const queryRejection = (target: string): HttpRejection | undefined =>
  /[?&](access_token|authorization|bearer|token)=/i.test(target)
    ? httpRejection(
        400,
        "invalid_request",
        "Tokens in the query string are not accepted. Send the header Authorization: Bearer, and replace this token, because it may have been logged.",
      )
    : undefined;
