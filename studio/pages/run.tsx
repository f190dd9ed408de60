import type { Run } from "@api/runs.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../api/api.ts";
import { queries } from "../api/queries.ts";
import { StateBadge } from "../components/badge.tsx";
import { CallerName } from "../components/caller-name.tsx";
import { CopyButton } from "../components/copy-button.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { FactList, Page, Section } from "../components/page.tsx";
import { formatCost, formatCount, formatDuration, Time } from "../components/time.tsx";
import { Modal } from "../shell/modal.tsx";
import { useToast } from "../shell/toasts.tsx";
import { Conversation } from "./conversation.tsx";
import { ReplayPanel } from "./replay.tsx";
import { Waterfall } from "./waterfall.tsx";

const route = getRouteApi("/runs/$id");

export const RunPage = () => {
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery(queries.run(id));
  const name = data === undefined ? "Run" : `Run of ${data.summary.agent}`;
  return (
    <Page
      title={name}
      heading={<ForeignText text={name} isLine />}
      actions={
        data !== undefined && (
          <>
            <StateBadge state={data.summary.status} />
            <RunActions run={data} />
            <CopyButton text={id} label="Copy the run ID" />
          </>
        )
      }
    >
      {error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
      {data === undefined ? error === null && <LoadingNotice /> : <RunDetailView run={data} />}
    </Page>
  );
};

const RunDetailView = ({ run }: { readonly run: Run }) => {
  const { summary, approvals, handoffs, resumeProblem } = run;
  const isOver = summary.status === "done" || summary.status === "cancelled";
  const waiting = approvals.filter(({ status }) => status === "waiting");
  return (
    <>
      {waiting.map(({ id, tool }) => (
        <div key={id} className="flex items-center gap-3 rounded-md bg-wait-wash p-3 text-wait">
          <span className="min-w-0 grow">
            <ForeignText text={`The call of ${tool} needs approval.`} />
          </span>
          <Link to="/approvals" search={{ id }} className="font-medium underline">
            Answer
          </Link>
        </div>
      ))}
      {summary.reason !== undefined && (
        <div className="panel border-l-4 border-l-wait p-3">
          <ForeignText text={summary.reason} />
        </div>
      )}
      <Section title="Timeline">
        <Waterfall spans={run.spans} hasMore={run.hasMore} />
      </Section>
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <Section title="Conversation">
          <Conversation run={run} />
        </Section>
        <Section title="About">
          <FactList
            facts={[
              ["Started", <Time key="at" at={summary.startedAt} />],
              ["Duration", formatDuration(summary.updatedAt - summary.startedAt)],
              ["Kind", summary.kind],
              ["Turns", summary.turns],
              [
                "Tokens in",
                `${formatCount(summary.tokens.input)}${summary.tokens.cached ? ` (${formatCount(summary.tokens.cached)} cached)` : ""}`,
              ],
              ["Tokens out", formatCount(summary.tokens.output)],
              ["Cost", run.cost === undefined ? undefined : formatCost(run.cost)],
              ["Caller", summary.caller && <CallerName key="caller" caller={summary.caller} />],
              ["Process", isOver ? undefined : summary.isHeld ? "Running" : "Not running anywhere"],
              [
                "Handoffs",
                handoffs.length > 0 && (
                  <ForeignText
                    key="handoffs"
                    text={handoffs.map(({ from, to }) => `${from ?? "?"} → ${to}`).join("\n")}
                  />
                ),
              ],
              [
                "Cannot be resumed here",
                !isOver && resumeProblem && <ForeignText key="why" text={resumeProblem} />,
              ],
              [
                "Calls",
                <Link key="calls" to="/calls" search={{ run: summary.runId }} className="link">
                  View calls
                </Link>,
              ],
            ]}
          />
        </Section>
      </div>
    </>
  );
};

const RunActions = ({ run: { summary, can } }: { readonly run: Run }) => {
  const client = useQueryClient();
  const say = useToast();
  const [open, setOpen] = useState<"cancel" | "replay">();
  const act = useMutation({
    mutationFn: (act: "resume" | "cancel") => api[act](summary.runId),
    onSuccess: ({ message, done }) => say(message, done ? "plain" : "bad"),
    onError: ({ message }) => say(message, "bad"),
    onSettled: () => void client.invalidateQueries({ queryKey: ["run", summary.runId] }),
  });
  return (
    <>
      {can.resume && (
        <button
          type="button"
          className="button"
          disabled={act.isPending}
          onClick={() => act.mutate("resume")}
        >
          Resume
        </button>
      )}
      {can.replay && (
        <button type="button" className="button" onClick={() => setOpen("replay")}>
          Replay
        </button>
      )}
      {can.cancel && (
        <button type="button" className="button button-bad" onClick={() => setOpen("cancel")}>
          Cancel run
        </button>
      )}
      {open === "replay" && (
        <Modal
          label="Replay"
          onClose={() => setOpen(undefined)}
          className="w-[56rem] max-w-[calc(100vw-2rem)]"
        >
          <ReplayPanel runId={summary.runId} onClose={() => setOpen(undefined)} />
        </Modal>
      )}
      {open === "cancel" && (
        <Modal
          label="Cancel this run"
          onClose={() => setOpen(undefined)}
          className="w-96 max-w-[calc(100vw-2rem)]"
        >
          <div className="flex flex-col gap-3 p-4">
            <h2>Cancel this run?</h2>
            <p className="text-soft">
              A cancelled run cannot be resumed, and its approval requests become void.
            </p>
            <div className="flex justify-end gap-2">
              <button type="button" className="button" onClick={() => setOpen(undefined)}>
                Keep run
              </button>
              <button
                type="button"
                className="button button-bad"
                onClick={() => {
                  act.mutate("cancel");
                  setOpen(undefined);
                }}
              >
                Cancel run
              </button>
            </div>
          </div>
        </Modal>
      )}
    </>
  );
};
