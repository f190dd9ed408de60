import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ExperimentResult } from "../../src/agent/experiments/experiment-result.ts";
import { queries } from "../api/queries.ts";
import { Badge } from "../components/badge.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { EmptyState, ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { Page, Section } from "../components/page.tsx";
import { formatNumberOf, formatShare, Time } from "../components/time.tsx";
import { DifferenceIntervals } from "./difference-intervals.tsx";

const route = getRouteApi("/experiments");

export const Experiments = () => {
  const { id } = route.useSearch();
  const { data, error, refetch } = useQuery(queries.experiments());
  const shownId = id ?? data?.items[0]?.id;
  return (
    <Page title="Experiments">
      {error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <LoadingNotice />}
      {data?.items.length === 0 && (
        <div className="panel">
          <EmptyState title="No results">
            Compare two libraries with <code className="code">haft ab … --json &gt; results/first.json</code>,
            then <code className="code">haft studio --experiments results</code>.
          </EmptyState>
        </div>
      )}
      {data !== undefined && data.items.length > 0 && (
        <div className="grid grid-cols-1 items-start gap-4 md:grid-cols-[18rem_minmax(0,1fr)]">
          <ul className="panel divide-y divide-line">
            {data.items.map((line) => (
              <li
                key={line.id}
                className={`relative p-3 ${line.id === shownId ? "bg-accent-wash" : "hover:bg-hover"}`}
              >
                <Link
                  to="/experiments"
                  search={{ id: line.id }}
                  aria-current={line.id === shownId ? "true" : undefined}
                  className="font-medium before:absolute before:inset-0"
                >
                  <ForeignText text={line.agent} isLine />
                </Link>
                <ForeignText text={line.arms.join(" / ")} isLine className="text-soft" />
                <span className="text-xs text-soft">
                  {formatNumberOf(line.runs, "run")}, <Time at={Date.parse(line.startedAt)} />
                </span>
              </li>
            ))}
          </ul>
          {shownId !== undefined && <Experiment id={shownId} />}
        </div>
      )}
    </Page>
  );
};

const Experiment = ({ id }: { readonly id: string }) => {
  const { data, error } = useQuery(queries.experiment(id));
  if (error !== null) return <ErrorBox error={error} />;
  if (data === undefined) return <LoadingNotice />;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <p className="text-base">
        <ForeignText text={data.verdict} />
      </p>
      <ArmSummaries result={data} />
      {data.comparisons.map((comparison) => (
        <Section
          key={comparison.arm}
          title={`${armLabel(data, comparison.arm)} against ${armLabel(data, comparison.baseline)}`}
        >
          {comparison.verdict !== data.verdict && (
            <div className="mb-3">
              <ForeignText text={comparison.verdict} />
            </div>
          )}
          <DifferenceIntervals comparison={comparison} confidence={data.confidence} />
        </Section>
      ))}
    </div>
  );
};

const armLabel = ({ arms }: ExperimentResult, name: string): string =>
  arms.find(({ arm }) => arm === name)?.label ?? name;

const ArmSummaries = ({ result: { arms } }: { readonly result: ExperimentResult }) => (
  <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
    {arms.map(({ arm, label, runs, successes, reasons }, index) => (
      <div key={arm} className="panel p-3">
        <p className="flex items-center gap-2 font-medium">
          <ForeignText text={label} isLine />
          {index === 0 && <Badge>baseline</Badge>}
        </p>
        <p>
          {successes} of {runs} succeeded ({formatShare(successes, runs)})
        </p>
        {reasons.slice(0, 3).map(({ reason, runs: count }) => (
          <ForeignText key={reason} text={`${count} × ${reason}`} isLine className="text-xs text-soft" />
        ))}
      </div>
    ))}
  </div>
);
