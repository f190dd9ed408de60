import type { ReplayBody, ReplayResult } from "@api/runs.ts";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../api/api.ts";
import { Badge, type Tone } from "../components/badge.tsx";
import { DiffView, readDiff } from "../components/diff-view.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { ErrorBox } from "../components/notices.tsx";
import { Select } from "../components/select.tsx";
import { formatCount, formatNumberOf } from "../components/time.tsx";

const replayTones: Readonly<Record<string, Tone>> = {
  same: "good",
  different: "wait",
  refused: "bad",
  gone: "bad",
  "not-run": "plain",
};

const statusTexts: Readonly<Record<ReplayResult["calls"][number]["status"], string>> = {
  same: "unchanged",
  different: "different",
  refused: "refused",
  gone: "missing",
  "not-run": "not executed",
};

export const ReplayPanel = ({ runId, onClose }: { readonly runId: string; readonly onClose: () => void }) => {
  const [execute, setExecute] = useState<NonNullable<ReplayBody["execute"]>>("read-only");
  const replay = useMutation({ mutationFn: () => api.replay(runId, { execute }) });
  return (
    <div className="flex max-h-[80vh] flex-col gap-3 overflow-auto p-4">
      <div className="flex items-center justify-between gap-2">
        <h2>Replay with the current tools</h2>
        <button type="button" className="button button-quiet" onClick={onClose}>
          Close
        </button>
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <Select
          label="Execute"
          none={null}
          value={execute}
          choices={[
            ["read-only", "Read-only tools"],
            ["none", "No tools"],
            ["all", "All tools, including those with side effects"],
          ]}
          onChange={(value) => setExecute(value as typeof execute)}
        />
        <button
          type="button"
          className="button button-primary"
          disabled={replay.isPending}
          onClick={() => replay.mutate()}
        >
          {replay.isPending ? "Replaying…" : "Replay"}
        </button>
      </div>
      {replay.error !== null && <ErrorBox error={replay.error} />}
      {replay.data !== undefined && <ReplayResultView result={replay.data} />}
    </div>
  );
};

const ReplayResultView = ({ result: { summary, calls } }: { readonly result: ReplayResult }) => (
  <>
    <p role="status">
      {formatNumberOf(summary.total, "call")}: {formatCount(summary.same)} unchanged,{" "}
      {formatCount(summary.different)} different, {formatCount(summary.refused)} refused,{" "}
      {formatCount(summary["not-run"])} not executed, {formatCount(summary.gone)} missing.
    </p>
    <ul className="flex flex-col gap-3">
      {calls.map(({ callId, tool, status, reason, diff }) => (
        <li key={callId} className="flex flex-col gap-2">
          <div className="flex items-center gap-2">
            <Badge tone={replayTones[status] ?? "plain"}>{statusTexts[status]}</Badge>
            <ForeignText text={tool} isLine />
          </div>
          {reason !== undefined && <ForeignText text={reason} className="text-soft" />}
          {status === "different" && <DiffView lines={readDiff(diff.text)} names={["Recorded", "Now"]} />}
        </li>
      ))}
    </ul>
  </>
);
