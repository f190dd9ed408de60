import type { CallEnding } from "@api/call-list-items.ts";
import type { RunState } from "@api/runs.ts";
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { basePath } from "./api/api-request.ts";
import { EmptyState, ErrorBox } from "./components/notices.tsx";
import { Page } from "./components/page.tsx";
import { Overview } from "./pages/overview.tsx";
import { AppShell } from "./shell/app-shell.tsx";

const rootRoute = createRootRoute({
  component: AppShell,
  notFoundComponent: () => (
    <Page title="Page not found">
      <div className="panel">
        <EmptyState title="This page does not exist">Choose a page from the navigation.</EmptyState>
      </div>
    </Page>
  ),
  errorComponent: ({ error, reset }) => (
    <div className="p-6">
      <ErrorBox error={error} onRetry={reset} />
    </div>
  ),
});
const loadLazyPages = () => import("./lazy-pages.ts");
const routeOptions = { getParentRoute: () => rootRoute };

export const callEndingFilters = [
  "open",
  "executed",
  "failed",
  "pending",
  "hydrated",
  "unknown",
] as const satisfies CallEnding[];
export const runStatusFilters = [
  "running",
  "done",
  "pending",
  "stopped",
  "cancelled",
  "failed",
] as const satisfies RunState[];

export const overviewRoute = createRoute({
  ...routeOptions,
  path: "/",
  component: Overview,
  validateSearch: (
    search,
  ): { readonly by?: "agent" | "tenant"; readonly last?: "hour" | "week" | "month" } => ({
    by: readSearchChoice(search, "by", ["agent", "tenant"]),
    last: readSearchChoice(search, "last", ["hour", "week", "month"]),
  }),
});
export const callsRoute = createRoute({
  ...routeOptions,
  path: "/calls",
  component: lazyRouteComponent(loadLazyPages, "Calls"),
  validateSearch: (search) => ({
    ...readSearchTexts(search, ["tool", "agent", "session", "run", "callId"]),
    ...partialFields({
      ending: readSearchChoice(search, "ending", callEndingFilters),
      last: readSearchChoice(search, "last", ["hour", "day", "week"]),
      since: readSearchNumber(search, "since"),
      until: readSearchNumber(search, "until"),
    }),
  }),
});
export const callRoute = createRoute({
  ...routeOptions,
  path: "/calls/$entryId",
  component: lazyRouteComponent(loadLazyPages, "CallPage"),
});
export const runsRoute = createRoute({
  ...routeOptions,
  path: "/runs",
  component: lazyRouteComponent(loadLazyPages, "Runs"),
  validateSearch: (search) => ({
    ...readSearchTexts(search, ["agent"]),
    ...partialFields({ status: readSearchChoice(search, "status", runStatusFilters) }),
  }),
});
export const runRoute = createRoute({
  ...routeOptions,
  path: "/runs/$id",
  component: lazyRouteComponent(loadLazyPages, "RunPage"),
});
export const approvalsRoute = createRoute({
  ...routeOptions,
  path: "/approvals",
  component: lazyRouteComponent(loadLazyPages, "Approvals"),
  validateSearch: (search) => ({
    ...readSearchTexts(search, ["id"]),
    ...partialFields({
      status: readSearchChoice(search, "status", ["answered", "used", "expired", "void", "all"]),
    }),
  }),
});
export const toolsRoute = createRoute({
  ...routeOptions,
  path: "/tools",
  component: lazyRouteComponent(loadLazyPages, "Tools"),
  validateSearch: (search) => readSearchTexts(search, ["query"]),
});
export const toolRoute = createRoute({
  ...routeOptions,
  path: "/tools/$key",
  component: lazyRouteComponent(loadLazyPages, "ToolPage"),
});
export const serversRoute = createRoute({
  ...routeOptions,
  path: "/servers",
  component: lazyRouteComponent(loadLazyPages, "Servers"),
});
export const reviewRoute = createRoute({
  ...routeOptions,
  path: "/servers/$id/review",
  component: lazyRouteComponent(loadLazyPages, "Review"),
});
export const permissionsRoute = createRoute({
  ...routeOptions,
  path: "/permissions",
  component: lazyRouteComponent(loadLazyPages, "Permissions"),
  validateSearch: (search) => readSearchTexts(search, ["filter", "as", "tool", "input", "tainted"]),
});
export const agentsRoute = createRoute({
  ...routeOptions,
  path: "/agents",
  component: lazyRouteComponent(loadLazyPages, "Agents"),
  validateSearch: (search) => readSearchTexts(search, ["first", "second", "chat", "otherChat"]),
});
export const experimentsRoute = createRoute({
  ...routeOptions,
  path: "/experiments",
  component: lazyRouteComponent(loadLazyPages, "Experiments"),
  validateSearch: (search) => readSearchTexts(search, ["id"]),
});
export const fleetRoute = createRoute({
  ...routeOptions,
  path: "/fleet",
  component: lazyRouteComponent(loadLazyPages, "Fleet"),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    overviewRoute,
    callsRoute,
    callRoute,
    runsRoute,
    runRoute,
    approvalsRoute,
    toolsRoute,
    toolRoute,
    serversRoute,
    reviewRoute,
    permissionsRoute,
    agentsRoute,
    experimentsRoute,
    fleetRoute,
  ]),
  basepath: basePath,
  defaultPreload: "intent",
  scrollRestoration: true,
  // Plain text instead of the router's JSON encoding.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const given = Object.entries(search).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
  },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

/** Invalid values are ignored. */
type SearchParams = Readonly<Record<string, unknown>>;

const readSearchText = (search: SearchParams, name: string): string | undefined => {
  const value = search[name];
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** Missing names become `undefined`, because the router would pass on unvalidated values. */
const readSearchTexts = <const Names extends readonly string[]>(
  search: SearchParams,
  names: Names,
): { readonly [Each in Names[number]]?: string } =>
  Object.fromEntries(names.map((name) => [name, readSearchText(search, name)])) as {
    readonly [Each in Names[number]]?: string;
  };

const readSearchChoice = <Word extends string>(
  search: SearchParams,
  name: string,
  words: readonly Word[],
): Word | undefined => words.find((word) => word === search[name]);

const readSearchNumber = (search: SearchParams, name: string): number | undefined => {
  const value = Number(search[name]);
  return search[name] !== undefined && Number.isFinite(value) && value >= 0 ? value : undefined;
};

const partialFields = <Fields extends object>(fields: Fields): Partial<Fields> => fields;
