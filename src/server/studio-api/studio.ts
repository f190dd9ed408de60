import type { Hono } from "hono";
import { openOnce } from "../../base/credentials/open-once.ts";
import { compileSchema } from "../../base/schema/compile-schema.ts";
import type { Haft } from "../../runtime/haft.ts";
import type { Principal } from "../../types/principal.ts";
import type { Validator } from "../../types/validator.ts";
import { noStoreJsonResponse } from "../chat/request/chat-error.ts";
import type { Route } from "./api-context.ts";
import {
  ApiRequestError,
  invalidRequestError,
  missingScopeError,
  notFoundError,
  signInRequiredApiError,
  toErrorResponse,
} from "./api-error.ts";
import { securityHeaders, servePage } from "./page/serve-page.ts";
import { type Person, personNameOf, scopesOf } from "./person.ts";
import { checkHost, checkReadRequest, checkWriteRequest, readJsonBody } from "./request/check-request.ts";
import { routes } from "./routes.ts";
import { scopeSchema } from "./schemas/shared.ts";
import { createSignInSessions, type SignInSessions } from "./sign-in/sign-in-sessions.ts";
import { type ParsedStudioOptions, readStudioOptions, type StudioOptions } from "./studio-options.ts";
import { openStudioServices, type StudioServices } from "./studio-services.ts";

/** What the host knows about a request. */
export interface StudioRequest {
  /** The authenticated principal. Default: the session cookie identifies the person. */
  readonly principal?: Principal | undefined;
  /** Whether the host has already checked the Host header. Default: false. */
  readonly isHostChecked?: boolean;
}

/** The Studio of a runtime: its page and its API as a fetch handler. */
export interface Studio {
  readonly fetch: (request: Request, hostContext?: StudioRequest) => Promise<Response>;
  /**
   * Returns the page's path with a token for one sign-in within five minutes. With `read`, that session can
   * only read. Default: `all`.
   */
  readonly link: (name: string, access?: "all" | "read") => string;
  /** Ends all streams. The runtime stays open. */
  readonly close: () => Promise<void>;
}

/** Creates the Studio of a runtime. */
export const studio = (haft: Haft, options: StudioOptions = {}): Studio =>
  studioWithSessions(haft, options, createSignInSessions(Date.now));

/** The sessions are passed in because they stay valid when the runtime is replaced. */
export const studioWithSessions = (haft: Haft, options: StudioOptions, sessions: SignInSessions): Studio => {
  const parsedOptions = readStudioOptions(options);
  const closing = new AbortController();
  const studioServices = openStudioServices(haft, parsedOptions, closing.signal);
  const page = servePage(parsedOptions);
  const app = openOnce(() => createApiHandler(studioServices, sessions));
  return {
    fetch: async (request, hostContext = {}) => {
      try {
        if (hostContext.isHostChecked !== true) checkHost(request, parsedOptions.hosts);
        const { pathname } = new URL(request.url);
        if (pathname !== parsedOptions.base && !pathname.startsWith(`${parsedOptions.base}/`))
          throw notFoundError(`page ${pathname}`);
        const path = pathname.slice(parsedOptions.base.length) || "/";
        if (path.startsWith("/api/") && request.method === "HEAD") {
          // A HEAD request would start a stream without a reader.
          throw new ApiRequestError(405, "method_not_allowed", "The API accepts GET and POST.");
        }
        if (path.startsWith("/api/")) return await (await app())(request, hostContext);
        if (request.method === "GET" || request.method === "HEAD") return await page(decodePath(path));
        throw new ApiRequestError(405, "method_not_allowed", "The page accepts GET.");
      } catch (error) {
        return withSecurityHeaders(toErrorResponse(error, parsedOptions.onError), parsedOptions);
      }
    },
    link: (name, access = "all") => {
      const granted = access === "all" ? scopeSchema.enum : (["studio:read"] as const);
      return `${parsedOptions.base}/#token=${sessions.link({ name, principal: haft.principal, scopes: granted, isOperator: true })}`;
    },
    close: async () => closing.abort(),
  };
};

type ApiApp = Hono<{ Bindings: StudioRequest }>;

const createApiHandler = async (
  studioServices: StudioServices,
  sessions: SignInSessions,
): Promise<(request: Request, hostContext: StudioRequest) => Promise<Response>> => {
  const { Hono } = await import("hono");
  const { base, onError } = studioServices.options;
  const app: ApiApp = new Hono<{ Bindings: StudioRequest }>({ strict: false }).basePath(
    `${base}/api/v1`,
  ) as never;
  for (const [path, methods] of Map.groupBy(routes, (route) => route.path)) {
    const routePath = path.replaceAll(/\{(\w+)\}/g, ":$1");
    for (const route of methods) {
      const checkBody = route.body === undefined ? undefined : compileSchema(route.body);
      app.on(route.method, routePath, async (c) => {
        const reading = {
          request: c.req.raw,
          params: c.req.param(),
          query: c.req.query(),
          hostContext: c.env,
        };
        return handleRequest(studioServices, sessions, route, checkBody, reading);
      });
    }
    const allow = methods.map(({ method }) => method).join(", ");
    app.all(routePath, (c) => {
      const message = `${c.req.method} is not allowed here. Use ${allow}.`;
      return noStoreJsonResponse({ error: { code: "method_not_allowed", message } }, 405, { allow });
    });
  }
  app.notFound(() => {
    const message = `This route does not exist. See ${base}/api/v1/openapi.json for all routes.`;
    return noStoreJsonResponse({ error: { code: "not_found", message } }, 404);
  });
  app.onError((error) => toErrorResponse(error, onError));
  return async (request, hostContext) =>
    withSecurityHeaders(await app.fetch(request, hostContext), studioServices.options);
};

interface RawApiRequest {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly hostContext: StudioRequest;
}

const handleRequest = async (
  studioServices: StudioServices,
  sessions: SignInSessions,
  route: Route,
  checkBody: Validator | undefined,
  { request, params, query, hostContext }: RawApiRequest,
): Promise<Response> => {
  if (studioServices.shared.closed) throw runtimeClosedApiError();
  const isWrite = route.method !== "GET";
  if (isWrite) checkWriteRequest(request);
  else checkReadRequest(request);
  if (route.path === "/sign-in") return signInWithLink(studioServices, sessions, request);
  if (route.path === "/sign-out") return endSignInSession(studioServices, sessions, request);
  const person = await identifyPerson(studioServices.options, sessions, request, hostContext);
  if (person === undefined) throw signInRequiredApiError();
  if (route.isOpen !== true && !person.scopes.includes(route.scope))
    throw missingScopeError(route.scope, person.name);
  rejectUnknownQuery(query, route);
  const body = isWrite ? validateBody(await readJsonBody(request), checkBody) : {};
  // The body was checked against the schema of the route, which types the handler.
  const context = { studio: studioServices, person, request, params, query, body: body as never };
  const value = await route.run(context);
  return value instanceof Response ? value : noStoreJsonResponse(value);
};

const decodePath = (path: string): string => {
  try {
    return decodeURI(path);
  } catch {
    throw notFoundError("page at this path");
  }
};

const runtimeClosedApiError = (): ApiRequestError =>
  new ApiRequestError(503, "closed", "The runtime of this Studio was closed. Start it again.");

/** A principal without scopes is ignored if the request has a session cookie. */
const identifyPerson = async (
  { principal: find }: ParsedStudioOptions,
  sessions: SignInSessions,
  request: Request,
  hostContext: StudioRequest,
): Promise<Person | undefined> => {
  const principal = find === undefined ? hostContext.principal : await find(request);
  const scopes = principal === undefined ? [] : scopesOf(principal);
  if (principal !== undefined && scopes.length > 0) {
    return { name: personNameOf(principal), principal, scopes };
  }
  const session = readSessionCookie(request);
  const person = session === undefined ? undefined : sessions.find(session);
  if (person !== undefined) return person;
  return find === undefined || principal === undefined
    ? undefined
    : { name: personNameOf(principal), principal, scopes: [] };
};

const signInWithLink = async (
  studioServices: StudioServices,
  sessions: SignInSessions,
  request: Request,
): Promise<Response> => {
  const { token } = await readJsonBody(request);
  const session = typeof token === "string" ? sessions.signIn(token) : undefined;
  if (session === undefined) {
    throw new ApiRequestError(
      401,
      "link_used",
      "This link was already used or is older than five minutes. Restart haft studio, or ask the operator for a new link.",
    );
  }
  const { name, scopes: opened } = session.person;
  return noStoreJsonResponse({ name, scopes: opened }, 200, {
    "set-cookie": toSessionCookie(request, session.id, studioServices.options.base),
  });
};

const endSignInSession = (
  { options }: StudioServices,
  sessions: SignInSessions,
  request: Request,
): Response => {
  const session = readSessionCookie(request);
  if (session !== undefined) sessions.signOut(session);
  return noStoreJsonResponse({}, 200, { "set-cookie": toSessionCookie(request, "", options.base) });
};

/** Ignoring an unknown filter would return too much. */
const rejectUnknownQuery = (query: Readonly<Record<string, string>>, { query: fields = {} }: Route): void => {
  const unknown = Object.keys(query).find((name) => !Object.hasOwn(fields, name));
  if (unknown === undefined) return;
  const names = Object.keys(fields);
  const known = names.length === 0 ? "This route has none." : `Known parameters: ${names.join(", ")}.`;
  throw invalidRequestError(`\`${unknown}\` is an unknown query parameter. ${known}`);
};

const validateBody = (
  body: Readonly<Record<string, unknown>>,
  check: Validator | undefined,
): Readonly<Record<string, unknown>> => {
  const checked = check?.(body);
  if (checked === undefined) return body;
  if (checked.ok) return checked.value as Readonly<Record<string, unknown>>;
  const findings = checked.issues.map(({ pointer, message }) => ({ pointer, message }));
  throw invalidRequestError("The request body does not match the schema of this route.", findings);
};

const withSecurityHeaders = (response: Response, { appOrigin }: ParsedStudioOptions): Response => {
  for (const [name, value] of Object.entries(securityHeaders(appOrigin))) response.headers.set(name, value);
  return response;
};

/** Browsers share cookies between ports, so the name contains the port. The prefix `__Host-` needs TLS. */
const cookieNameOf = (request: Request): string => {
  const { port } = new URL(`http://${request.headers.get("host") ?? new URL(request.url).host}`);
  return port === "" ? "haft-studio" : `haft-studio-${port}`;
};

const maxCookieAgeSeconds = 12 * 3_600;

const readSessionCookie = (request: Request): string | undefined => {
  const wanted = cookieNameOf(request);
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const [name, value] = pair.trim().split("=");
    if (name === wanted && value !== undefined && /^[\w-]{43}$/.test(value)) return value;
  }
  return undefined;
};

const toSessionCookie = (request: Request, id: string, base: string): string => {
  const isSecure = new URL(request.url).protocol === "https:";
  return `${cookieNameOf(request)}=${id}; Path=${base === "" ? "/" : base}; Max-Age=${id === "" ? 0 : maxCookieAgeSeconds}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
};
