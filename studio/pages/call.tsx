import type { CallListItem } from "@api/call-list-items.ts";
import type { Call, Stages } from "@api/calls.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { McpAppFrame } from "../apps/mcp-app-frame.tsx";
import { Badge, DecisionBadge, EndingBadge } from "../components/badge.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { FactList, Page, Section } from "../components/page.tsx";
import { formatCost, formatDuration, Time } from "../components/time.tsx";
import { PipelineStages, type StageName, stageNames } from "./pipeline-stages.tsx";
import { SettleCall } from "./settle-call.tsx";
import { StageDetail } from "./stage-detail.tsx";

const route = getRouteApi("/calls/$entryId");

export const CallPage = () => {
  const { entryId } = route.useParams();
  const { data, error, refetch } = useQuery(queries.call(entryId));
  const name = data?.summary.tool ?? "Call";
  return (
    <Page
      title={name}
      heading={<ForeignText text={name} isLine />}
      actions={
        data !== undefined && (
          <>
            <EndingBadge ending={data.summary.ending} code={data.summary.code} />
            <CopyButton text={entryId} label="Copy the entry ID" />
          </>
        )
      }
    >
      {error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null && <LoadingNotice />
      ) : (
        <CallDetailView key={entryId} call={data} />
      )}
    </Page>
  );
};

const CallDetailView = ({ call }: { readonly call: Call }) => {
  const { summary, stages, taints, children, parent, approvals, media } = call;
  const [open, setOpen] = useState<ReadonlySet<StageName>>(() => new Set(initiallyOpenStages(stages)));
  const toggle = (stage: StageName): void =>
    setOpen((was) => new Set(was.has(stage) ? [...was].filter((each) => each !== stage) : [...was, stage]));
  const show = (stage: StageName): void => {
    setOpen((was) => new Set([...was, stage]));
    requestAnimationFrame(() => document.getElementById(`stage-${stage}`)?.focus());
  };
  return (
    <>
      {summary.message !== undefined && (
        <div className="panel border-l-4 border-l-bad p-3">
          <ForeignText text={summary.message} />
        </div>
      )}
      <PipelineStages stages={stages} onChoose={show} />
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-2">
          {stageNames.map((stage, index) => (
            <StageDetail
              key={stage}
              name={stage}
              number={index + 1}
              call={call}
              isOpen={open.has(stage)}
              onToggle={() => toggle(stage)}
            />
          ))}
          {call.app !== undefined && <McpAppFrame view={call.app} />}
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <SettleCall call={call} />
          <Section title="About">
            <FactList
              facts={[
                ["Started", <Time key="at" at={summary.at} />],
                ["Duration", formatDuration(summary.durationMs)],
                ["Cost", summary.cost === undefined ? undefined : formatCost(summary.cost)],
                ["Agent", summary.agent && <ForeignText key="agent" text={summary.agent} />],
                ["User", summary.user && <ForeignText key="user" text={summary.user} />],
                ["Tenant", summary.tenant && <ForeignText key="tenant" text={summary.tenant} />],
                ["Session", summary.session && <SessionLink key="session" session={summary.session} />],
                ["Tool", <ToolLink key="tool" tool={summary.tool} />],
                ["Run", <RunLink key="run" call={call} />],
                ["Parent call", parent && <EntryLink key="parent" call={parent} />],
                ["Call ID", <ForeignText key="id" text={summary.callId} isCode className="break-all" />],
                [
                  "Correlation ID",
                  call.correlationId && <ForeignText key="correlation" text={call.correlationId} isCode />,
                ],
                [
                  "Made in the Studio by",
                  call.operator && <ForeignText key="operator" text={call.operator} />,
                ],
                ["Key", call.key && <ForeignText key="key" text={call.key} isCode className="break-all" />],
              ]}
            />
          </Section>
          {taints.length > 0 && (
            <Section title="Untrusted content from">
              <p className="mb-2 text-xs text-soft">
                These tools returned content from outside. The model has read it, and may have followed
                instructions in it.
              </p>
              <ul className="flex flex-col gap-1">
                {taints.map(({ tool, entryId, at }) => (
                  <li key={`${tool} ${entryId}`} className="flex items-baseline justify-between gap-2">
                    {entryId === undefined ? (
                      <ForeignText text={tool} isLine />
                    ) : (
                      <Link to="/calls/$entryId" params={{ entryId }} className="link min-w-0">
                        <ForeignText text={tool} isLine />
                      </Link>
                    )}
                    {at !== undefined && (
                      <span className="shrink-0 text-xs text-soft">
                        <Time at={at} />
                      </span>
                    )}
                  </li>
                ))}
              </ul>
            </Section>
          )}
          {children.length > 0 && <CallLinks title="Nested calls" calls={children} />}
          {approvals.length > 0 && (
            <Section title="Approval requests">
              <ul className="flex flex-col gap-2">
                {approvals.map((approval) => {
                  const { id, answeredBy, answeredAt } = approval;
                  return (
                    <li key={id} className="flex flex-wrap items-center gap-x-2">
                      <DecisionBadge approval={approval} />
                      <Link to="/approvals" search={{ id }} className="link">
                        View request
                      </Link>
                      {answeredBy !== undefined && (
                        <span className="min-w-0 text-soft">
                          <ForeignText text={`by ${answeredBy}`} isInline />
                          {answeredAt !== undefined && (
                            <>
                              {", "}
                              <Time at={answeredAt} />
                            </>
                          )}
                        </span>
                      )}
                    </li>
                  );
                })}
              </ul>
            </Section>
          )}
          {media.length > 0 && (
            <Section title="Media">
              <ul className="flex flex-col gap-1">
                {media.map(({ kind, mediaType, name, bytes, sha256 }, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: media may be equal
                  <li key={index}>
                    <Badge>{kind}</Badge>{" "}
                    <ForeignText
                      text={[name, mediaType, bytes && `${bytes} bytes`, sha256].filter(Boolean).join(" · ")}
                    />
                  </li>
                ))}
              </ul>
            </Section>
          )}
        </div>
      </div>
    </>
  );
};

const CallLinks = ({ title, calls }: { readonly title: string; readonly calls: readonly CallListItem[] }) => (
  <Section title={title}>
    <ul className="flex flex-col gap-2">
      {calls.map((call) => (
        <li key={call.entryId} className="flex items-center justify-between gap-2">
          <EntryLink call={call} />
          <span className="flex shrink-0 items-center gap-2 text-xs text-soft">
            {formatDuration(call.durationMs)}
            <EndingBadge ending={call.ending} code={call.code} />
          </span>
        </li>
      ))}
    </ul>
  </Section>
);

const EntryLink = ({ call: { entryId, tool } }: { readonly call: CallListItem }) => (
  <Link to="/calls/$entryId" params={{ entryId }} className="link">
    <ForeignText text={tool} isInline />
  </Link>
);

const ToolLink = ({ tool }: { readonly tool: string }) => (
  <Link to="/tools/$key" params={{ key: tool }} className="link">
    <ForeignText text={tool} />
  </Link>
);

const SessionLink = ({ session }: { readonly session: string }) => (
  <Link to="/calls" search={{ session }} className="link">
    <ForeignText text={session} />
  </Link>
);

/** Calls outside of an agent run have no stored run. */
const RunLink = ({ call: { run, summary } }: { readonly call: Call }) => (
  <>
    {run !== undefined && (
      <Link to="/runs/$id" params={{ id: run.runId }} className="link block">
        <ForeignText text={`${run.agent} (${run.status})`} />
      </Link>
    )}
    <Link to="/calls" search={{ run: summary.runId }} className="link">
      {run === undefined ? "Calls of the same turn" : "All calls"}
    </Link>
  </>
);

/** Where the call failed or is pending; otherwise input and result. */
const initiallyOpenStages = (stages: Stages): readonly StageName[] => {
  const stopped = stageNames.filter((name) => ["failed", "pending", "unknown"].includes(stages[name].state));
  return stopped.length > 0 ? ["hydrate", ...stopped] : ["hydrate", "check"];
};
