import { HttpError } from "./http-error.ts";

export interface RoutePattern {
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
