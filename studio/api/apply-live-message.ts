import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { CallLine } from "@words/calls.ts";
import type { LiveMessage } from "@words/live.ts";
import type { RunLine } from "@words/runs.ts";
import type { ServerList } from "@words/servers.ts";
import type { Page } from "@words/shared.ts";

/** Figures are asked for again at most so often, and once more when nothing happens any more. */
const figuresMs = 3_000;
const figures = { askedAt: 0, isPlanned: false };

/** Brings what is shown up to date. Lists are changed in place; what needs more than a line of a list is asked for again. */
export const applyLive = (client: QueryClient, message: LiveMessage): void => {
  if (message.isBehind) {
    void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" });
    return;
  }
  patchLists<CallLine>(client, "calls", message.calls, ({ entryId }) => entryId);
  patchLists<RunLine>(client, "runs", message.runs, ({ runId }) => runId);
  for (const { entryId } of message.calls) askAgain(client, ["call", entryId]);
  const runIds = new Set([...message.runs, ...message.calls].map(({ runId }) => runId));
  for (const runId of runIds) askAgain(client, ["run", runId]);
  if (message.runs.length > 0) askAgain(client, ["runs"]);
  if (message.approvals.length > 0) {
    askAgain(client, ["approvals"]);
    for (const { id } of message.approvals) askAgain(client, ["approval", id]);
  }
  if (message.servers.length > 0) {
    client.setQueryData<ServerList>(["servers"], (list) => {
      if (list === undefined) return undefined;
      const told = new Map(message.servers.map((server) => [server.id, server]));
      return { ...list, items: list.items.map((server) => told.get(server.id) ?? server) };
    });
  }
  planFigures(client);
};

const planFigures = (client: QueryClient): void => {
  if (figures.isPlanned) return;
  figures.isPlanned = true;
  const ask = (): void => {
    figures.isPlanned = false;
    figures.askedAt = performance.now();
    askAgain(client, ["overview"]);
  };
  setTimeout(ask, Math.max(0, figuresMs - (performance.now() - figures.askedAt)));
};

/**
 * Only what somebody looks at is asked for at once. An answer that is under way may be older than the change: it is
 * waited for and asked for once more, since canceling it each time would show nothing while much happens.
 */
export const askAgain = (client: QueryClient, queryKey: readonly unknown[]): void => {
  const again = (): Promise<void> => client.invalidateQueries({ queryKey }, { cancelRefetch: false });
  const isUnderWay = client.isFetching({ queryKey }) > 0;
  void again().then(() => (isUnderWay ? again() : undefined));
};

const patchLists = <Line>(
  client: QueryClient,
  resource: string,
  lines: readonly Line[],
  idOf: (line: Line) => string,
): void => {
  if (lines.length === 0) return;
  const told = new Map(lines.map((line) => [idOf(line), line]));
  client.setQueriesData<InfiniteData<Page<Line>>>({ queryKey: [resource] }, (data) => {
    if (data === undefined || !data.pages.some(({ items }) => items.some((line) => told.has(idOf(line)))))
      return data;
    const pages = data.pages.map((page) =>
      page.items.some((line) => told.has(idOf(line)))
        ? { ...page, items: page.items.map((line) => told.get(idOf(line)) ?? line) }
        : page,
    );
    return { ...data, pages };
  });
};
