import { compileSchema } from "../../base/schema/compile-schema.ts";
import type { Haft } from "../../runtime/haft.ts";
import type { Principal } from "../../types/principal.ts";
import type { Validator } from "../../types/tool.ts";
import { checkHost, checkJsonContent, checkOrigin, hostOf } from "../request/check-request.ts";
import { errorResponse, HttpError, jsonResponse, toHttpError } from "../request/http-error.ts";
import {
  type BodyLimits,
  defaultBodyTimeoutMs,
  parseJsonObject,
  readRequestBytes,
} from "../request/read-body.ts";
import {
  createRouter,
  methodNotAllowedError,
  noSlot,
  type RequestSlot,
  type RequestStages,
  type RouteMatch,
  serveRequest,
} from "../request/serve-request.ts";
import { type Person, personNameOf, type Route, scopesOf } from "./api-context.ts";
import { invalidRequestError, missingScopeError, notFoundError, signInRequiredError } from "./api-error.ts";
import { routes } from "./routes.ts";
import { scopeSchema } from "./schemas/shared.ts";
import { securityHeaders, servePage } from "./serve-page.ts";
import {
  createSignInSessions,
  readSessionCookie,
  type SignInSessions,
  toSessionCookie,
} from "./sign-in-sessions.ts";
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
  const stages = studioStages(openStudioServices(haft, parsedOptions, closing.signal), sessions);
  const { base } = parsedOptions;
  return {
    fetch: (request, visit = {}) => {
      const { pathname } = new URL(request.url);
      const isBelowBase = pathname === base || pathname.startsWith(`${base}/`);
      return serveRequest(stages, {
        request,
        visit,
        path: isBelowBase ? pathname.slice(base.length) || "/" : undefined,
      });
    },
    link: (name, access = "all") => {
      const granted = access === "all" ? scopeSchema.enum : (["studio:read"] as const);
      return `${base}/#token=${sessions.link({ name, principal: haft.principal, scopes: granted, isOperator: true })}`;
    },
    close: async () => closing.abort(),
  };
};

interface IncomingStudioRequest {
  readonly request: Request;
  readonly visit: StudioRequest;
  /** Below the base; undefined outside of it. */
  readonly path: string | undefined;
}

type StudioRoute =
  | { readonly kind: "page"; readonly path: string }
  | ({ readonly kind: "api" } & RouteMatch<Route>);

type StudioStages = RequestStages<IncomingStudioRequest, StudioRoute, Person | undefined, RequestSlot>;

const apiPath = "/api/v1";
const bodyLimits: BodyLimits = { maxBodyBytes: 1_048_576, bodyTimeoutMs: defaultBodyTimeoutMs };

const studioStages = (services: StudioServices, sessions: SignInSessions): StudioStages => {
  const { options } = services;
  const page = servePage(options);
  const findRoute = createRouter(routes);
  const validators = new Map<Route, Validator>();
  const validatorOf = (route: Route, schema: NonNullable<Route["body"]>): Validator => {
    const known = validators.get(route) ?? compileSchema(schema);
    validators.set(route, known);
    return known;
  };
  return {
    check: ({ request, visit, path = "" }) => {
      if (visit.isHostChecked !== true)
        checkHost(hostOf(request), (host) => loopbackHost.test(host) || options.hosts.includes(host));
      if (!path.startsWith("/api/")) return;
      if (services.shared.closed) throw runtimeClosedError();
      // Also refuses requests from the frame of MCP Apps.
      checkOrigin(request.headers, { host: hostOf(request), origins: noOrigins, allowsNavigation: false });
    },
    route: ({ request: { method }, path }) => {
      if (path === undefined) throw notFoundError("page at this path");
      if (path.startsWith("/api/")) {
        const place = path.startsWith(`${apiPath}/`)
          ? path.slice(apiPath.length).replace(/\/$/, "")
          : undefined;
        const match = place === undefined ? undefined : findRoute(method, place);
        if (match === undefined) throw unknownRouteError(options.base);
        return { kind: "api", ...match };
      }
      if (method !== "GET" && method !== "HEAD") throw methodNotAllowedError(["GET", "HEAD"]);
      return { kind: "page", path: decodePath(path) };
    },
    identify: async ({ request, visit }, match) => {
      if (match.kind === "page") return undefined;
      const { route } = match;
      if (route.method !== "GET") checkCsrfHeader(request);
      if (isSignInRoute(route)) return undefined;
      const person = await identifyPerson(options, sessions, request, visit);
      if (person === undefined) throw signInRequiredError();
      if (route.isOpen !== true && !person.scopes.includes(route.scope))
        throw missingScopeError(route.scope, person.name);
      return person;
    },
    admit: () => noSlot,
    read: async ({ request }, match) => {
      if (match.kind === "page" || match.route.method === "GET") return undefined;
      checkJsonContent(request.headers);
      return readRequestBytes(request, bodyLimits);
    },
    handle: async ({ incoming: { request }, route: match, caller: person, body: bytes }) => {
      if (match.kind === "page") return page(match.path);
      const { route, params } = match;
      const query = readQueryFields(request, route);
      const body = bytes === undefined ? {} : parseJsonObject(bytes);
      const answer = isSignInRoute(route)
        ? changeSession(services, sessions, request, route.path === "/sign-in" ? body : undefined)
        : await route.run({
            ...{ studio: services, person: person!, request, params, query },
            // Checked against the schema of the route, which types the handler.
            body: (route.body === undefined
              ? body
              : validateBody(body, validatorOf(route, route.body))) as never,
          });
      const response = answer instanceof Response ? answer : jsonResponse(answer);
      return withSecurityHeaders(response, options);
    },
    fail: (error) => withSecurityHeaders(errorResponse(toHttpError(error, options.onError)), options),
  };
};

const noOrigins: ReadonlySet<string> = new Set();
const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;

const unknownRouteError = (base: string): HttpError =>
  new HttpError(
    404,
    "not_found",
    `This route does not exist. See ${base}${apiPath}/openapi.json for all routes.`,
  );

const runtimeClosedError = (): HttpError =>
  new HttpError(503, "closed", "The runtime of this Studio was closed. Start it again.");

const decodePath = (path: string): string => {
  try {
    return decodeURI(path);
  } catch {
    throw notFoundError("page at this path");
  }
};

/** Browsers send it across origins only after a CORS preflight, which fails. */
const checkCsrfHeader = ({ headers }: Request): void => {
  if (headers.get("x-haft-studio") !== null) return;
  throw new HttpError(
    403,
    "csrf",
    "The header X-Haft-Studio is missing. Send X-Haft-Studio: 1 with every POST.",
  );
};

const isSignInRoute = ({ path }: Route): boolean => path === "/sign-in" || path === "/sign-out";

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

/** Signs in with the token of a link, or signs out without a body. */
const changeSession = (
  { options: { base } }: StudioServices,
  sessions: SignInSessions,
  request: Request,
  body: Readonly<Record<string, unknown>> | undefined,
): Response => {
  if (body === undefined) {
    const session = readSessionCookie(request);
    if (session !== undefined) sessions.signOut(session);
    return jsonResponse({}, 200, { "set-cookie": toSessionCookie(request, "", base) });
  }
  const session = typeof body.token === "string" ? sessions.signIn(body.token) : undefined;
  if (session === undefined) {
    throw new HttpError(
      401,
      "link_used",
      "This link was already used or is older than five minutes. Restart haft studio, or ask the operator for a new link.",
    );
  }
  const { name, scopes } = session.person;
  return jsonResponse({ name, scopes }, 200, { "set-cookie": toSessionCookie(request, session.id, base) });
};

/** Ignoring an unknown filter would return too much. */
const readQueryFields = (
  { url }: Request,
  { query: fields = {} }: Route,
): Readonly<Record<string, string>> => {
  const query = Object.fromEntries(new URL(url).searchParams);
  const unknown = Object.keys(query).find((name) => !Object.hasOwn(fields, name));
  if (unknown === undefined) return query;
  const names = Object.keys(fields);
  const known = names.length === 0 ? "This route has none." : `Known parameters: ${names.join(", ")}.`;
  throw invalidRequestError(`\`${unknown}\` is an unknown query parameter. ${known}`);
};

const validateBody = (body: Readonly<Record<string, unknown>>, check: Validator): unknown => {
  const checked = check(body);
  if (checked.ok) return checked.value;
  const findings = checked.issues.map(({ pointer, message }) => ({ pointer, message }));
  throw invalidRequestError("The request body does not match the schema of this route.", findings);
};

const withSecurityHeaders = (response: Response, { appOrigin }: ParsedStudioOptions): Response => {
  for (const [name, value] of Object.entries(securityHeaders(appOrigin))) response.headers.set(name, value);
  return response;
};
