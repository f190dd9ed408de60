import type { Principal } from "../../types/principal.ts";
import { HttpError } from "./http-error.ts";

/** What the host has already done for an endpoint that is mounted in it. */
export interface RequestContext {
  readonly principal: Principal;
  /** Read and limited. */
  readonly body?: Uint8Array;
  /** Counts further messages of a batch. Throws if they exceed a limit. */
  readonly admitMore?: (count: number) => void;
  /** Keeps the request's slot until the returned function is called, for a call that outlives it. */
  readonly hold?: () => () => void;
}

export interface HandledRequest<Incoming, Route, Caller, Slot> {
  readonly incoming: Incoming;
  readonly route: Route;
  readonly caller: Caller;
  readonly slot: Slot;
  readonly body: Uint8Array | undefined;
}

/** Taken by a request before its body is read. */
export interface RequestSlot {
  /** Idempotent. */
  readonly leave: () => void;
}

/**
 * The stages of a request. The host, chats and the Studio implement them. A stage ends the request with an
 * `HttpError` of the given statuses.
 */
export interface RequestStages<Incoming, Route, Caller, Slot extends RequestSlot> {
  /** Host and Origin headers: 400, 403, 431. */
  readonly check: (incoming: Incoming) => void;
  /** Path and method: 404, 405. */
  readonly route: (incoming: Incoming) => Route;
  /** The caller and its right to the route: 401, 403, 503. */
  readonly identify: (incoming: Incoming, route: Route) => Caller | Promise<Caller>;
  /** Rates and concurrency: 429, 503. */
  readonly admit: (incoming: Incoming, route: Route, caller: Caller) => Slot;
  /** Content type, size and time: 400, 408, 413, 415. */
  readonly read: (incoming: Incoming, route: Route, slot: Slot) => Promise<Uint8Array | undefined>;
  readonly handle: (handled: HandledRequest<Incoming, Route, Caller, Slot>) => Promise<Response>;
  readonly fail: (error: unknown, incoming: Incoming) => Response;
}

export const noSlot: RequestSlot = { leave: () => {} };

/** The order of all HTTP requests. A response with a body keeps its slot until the body ends. */
export const serveRequest = async <Incoming, Route, Caller, Slot extends RequestSlot>(
  stages: RequestStages<Incoming, Route, Caller, Slot>,
  incoming: Incoming,
): Promise<Response> => {
  let slot: Slot | undefined;
  try {
    stages.check(incoming);
    const route = stages.route(incoming);
    const caller = await stages.identify(incoming, route);
    slot = stages.admit(incoming, route, caller);
    const body = await stages.read(incoming, route, slot);
    const response = await stages.handle({ incoming, route, caller, slot, body });
    if (response.body === null) slot.leave();
    return response;
  } catch (error) {
    slot?.leave();
    return stages.fail(error, incoming);
  }
};

interface RoutePattern {
  readonly method: string;
  /** With parameters as `{name}`. */
  readonly path: string;
}

export interface RouteMatch<Route> {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Undefined for unknown paths. Throws 405 for other methods. */
export type Router<Route> = (method: string, path: string) => RouteMatch<Route> | undefined;

interface RoutePath<Route> {
  readonly segments: readonly string[];
  readonly byMethod: ReadonlyMap<string, Route>;
}

/** The first path that matches is used. */
export const createRouter = <Route extends RoutePattern>(routes: readonly Route[]): Router<Route> => {
  const paths = [...Map.groupBy(routes, ({ path }) => path)].map(
    ([path, group]): RoutePath<Route> => ({
      segments: path.split("/"),
      byMethod: new Map(group.map((route) => [route.method, route])),
    }),
  );
  return (method, path) => {
    const segments = path.split("/");
    for (const { segments: pattern, byMethod } of paths) {
      const params = matchSegments(pattern, segments);
      if (params === undefined) continue;
      const route = byMethod.get(method);
      if (route === undefined) throw methodNotAllowedError([...byMethod.keys()]);
      return { route, params };
    }
    return undefined;
  };
};

export const methodNotAllowedError = (methods: readonly string[]): HttpError => {
  const allow = methods.join(", ");
  return new HttpError(405, "method_not_allowed", `Method not allowed. Use ${allow}.`, {
    headers: { allow },
  });
};

const matchSegments = (
  pattern: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | undefined => {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index]!;
    if (!part.startsWith("{")) {
      if (part !== segment) return undefined;
      continue;
    }
    const value = segment === "" ? undefined : decodeSegment(segment);
    if (value === undefined) return undefined;
    params[part.slice(1, -1)] = value;
  }
  return params;
};

const decodeSegment = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
};
