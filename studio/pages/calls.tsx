import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { CallLine } from "@words/calls.ts";
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { askAgain } from "../api/apply-live.ts";
import { onLive } from "../api/live.ts";
import { queries } from "../api/queries.ts";
import { EndingBadge } from "../components/badge.tsx";
import { type Column, DataTable, type DataTableHandle, rowLink } from "../components/data-table.tsx";
import { FilterInput } from "../components/filter-input.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { formatCount, formatDuration, formatEstimate } from "../components/format.ts";
import { Empty, ErrorBox, Loading } from "../components/notices.tsx";
import { Page } from "../components/page.tsx";
import { Select } from "../components/select.tsx";
import { Time } from "../components/time.tsx";

const route = getRouteApi("/calls");
/** The list is asked for again at most so often, however many calls come. */
const leastMs = 1_000;

const columns: readonly Column<CallLine>[] = [
  {
    id: "tool",
    header: "Tool",
    className: "w-44 grow md:grow-0 lg:w-56",
    cell: ({ entryId, tool }) => (
      <Link to="/calls/$entryId" params={{ entryId }} preload={false} className={rowLink}>
        <ForeignText text={tool} isLine />
      </Link>
    ),
  },
  {
    id: "ending",
    header: "Ending",
    className: "w-32 shrink-0",
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
    cell: ({ isModel, isRepaired, isTainted }) =>
      [isModel && "model", isRepaired && "repaired", isTainted && "untrusted"].filter(Boolean).join(", "),
  },
  {
    id: "duration",
    header: "Took",
    className: "hidden w-20 shrink-0 text-right sm:block",
    cell: ({ durationMs }) => formatDuration(durationMs),
  },
  {
    id: "at",
    header: "When",
    className: "w-24 shrink-0 text-right text-soft",
    cell: ({ at }) => <Time at={at} />,
  },
];

/** Every call, newest first; new ones appear while the top is in sight. */
export const Calls = () => {
  const { tool, agent, session, run, callId, ending, since, until } = route.useSearch();
  const search = { tool, agent, session, run, callId, ending, since, until };
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const options = queries.calls(search);
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery(options);
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const [isAtTop, setAtTop] = useState(true);
  const [newer, setNewer] = useState(0);
  const table = useRef<DataTableHandle>(null);
  const toNewest = useCallback((): void => {
    setNewer(0);
    client.setQueryData(options.queryKey, (was) =>
      was === undefined ? was : { pages: was.pages.slice(0, 1), pageParams: was.pageParams.slice(0, 1) },
    );
    askAgain(client, options.queryKey);
  }, [client, options.queryKey]);
  useNewCalls((began) => (isAtTop ? toNewest() : setNewer((count) => count + began)));
  // Newer calls that are being asked for are not put off by older ones.
  const more = useCallback((): void => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage({ cancelRefetch: false });
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const filter = (name: string) => (value: string | undefined) =>
    void navigate({
      search: ({ [name as "tool"]: _, ...was }) => (value === undefined ? was : { ...was, [name]: value }),
    });
  const total = data?.pages[0]?.total;
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <Page
      title="Calls"
      isFull
      actions={total !== undefined && <span className="text-soft">{formatEstimate(total)} calls</span>}
    >
      <search className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Select
          label="Ending"
          value={search.ending}
          choices={[
            ["open", "running"],
            ["executed", "done"],
            "failed",
            ["pending", "waits"],
            ["hydrated", "handed on"],
            "unknown",
          ]}
          onChange={filter("ending")}
        />
        <FilterInput label="Tool" value={search.tool} onChange={filter("tool")} />
        <FilterInput label="Agent" value={search.agent} onChange={filter("agent")} className="w-28" />
        <FilterInput label="Session" value={search.session} onChange={filter("session")} className="w-28" />
        <FilterInput label="Run" value={search.run} onChange={filter("run")} className="w-28" />
        {isFiltered && (
          <Link to="/calls" className="button button-quiet">
            Clear filters
          </Link>
        )}
      </search>
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
      {data === undefined && error === null && <Loading />}
      {data !== undefined && rows.length === 0 && (
        <div className="panel">
          <Empty title={isFiltered ? "No call fits these filters" : "No calls yet"}>
            {isFiltered
              ? "Names of tools are written in full, as in ns/tool."
              : "Calls appear here as soon as an agent, haft call or the form of a tool makes one."}
          </Empty>
        </div>
      )}
      {rows.length > 0 && (
        <DataTable
          label="Calls"
          rows={rows}
          columns={columns}
          idOf={({ entryId }) => entryId}
          onEnd={more}
          onScroll={setAtTop}
          count={total?.count}
          handle={table}
        />
      )}
    </Page>
  );
};

/** Tells how many calls began, at most once a second. */
const useNewCalls = (tell: (began: number) => void): void => {
  const say = useEffectEvent(tell);
  useEffect(() => {
    let began = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const leave = onLive(({ counts }) => {
      if (counts.began === 0) return;
      began += counts.began;
      timer ??= setTimeout(() => {
        timer = undefined;
        say(began);
        began = 0;
      }, leastMs);
    });
    return () => {
      leave();
      clearTimeout(timer);
    };
  }, []);
};
