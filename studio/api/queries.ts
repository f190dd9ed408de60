import type { ExplainBody } from "@api/permissions.ts";
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "./api.ts";
import type { Query } from "./api-request.ts";

/** The first element of a key is the resource that live messages update. */
export const queries = {
  me: () => queryOptions({ queryKey: ["me"], queryFn: ({ signal }) => api.me(signal), staleTime: 60_000 }),
  overview: (query: Query) =>
    queryOptions({
      queryKey: ["overview", query],
      queryFn: ({ signal }) => api.overview(withSince(query), signal),
      placeholderData: keepPreviousData,
    }),
  calls: (query: Query) =>
    infiniteQueryOptions({
      queryKey: ["calls", query],
      queryFn: ({ signal, pageParam }) =>
        api.calls({ ...withSince(query), limit: firstCallPageSize, ...pageParam }, signal),
      initialPageParam: {} as CallPageParam,
      getNextPageParam: ({ next }): CallPageParam | undefined =>
        next === undefined ? undefined : { cursor: next, limit: callPageSize },
      getPreviousPageParam: ({ previous }): CallPageParam | undefined =>
        previous === undefined ? undefined : { cursor: previous, direction: "newer", limit: callPageSize },
      maxPages: maxCallPages,
    }),
  call: (entryId: string) =>
    queryOptions({ queryKey: ["call", entryId], queryFn: ({ signal }) => api.call(entryId, signal) }),
  runs: (query: Query) =>
    infiniteQueryOptions({
      queryKey: ["runs", query],
      queryFn: ({ signal, pageParam }) => api.runs({ ...query, limit: 100, cursor: pageParam }, signal),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ next }) => next,
    }),
  run: (id: string) => queryOptions({ queryKey: ["run", id], queryFn: ({ signal }) => api.run(id, signal) }),
  approvals: (query: Query) =>
    queryOptions({
      queryKey: ["approvals", query],
      queryFn: ({ signal }) => api.approvals({ ...query, limit: 500 }, signal),
      placeholderData: keepPreviousData,
    }),
  approval: (id: string) =>
    queryOptions({ queryKey: ["approval", id], queryFn: ({ signal }) => api.approval(id, signal) }),
  tools: (query: Query) =>
    queryOptions({
      queryKey: ["tools", query],
      queryFn: ({ signal }) => api.tools({ ...query, limit: 500 }, signal),
      placeholderData: keepPreviousData,
    }),
  tool: (key: string) =>
    queryOptions({ queryKey: ["tool", key], queryFn: ({ signal }) => api.tool(key, signal) }),
  servers: () => queryOptions({ queryKey: ["servers"], queryFn: ({ signal }) => api.servers(signal) }),
  review: (id: string) =>
    queryOptions({
      queryKey: ["review", id],
      queryFn: ({ signal }) => api.review(id, signal),
      // Each review queries the MCP server.
      refetchOnWindowFocus: false,
    }),
  app: (server: string, uri: string) =>
    queryOptions({
      queryKey: ["app", server, uri],
      queryFn: ({ signal }) => api.app(server, uri, signal),
      // Each read is recorded as a call.
      staleTime: 300_000,
      refetchOnWindowFocus: false,
      retry: false,
    }),
  permissions: (query: Query) =>
    queryOptions({
      queryKey: ["permissions", query],
      queryFn: ({ signal }) => api.permissions(query, signal),
      placeholderData: keepPreviousData,
    }),
  explainInput: (body: ExplainBody) =>
    queryOptions({ queryKey: ["explain", body], queryFn: () => api.explainInput(body) }),
  explain: (query: Query) =>
    queryOptions({ queryKey: ["explain", query], queryFn: ({ signal }) => api.explain(query, signal) }),
  agents: () => queryOptions({ queryKey: ["agents"], queryFn: ({ signal }) => api.agents(signal) }),
  experiments: () =>
    queryOptions({ queryKey: ["experiments"], queryFn: ({ signal }) => api.experiments(signal) }),
  experiment: (id: string) =>
    queryOptions({ queryKey: ["experiment", id], queryFn: ({ signal }) => api.experiment(id, signal) }),
  fleet: () =>
    queryOptions({
      queryKey: ["fleet"],
      queryFn: ({ signal }) => api.fleet(signal),
      refetchInterval: 2_000,
    }),
};

interface CallPageParam {
  readonly cursor?: string;
  readonly direction?: "newer";
  readonly limit?: number;
}

/** The first page is small, so that it loads quickly. Distant pages are dropped. */
const firstCallPageSize = 100;
const callPageSize = 250;
const maxCallPages = 8;

/** Rounded to ten seconds, for which the API caches counts. */
const withSince = ({ last, ...query }: Query): Query =>
  typeof last === "number" ? { ...query, since: Math.floor(Date.now() / 10_000) * 10_000 - last } : query;
