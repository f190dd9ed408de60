import type { Overview as Figures, GroupStats } from "@api/overview.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { queries } from "../api/queries.ts";
import { Chart } from "../components/chart.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { EmptyState, ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { Page, Section } from "../components/page.tsx";
import { Select } from "../components/select.tsx";
import {
  formatCost,
  formatCount,
  formatDuration,
  formatEstimate,
  formatShare,
  Time,
} from "../components/time.tsx";
import { timeSpanMs } from "./time-spans.ts";
import { VerifyLedger } from "./verify-ledger.tsx";

const route = getRouteApi("/");

export const Overview = () => {
  const { by = "tool", last = "day" } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery(queries.overview({ by, last: timeSpanMs[last] }));
  const choices = (
    <>
      <Select
        label="Time range"
        none={null}
        value={last}
        choices={[
          ["hour", "Last hour"],
          ["day", "Last day"],
          ["week", "Last week"],
          ["month", "Last 30 days"],
        ]}
        onChange={(value) => void navigate({ search: (was) => ({ ...was, last: value as "hour" }) })}
      />
      <Select
        label="Group by"
        none={null}
        value={by}
        choices={["tool", "agent", "tenant"]}
        onChange={(value) => void navigate({ search: (was) => ({ ...was, by: value as "agent" }) })}
      />
    </>
  );
  return (
    <Page title="Overview" actions={choices}>
      {error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <LoadingNotice /> : <OverviewFigures data={data} last={last} />}
      {data !== undefined && <VerifyLedger />}
    </Page>
  );
};

const OverviewFigures = ({
  data,
  last,
}: {
  readonly data: Figures;
  readonly last: keyof typeof timeSpanMs;
}) => {
  const { total, approvals, failures, groups, sample } = data;
  const charts = useMemo(() => toCharts(data), [data]);
  const within = last === "month" ? { since: data.since } : { last };
  return (
    <>
      <dl className="grid grid-cols-2 gap-3 lg:grid-cols-6">
        <Figure name="Calls">
          <Link to="/calls" search={within} className="hover:underline">
            {formatEstimate(total.calls)}
          </Link>
        </Figure>
        <Figure name="Failed" note={formatShare(total.failed.count, total.calls.count)}>
          <Link to="/calls" search={{ ending: "failed", ...within }} className="hover:underline">
            {formatEstimate(total.failed)}
          </Link>
        </Figure>
        <Figure name="p50">{formatDuration(total.p50)}</Figure>
        <Figure name="p95">{formatDuration(total.p95)}</Figure>
        <Figure name="Cost">{formatCost(total.cost)}</Figure>
        <Figure
          name="Needs approval"
          isUrgent={approvals.waiting > 0}
          note={
            approvals.oldestAskedAt === undefined ? (
              "All caught up"
            ) : (
              <>
                oldest <Time at={approvals.oldestAskedAt} />
              </>
            )
          }
        >
          <Link to="/approvals" className="hover:underline">
            {formatCount(approvals.waiting)}
            {approvals.hasMore ? "+" : ""}
          </Link>
        </Figure>
      </dl>
      {total.calls.count === 0 ? (
        <div className="panel">
          <EmptyState title="No calls in this time range">
            Choose a longer time range, or make a call: with the form of a tool under{" "}
            <Link to="/tools" className="link">
              Tools
            </Link>
            , with an agent, or with <code className="code">haft call TOOL</code>.
          </EmptyState>
        </div>
      ) : (
        <>
          <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
            <div className="panel p-4">
              <Chart label="Calls" {...charts.calls} format={formatCount} isWhole />
            </div>
            <div className="panel p-4">
              <Chart label="Duration" {...charts.durations} format={formatDuration} />
            </div>
          </div>
          <div className="grid grid-cols-1 gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
            <Section title={`By ${data.by}`}>
              <GroupTable groups={groups} by={data.by} within={within} />
              {data.hasMore && (
                <p className="mt-2 text-xs text-soft">
                  Only the {groups.length} groups with the most calls are shown.
                </p>
              )}
            </Section>
            <Section title="Failures by code">
              {failures.length === 0 ? (
                <p className="text-soft">No failures.</p>
              ) : (
                <ul className="flex flex-col gap-2">
                  {failures.map(({ code, count }) => (
                    <li key={code} className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-1">
                      <Link
                        to="/calls"
                        search={{ ending: "failed", ...within }}
                        className="min-w-0 hover:underline"
                      >
                        <ForeignText text={code} isCode isLine />
                      </Link>
                      <span>{formatCount(count)}</span>
                      <FailureBar part={count} whole={failures[0]!.count} />
                    </li>
                  ))}
                </ul>
              )}
            </Section>
          </div>
          {!sample.isAll && (
            <p className="text-xs text-soft">
              Counts include all calls. Durations, costs, codes and groups come from{" "}
              {sample.method === "sample" ? "a sample of" : "the newest"} {formatCount(sample.calls)} calls.
            </p>
          )}
        </>
      )}
    </>
  );
};

const Figure = ({
  name,
  note,
  isUrgent = false,
  children,
}: {
  readonly name: string;
  readonly note?: ReactNode;
  readonly isUrgent?: boolean;
  readonly children: ReactNode;
}) => (
  <div className="panel px-4 py-3">
    <dt className="text-xs text-soft">{markUnseen(name)}</dt>
    <dd className={`mt-0.5 text-xl font-semibold tracking-tight ${isUrgent ? "text-wait" : ""}`}>
      {children}
    </dd>
    <dd className="min-h-4 text-xs text-soft">{note}</dd>
  </div>
);

const FailureBar = ({ part, whole }: { readonly part: number; readonly whole: number }) => (
  <div aria-hidden className="col-span-2 h-1 overflow-hidden rounded bg-sunken">
    <div className="h-full bg-bad" style={{ width: `${(100 * part) / whole}%` }} />
  </div>
);

const GroupTable = ({
  groups,
  by,
  within,
}: {
  readonly groups: readonly GroupStats[];
  readonly by: Figures["by"];
  readonly within: { readonly since?: number; readonly last?: "hour" | "day" | "week" };
}) => (
  <div className="relative -m-2 overflow-x-auto">
    <table className="w-full text-right">
      <thead>
        <tr className="text-xs text-soft [&>th]:p-2 [&>th]:font-medium">
          <th scope="col" className="text-left capitalize">
            {markUnseen(by)}
          </th>
          <th scope="col">Calls</th>
          <th scope="col">Failed</th>
          <th scope="col">p50</th>
          <th scope="col" className="max-sm:hidden">
            p95
          </th>
          <th scope="col" className="max-sm:hidden">
            Cost
          </th>
        </tr>
      </thead>
      <tbody>
        {groups.map(({ name, calls, failed, p50, p95, cost }) => (
          <tr key={name} className="border-t border-line hover:bg-hover [&>td]:p-2 [&>td]:whitespace-nowrap">
            <th scope="row" className="w-full max-w-0 p-2 text-left font-medium">
              {by === "tenant" ? (
                <ForeignText text={name} isLine />
              ) : (
                <Link
                  to="/calls"
                  search={{ [by]: name, ...within }}
                  className="block min-w-0 hover:underline"
                >
                  <ForeignText text={name} isLine />
                </Link>
              )}
            </th>
            <td>{formatEstimate(calls)}</td>
            <td className={failed.count > 0 ? "text-bad" : "text-soft"}>{formatEstimate(failed)}</td>
            <td>{formatDuration(p50)}</td>
            <td className="max-sm:hidden">{formatDuration(p95)}</td>
            <td className="max-sm:hidden">{formatCost(cost)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const toCharts = ({ buckets }: Figures) => {
  const times = buckets.map(({ at }) => at);
  return {
    calls: {
      times,
      series: [
        { name: "all", color: "accent", kind: "bars", values: buckets.map(({ calls }) => calls) },
        { name: "failed", color: "bad", kind: "bars", values: buckets.map(({ failed }) => failed) },
      ],
    },
    durations: {
      times,
      series: [
        { name: "p50", color: "accent", values: buckets.map(({ p50 }) => p50) },
        { name: "p95", color: "wait", values: buckets.map(({ p95 }) => p95) },
      ],
    },
  } as const;
};
