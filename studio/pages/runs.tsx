import type { RunListItem } from "@api/runs.ts";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { queries } from "../api/queries.ts";
import { StateBadge } from "../components/badge.tsx";
import { type DataColumn, DataTable, rowLinkClass } from "../components/data-table.tsx";
import { FilterInput } from "../components/filter-input.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { EmptyState, ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { Page } from "../components/page.tsx";
import { Select } from "../components/select.tsx";
import { formatCount, formatDuration, Time } from "../components/time.tsx";

const route = getRouteApi("/runs");
const runStatusChoices = ["running", "done", "pending", "stopped", "cancelled", "failed"];

const columns: readonly DataColumn<RunListItem>[] = [
  {
    id: "agent",
    header: "Agent",
    className: "grow basis-0",
    cell: ({ runId, agent }) => (
      <Link to="/runs/$id" params={{ id: runId }} preload={false} className={rowLinkClass}>
        <ForeignText text={agent} isLine />
      </Link>
    ),
  },
  {
    id: "status",
    header: "Status",
    className: "w-24 shrink-0",
    cell: ({ status, reason }) => <StateBadge state={status} title={reason} />,
  },
  {
    id: "kind",
    header: "Kind",
    className: "hidden w-20 shrink-0 text-soft sm:block",
    cell: ({ kind }) => kind,
  },
  {
    id: "who",
    header: "Caller",
    className: "hidden grow basis-0 md:block",
    cell: ({ caller }) => (
      <ForeignText text={[caller?.agent, caller?.user, caller?.tenant].filter(Boolean).join(" · ")} isLine />
    ),
  },
  {
    id: "turns",
    header: "Turns",
    className: "hidden w-16 shrink-0 text-right md:block",
    cell: ({ turns }) => turns,
  },
  {
    id: "tokens",
    header: "Tokens in / out",
    className: "hidden w-36 shrink-0 text-right lg:block",
    cell: ({ tokens }) => `${formatCount(tokens.input)} / ${formatCount(tokens.output)}`,
  },
  {
    id: "took",
    header: "Duration",
    className: "hidden w-24 shrink-0 text-right sm:block",
    cell: ({ startedAt, updatedAt }) => formatDuration(updatedAt - startedAt),
  },
  {
    id: "at",
    header: "Started",
    className: "w-26 shrink-0 text-right text-soft",
    cell: ({ startedAt }) => <Time at={startedAt} />,
  },
];

export const Runs = () => {
  const { status, agent } = route.useSearch();
  const search = { status, agent };
  const navigate = route.useNavigate();
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery(
    queries.runs(search),
  );
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const more = useCallback((): void => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage({ cancelRefetch: false });
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const filter = (name: "status" | "agent") => (value: string | undefined) =>
    void navigate({
      search: ({ [name]: _, ...was }) => (value === undefined ? was : { ...was, [name]: value }),
    });
  const isFiltered = status !== undefined || agent !== undefined;
  return (
    <Page title="Runs" isFull>
      <search className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Select label="Status" value={search.status} choices={runStatusChoices} onChange={filter("status")} />
        <FilterInput label="Agent" value={search.agent} onChange={filter("agent")} />
        {isFiltered && (
          <Link to="/runs" className="button button-quiet">
            Clear filters
          </Link>
        )}
      </search>
      {error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingNotice />}
      {data !== undefined && rows.length === 0 && (
        <div className="panel">
          <EmptyState title="No runs">
            {isFiltered ? (
              "No runs match these filters."
            ) : (
              <>
                Runs appear here when an agent runs: with{" "}
                <code className="code">haft run shop.gram "Where is order 7?"</code>, in a program, or in a
                chat under Agents.
              </>
            )}
          </EmptyState>
        </div>
      )}
      {rows.length > 0 && (
        <DataTable label="Runs" rows={rows} columns={columns} idOf={({ runId }) => runId} onEnd={more} />
      )}
    </Page>
  );
};
