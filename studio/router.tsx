import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import type { CallEnding } from "@words/calls.ts";
import type { RunState } from "@words/runs.ts";
import { base } from "./api/base.ts";
import { Empty, ErrorBox } from "./components/notices.tsx";
import { Page } from "./components/page.tsx";
import { Overview } from "./pages/overview.tsx";
import { optional, readNumber, readTexts, readWord } from "./read-search.ts";
import { Shell } from "./shell/shell.tsx";

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <Page title="There is no such page">
      <div className="panel">
        <Empty title="Nothing is at this address">Choose a page from the navigation.</Empty>
      </div>
    </Page>
  ),
  errorComponent: ({ error, reset }) => (
    <div className="p-6">
      <ErrorBox error={error} onRetry={reset} />
    </div>
  ),
});
const later = () => import("./later.ts");
const page = { getParentRoute: () => root };

export const endings = [
  "open",
  "executed",
  "failed",
  "pending",
  "hydrated",
  "unknown",
] as const satisfies CallEnding[];
export const runStates = [
  "running",
  "done",
  "pending",
  "stopped",
  "cancelled",
  "failed",
] as const satisfies RunState[];

export const overviewRoute = createRoute({
  ...page,
  path: "/",
  component: Overview,
  validateSearch: (
    search,
  ): { readonly by?: "agent" | "tenant"; readonly last?: "hour" | "week" | "month" } => ({
    by: readWord(search, "by", ["agent", "tenant"]),
    last: readWord(search, "last", ["hour", "week", "month"]),
  }),
});
export const callsRoute = createRoute({
  ...page,
  path: "/calls",
  component: lazyRouteComponent(later, "Calls"),
  validateSearch: (search) => ({
    ...readTexts(search, ["tool", "agent", "session", "run", "callId"]),
    ...optional({
      ending: readWord(search, "ending", endings),
      last: readWord(search, "last", ["hour", "day", "week"]),
      since: readNumber(search, "since"),
      until: readNumber(search, "until"),
    }),
  }),
});
export const callRoute = createRoute({
  ...page,
  path: "/calls/$entryId",
  component: lazyRouteComponent(later, "CallPage"),
});
export const runsRoute = createRoute({
  ...page,
  path: "/runs",
  component: lazyRouteComponent(later, "Runs"),
  validateSearch: (search) => ({
    ...readTexts(search, ["agent"]),
    ...optional({ status: readWord(search, "status", runStates) }),
  }),
});
export const runRoute = createRoute({
  ...page,
  path: "/runs/$id",
  component: lazyRouteComponent(later, "RunPage"),
});
export const approvalsRoute = createRoute({
  ...page,
  path: "/approvals",
  component: lazyRouteComponent(later, "Approvals"),
  validateSearch: (search) => ({
    ...readTexts(search, ["id"]),
    ...optional({ status: readWord(search, "status", ["answered", "used", "expired", "void", "all"]) }),
  }),
});
export const toolsRoute = createRoute({
  ...page,
  path: "/tools",
  component: lazyRouteComponent(later, "Tools"),
  validateSearch: (search) => readTexts(search, ["query"]),
});
export const toolRoute = createRoute({
  ...page,
  path: "/tools/$key",
  component: lazyRouteComponent(later, "ToolPage"),
});
export const serversRoute = createRoute({
  ...page,
  path: "/servers",
  component: lazyRouteComponent(later, "Servers"),
});
export const reviewRoute = createRoute({
  ...page,
  path: "/servers/$id/review",
  component: lazyRouteComponent(later, "Review"),
});
export const rightsRoute = createRoute({
  ...page,
  path: "/rights",
  component: lazyRouteComponent(later, "Rights"),
  validateSearch: (search) => readTexts(search, ["filter", "as", "tool", "input", "tainted"]),
});
export const agentsRoute = createRoute({
  ...page,
  path: "/agents",
  component: lazyRouteComponent(later, "Agents"),
  validateSearch: (search) => readTexts(search, ["first", "second", "chat", "otherChat"]),
});
export const experimentsRoute = createRoute({
  ...page,
  path: "/experiments",
  component: lazyRouteComponent(later, "Experiments"),
  validateSearch: (search) => readTexts(search, ["id"]),
});
export const fleetRoute = createRoute({
  ...page,
  path: "/fleet",
  component: lazyRouteComponent(later, "Fleet"),
});

export const router = createRouter({
  routeTree: root.addChildren([
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
    rightsRoute,
    agentsRoute,
    experimentsRoute,
    fleetRoute,
  ]),
  basepath: base,
  defaultPreload: "intent",
  scrollRestoration: true,
  // Filters are plain words of the address: what somebody types there is what they mean, JSON or not.
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
