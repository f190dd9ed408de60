import type { FleetView } from "@api/experiments.ts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { StateBadge } from "../components/badge.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { EmptyState, ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { FactList, Page, Section } from "../components/page.tsx";
import { formatDuration, Time } from "../components/time.tsx";

export const Fleet = () => {
  const { data, error, refetch } = useQuery(queries.fleet());
  return (
    <Page title="Fleet">
      {error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <LoadingNotice /> : <FleetDetailView fleet={data} />}
    </Page>
  );
};

const FleetDetailView = ({
  fleet: { workers, queue, parked, parkedCount, dead, deadCount, schedules },
}: {
  readonly fleet: FleetView;
}) => (
  <>
    <Section title="Queue">
      <FactList
        facts={[
          ["Ready", queue.ready],
          ["Delayed", queue.delayed],
          ["Active", queue.active],
          ["Oldest in queue", formatDuration(queue.oldestSeconds * 1_000)],
          ["Need approval", parkedCount],
          ["Dead letters", deadCount],
        ]}
      />
    </Section>
    <Section title="Workers">
      {workers.length === 0 ? (
        <EmptyState title="No workers">
          Start one with <code className="code">haft worker</code>.
        </EmptyState>
      ) : (
        <ul className="-my-2 divide-y divide-line">
          {workers.map(({ id, host, pid, state, running, concurrency, rate, agents, seenAt }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
              <StateBadge state={state} />
              <ForeignText text={`${host}:${pid}`} />
              <span>
                {running} of {concurrency} runs
              </span>
              <span>{rate.toFixed(1)} runs per second</span>
              <ForeignText text={agents.join(", ")} className="text-soft" />
              <span className="ml-auto text-soft">
                seen <Time at={seenAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
    <InactiveRuns title="Runs that need approval" runs={parked} />
    <InactiveRuns title="Dead letters" runs={dead} />
    {schedules.length > 0 && (
      <Section title="Schedules">
        <FactList
          facts={schedules.map(({ runId, cron, timezone }) => [cron, `${timezone}, ${runId}`] as const)}
        />
      </Section>
    )}
  </>
);

const InactiveRuns = ({ title, runs }: { readonly title: string; readonly runs: FleetView["parked"] }) =>
  runs.length > 0 && (
    <Section title={title}>
      <ul className="flex flex-col gap-1">
        {runs.map(({ runId, reason, since }) => (
          <li key={runId} className="flex flex-wrap gap-x-4">
            <Link to="/runs/$id" params={{ id: runId }} className="link">
              <ForeignText text={runId} isCode />
            </Link>
            <ForeignText text={reason} className="min-w-0 grow" />
            <Time at={since} />
          </li>
        ))}
      </ul>
    </Section>
  );
