import type { Hono } from "hono";
import { onFirstUse } from "../credentials/on-first-use.ts";
import type { Haft } from "../runtime/haft.ts";
import { compileSchema } from "../schema/compile-schema.ts";
import { toJson } from "../ui/request/refusal.ts";
import type { Principal } from "../words/principal.ts";
import type { Validator } from "../words/validator.ts";
import { safeHeaders, servePage } from "./page/serve-page.ts";
import { nameOf, type Person, scopes, scopesOf } from "./person.ts";
import { ApiRefusal, invalid, missingScope, notFound, signInFirst, toErrorResponse } from "./refused.ts";
import { checkHost, checkRead, checkWrite, readJson } from "./request/check-request.ts";
import { routes } from "./routes.ts";
import { readCookie, toCookie } from "./sign-in/cookie.ts";
import { type Sessions, sessions } from "./sign-in/sessions.ts";
import { type ReadStudioOptions, readStudioOptions, type StudioOptions } from "./studio-options.ts";
import type { Route, Visit } from "./visit.ts";
import { openWorld, type StudioWorld } from "./world.ts";

/** What a host knows of a request that it passes on. */
export interface StudioVisit {
  /** Who is asking, as the host found out. Unless set: whoever has a cookie of a link. */
  readonly principal?: Principal | undefined;
  /** The host has checked the Host header already. Unless set: it is checked here. */
  readonly isOwnHost?: boolean;
}

/** The Studio of one runtime: its page and its API, for any server that speaks in requests and responses. */
export interface Studio {
  readonly fetch: (request: Request, visit?: StudioVisit) => Promise<Response>;
  /** What the address of the page ends with: a token for one sign-in within five minutes. Who has it may do everything. */
  readonly link: (name: string) => string;
  /** Ends every stream. The runtime stays open. */
  readonly close: () => Promise<void>;
}

/** Opens a page over a runtime and its ledger, and the API that the page uses. */
export const studio = (haft: Haft, options: StudioOptions = {}): Studio =>
  studioWith(haft, options, sessions(Date.now));

/** The same with sessions that outlive the runtime, for a host that opens another one when its configuration changes. */
export const studioWith = (haft: Haft, options: StudioOptions, known: Sessions): Studio => {
  const read = readStudioOptions(options);
  const closing = new AbortController();
  const world = openWorld(haft, read, closing.signal);
  const page = servePage(read);
  const app = onFirstUse(() => openApi(world, known));
  return {
    fetch: async (request, visit = {}) => {
      try {
        if (visit.isOwnHost !== true) checkHost(request, read.hosts);
        const { pathname } = new URL(request.url);
        if (pathname !== read.base && !pathname.startsWith(`${read.base}/`))
          throw notFound(`page ${pathname}`);
        const path = pathname.slice(read.base.length) || "/";
        if (path.startsWith("/api/") && request.method === "HEAD") {
          // It would open a stream that nobody reads.
          throw new ApiRefusal(405, "method", "The API takes GET and POST.");
        }
        if (path.startsWith("/api/")) return await (await app())(request, visit);
        if (request.method === "GET" || request.method === "HEAD") return await page(readPath(path));
        throw new ApiRefusal(405, "method", "The page takes GET.");
      } catch (error) {
        return withHeaders(toErrorResponse(error, read.onError), read);
      }
    },
    link: (name) =>
      `${read.base}/#token=${known.link({ name, principal: haft.principal, scopes, isOperator: true })}`,
    close: async () => closing.abort(),
  };
};

type ApiApp = Hono<{ Bindings: StudioVisit }>;

/** Hono is loaded with the first request. */
const openApi = async (
  world: StudioWorld,
  known: Sessions,
): Promise<(request: Request, visit: StudioVisit) => Promise<Response>> => {
  const { Hono } = await import("hono");
  const { base, onError } = world.options;
  const app: ApiApp = new Hono<{ Bindings: StudioVisit }>({ strict: false }).basePath(
    `${base}/api/v1`,
  ) as never;
  for (const [path, methods] of Map.groupBy(routes, (route) => route.path)) {
    const place = path.replaceAll(/\{(\w+)\}/g, ":$1");
    for (const route of methods) {
      const checkBody = route.body === undefined ? undefined : compileSchema(route.body);
      app.on(route.method, place, async (c) => {
        const reading = { request: c.req.raw, params: c.req.param(), query: c.req.query(), visit: c.env };
        return answer(world, known, route, checkBody, reading);
      });
    }
    const allow = methods.map(({ method }) => method).join(", ");
    app.all(place, (c) => {
      const message = `This address takes ${allow}, not ${c.req.method}.`;
      return toJson({ error: { code: "method", message } }, 405, { allow });
    });
  }
  app.notFound(() => {
    const message = `There is nothing here. ${base}/api/v1/openapi.json lists what there is.`;
    return toJson({ error: { code: "not_found", message } }, 404);
  });
  app.onError((error) => toErrorResponse(error, onError));
  return async (request, visit) => withHeaders(await app.fetch(request, visit), world.options);
};

interface Reading {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly visit: StudioVisit;
}

/** The checks in their order; which one refuses first is what a client sees. */
const answer = async (
  world: StudioWorld,
  known: Sessions,
  route: Route,
  checkBody: Validator | undefined,
  { request, params, query, visit }: Reading,
): Promise<Response> => {
  if (world.shared.closed) throw closed();
  const isWrite = route.method !== "GET";
  if (isWrite) checkWrite(request);
  else checkRead(request);
  if (route.path === "/sign-in") return signIn(world, known, request);
  if (route.path === "/sign-out") return signOut(world, known, request);
  const person = await personOf(world.options, known, request, visit);
  if (person === undefined) throw signInFirst();
  if (route.isOpen !== true && !person.scopes.includes(route.scope))
    throw missingScope(route.scope, person.name);
  refuseUnknown(query, route);
  const body = isWrite ? readBody(await readJson(request), checkBody) : {};
  const made: Visit = { world, person, request, params, query, body };
  const value = await route.run(made);
  return value instanceof Response ? value : toJson(value);
};

/** An address that cannot be read names nothing. */
const readPath = (path: string): string => {
  try {
    return decodeURI(path);
  } catch {
    throw notFound("page of this name");
  }
};

const closed = (): ApiRefusal =>
  new ApiRefusal(503, "closed", "The runtime behind this Studio was closed. Start it again.");

/** What a host or an option says, then the cookie of a link. A principal that opens nothing counts for nothing here. */
const personOf = async (
  { principal: find }: ReadStudioOptions,
  known: Sessions,
  request: Request,
  visit: StudioVisit,
): Promise<Person | undefined> => {
  const principal = find === undefined ? visit.principal : await find(request);
  const opened = principal === undefined ? [] : scopesOf(principal);
  if (principal !== undefined && opened.length > 0) {
    return { name: nameOf(principal), principal, scopes: opened };
  }
  const session = readCookie(request);
  const person = session === undefined ? undefined : known.find(session);
  if (person !== undefined) return person;
  return find === undefined || principal === undefined
    ? undefined
    : { name: nameOf(principal), principal, scopes: [] };
};

const signIn = async (world: StudioWorld, known: Sessions, request: Request): Promise<Response> => {
  const { token } = await readJson(request);
  const session = typeof token === "string" ? known.signIn(token) : undefined;
  if (session === undefined) {
    throw new ApiRefusal(
      401,
      "link_used",
      "This link was used before, or is older than five minutes. Start haft studio again, or ask for another.",
    );
  }
  const { name, scopes: opened } = session.person;
  return toJson({ name, scopes: opened }, 200, {
    "set-cookie": toCookie(request, session.id, world.options.base),
  });
};

/** Whoever has a session ends it; who has none is told the same. */
const signOut = ({ options }: StudioWorld, known: Sessions, request: Request): Response => {
  const session = readCookie(request);
  if (session !== undefined) known.signOut(session);
  return toJson({}, 200, { "set-cookie": toCookie(request, "", options.base) });
};

/** A filter that filters nothing would show more than was asked for. */
const refuseUnknown = (query: Readonly<Record<string, string>>, { query: fields = {} }: Route): void => {
  const unknown = Object.keys(query).find((name) => !Object.hasOwn(fields, name));
  if (unknown === undefined) return;
  const names = Object.keys(fields);
  const all = names.length === 0 ? "It takes none." : `It takes ${names.join(", ")}.`;
  throw invalid(`\`${unknown}\` means nothing in the query of this address. ${all}`);
};

const readBody = (
  body: Readonly<Record<string, unknown>>,
  check: Validator | undefined,
): Readonly<Record<string, unknown>> => {
  const checked = check?.(body);
  if (checked === undefined) return body;
  if (checked.ok) return checked.value as Readonly<Record<string, unknown>>;
  const findings = checked.issues.map(({ pointer, message }) => ({ pointer, message }));
  throw invalid("The body is not as this address takes it.", findings);
};

/** An answer of the API is no page: whoever opens it as one sees nothing run. */
const withHeaders = (response: Response, { appOrigin }: ReadStudioOptions): Response => {
  for (const [name, value] of Object.entries(safeHeaders(appOrigin))) response.headers.set(name, value);
  return response;
};
