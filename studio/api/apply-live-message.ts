import type { CallListItem } from "@api/call-list-items.ts";
import type { LiveMessage } from "@api/live.ts";
import type { RunListItem } from "@api/runs.ts";
import type { ServerList } from "@api/servers.ts";
import type { Page } from "@api/shared.ts";
import type { InfiniteData, QueryClient } from "@tanstack/react-query";

const overviewRefreshMs = 3_000;
const overviewRefresh = { askedAt: 0, isPlanned: false };

/** Patches list rows in place and refetches everything else. */
export const applyLiveMessage = (client: QueryClient, message: LiveMessage): void => {
  if (message.hasMissedChanges) {
    void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" });
    return;
  }
  patchLists<CallListItem>(client, "calls", message.calls, ({ entryId }) => entryId);
  patchLists<RunListItem>(client, "runs", message.runs, ({ runId }) => runId);
  for (const { entryId } of message.calls) refetchNow(client, ["call", entryId]);
  const runIds = new Set([...message.runs, ...message.calls, ...message.approvals].map(({ runId }) => runId));
  for (const runId of runIds) refetchNow(client, ["run", runId]);
  if (message.runs.length > 0) refetchNow(client, ["runs"]);
  if (message.approvals.length > 0) {
    refetchNow(client, ["approvals"]);
    for (const { id } of message.approvals) refetchNow(client, ["approval", id]);
  }
  if (message.servers.length > 0) {
    client.setQueryData<ServerList>(["servers"], (list) => {
      if (list === undefined) return undefined;
      const changed = new Map(message.servers.map((server) => [server.id, server]));
      return { ...list, items: list.items.map((server) => changed.get(server.id) ?? server) };
    });
  }
  scheduleOverviewRefresh(client);
};

const scheduleOverviewRefresh = (client: QueryClient): void => {
  if (overviewRefresh.isPlanned) return;
  overviewRefresh.isPlanned = true;
  const ask = (): void => {
    overviewRefresh.isPlanned = false;
    overviewRefresh.askedAt = performance.now();
    refetchNow(client, ["overview"]);
  };
  setTimeout(ask, Math.max(0, overviewRefreshMs - (performance.now() - overviewRefresh.askedAt)));
};

/** A request in flight may predate the change, so it is awaited and repeated. */
export const refetchNow = (client: QueryClient, queryKey: readonly unknown[]): void => {
  const again = (): Promise<void> => client.invalidateQueries({ queryKey }, { cancelRefetch: false });
  const isInFlight = client.isFetching({ queryKey }) > 0;
  void again().then(() => (isInFlight ? again() : undefined));
};

const patchLists = <Line>(
  client: QueryClient,
  resource: string,
  lines: readonly Line[],
  idOf: (line: Line) => string,
): void => {
  if (lines.length === 0) return;
  const newLines = new Map(lines.map((line) => [idOf(line), line]));
  client.setQueriesData<InfiniteData<Page<Line>>>({ queryKey: [resource] }, (data) => {
    if (data === undefined || !data.pages.some(({ items }) => items.some((line) => newLines.has(idOf(line)))))
      return data;
    const pages = data.pages.map((page) =>
      page.items.some((line) => newLines.has(idOf(line)))
        ? { ...page, items: page.items.map((line) => newLines.get(idOf(line)) ?? line) }
        : page,
    );
    return { ...data, pages };
  });
};
