import type { CallListItem } from "@api/call-list-items.ts";
import type { Count } from "@api/shared.ts";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { refetchNow } from "../api/apply-live-message.ts";
import { onLiveMessage } from "../api/live-connection.ts";
import { queries } from "../api/queries.ts";
import { EndingBadge } from "../components/badge.tsx";
import { type DataColumn, DataTable, type DataTableHandle, rowLinkClass } from "../components/data-table.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { EmptyState, ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { Page } from "../components/page.tsx";
import { formatCount, formatDuration, formatEstimate, Time } from "../components/time.tsx";
import { CallFilters } from "./call-filters.tsx";
import { timeSpanMs } from "./time-spans.ts";

const route = getRouteApi("/calls");
const refreshIntervalMs = 1_000;

const columns: readonly DataColumn<CallListItem>[] = [
  {
    id: "tool",
    header: "Tool",
    className: "w-44 grow md:grow-0 lg:w-56",
    cell: ({ entryId, tool }) => (
      <Link to="/calls/$entryId" params={{ entryId }} preload={false} className={rowLinkClass}>
        <ForeignText text={tool} isLine />
      </Link>
    ),
  },
  {
    id: "ending",
    header: "Status",
    className: "w-28 shrink-0 sm:w-32",
    cell: ({ ending, code }) => <EndingBadge ending={ending} code={code} />,
  },
  {
    id: "input",
    header: "Arguments",
    className: "hidden grow basis-0 md:block",
    cell: ({ input }) => <ForeignText text={input} isLine isCode className="text-soft" />,
  },
  {
    id: "result",
    header: "Result",
    className: "hidden grow basis-0 xl:block",
    cell: ({ result, message }) => (
      <ForeignText text={message ?? result ?? ""} isLine isCode className="text-soft" />
    ),
  },
  {
    id: "who",
    header: "Caller",
    className: "hidden w-36 shrink-0 lg:block",
    cell: ({ agent, user }) => <ForeignText text={[agent, user].filter(Boolean).join(" · ")} isLine />,
  },
  {
    id: "marks",
    header: "Notes",
    className: "hidden w-36 shrink-0 truncate text-xs text-soft xl:block",
    cell: ({ isModel, isRepaired, isChanged, isTainted }) =>
      [isModel && "model", isRepaired && "repaired", isChanged && "changed", isTainted && "untrusted"]
        .filter(Boolean)
        .join(", "),
  },
  {
    id: "duration",
    header: "Duration",
    className: "hidden w-24 shrink-0 text-right sm:block",
    cell: ({ durationMs }) => formatDuration(durationMs),
  },
  {
    id: "at",
    header: "Started",
    className: "w-26 shrink-0 text-right text-soft",
    cell: ({ at }) => <Time at={at} />,
  },
];

/** New calls are inserted only while the top of the list is visible. */
export const Calls = () => {
  const { tool, agent, session, run, callId, ending, last, since, until } = route.useSearch();
  const filter = { tool, agent, session, run, callId, ending, last, since, until };
  const client = useQueryClient();
  const lastMs = last === undefined ? undefined : timeSpanMs[last];
  const options = queries.calls({ ...filter, last: lastMs });
  const { data, error, refetch, isFetching, ...pages } = useInfiniteQuery(options);
  const { fetchNextPage, hasNextPage, fetchPreviousPage, hasPreviousPage } = pages;
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const [isAtTop, setAtTop] = useState(true);
  const [newer, setNewer] = useState(0);
  const table = useRef<DataTableHandle>(null);
  const toNewest = useCallback((): void => {
    setNewer(0);
    client.setQueryData(options.queryKey, (was) =>
      was === undefined ? was : { pages: was.pages.slice(0, 1), pageParams: [{}] },
    );
    refetchNow(client, options.queryKey);
  }, [client, options.queryKey]);
  useNewCalls((started) => (isAtTop ? toNewest() : setNewer((count) => count + started)));
  const older = useCallback((): void => {
    if (hasNextPage && !isFetching) void fetchNextPage({ cancelRefetch: false });
  }, [hasNextPage, isFetching, fetchNextPage]);
  const earlier = useCallback((): void => {
    if (hasPreviousPage && !isFetching) void fetchPreviousPage({ cancelRefetch: false });
  }, [hasPreviousPage, isFetching, fetchPreviousPage]);
  const total = data?.pages[0]?.total;
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  return (
    <Page
      title="Calls"
      isFull
      actions={data !== undefined && <span className="text-soft">{formatTotal(rows.length, total)}</span>}
    >
      <CallFilters filter={filter} />
      {error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {newer > 0 && (
        <button
          type="button"
          className="button self-center text-accent"
          onClick={() => {
            table.current?.toTop();
            toNewest();
          }}
        >
          {formatCount(newer)} newer {newer === 1 ? "call" : "calls"}
        </button>
      )}
      {data === undefined && error === null && <LoadingNotice />}
      {data !== undefined && rows.length === 0 && (
        <div className="panel">
          <EmptyState title={isFiltered ? "No matching calls" : "No calls yet"}>
            {isFiltered
              ? "Use the full name of a tool, such as ns/tool."
              : "Calls appear here when they start: by an agent, by the form of a tool, or by "}
            {!isFiltered && <code className="code">haft call TOOL '{"{…}"}'</code>}
          </EmptyState>
        </div>
      )}
      {rows.length > 0 && (
        <DataTable
          label="Calls"
          rows={rows}
          columns={columns}
          idOf={({ entryId }) => entryId}
          onStart={earlier}
          onEnd={older}
          onScroll={setAtTop}
          count={total?.count}
          handle={table}
        />
      )}
    </Page>
  );
};

const formatTotal = (shown: number, total: Count | undefined): string =>
  total === undefined
    ? `${formatCount(shown)} or more calls`
    : `${formatEstimate(total)} ${total.count === 1 ? "call" : "calls"}`;

const useNewCalls = (onNewCalls: (started: number) => void): void => {
  const notify = useEffectEvent(onNewCalls);
  useEffect(() => {
    let started = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const leave = onLiveMessage(({ counts }) => {
      if (counts.started === 0) return;
      started += counts.started;
      timer ??= setTimeout(() => {
        timer = undefined;
        notify(started);
        started = 0;
      }, refreshIntervalMs);
    });
    return () => {
      leave();
      clearTimeout(timer);
    };
  }, []);
};
