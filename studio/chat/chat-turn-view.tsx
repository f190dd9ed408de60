import type { Approval } from "@api/approvals.ts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { McpAppFrame } from "../apps/mcp-app-frame.tsx";
import { Badge, type Tone } from "../components/badge.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { JsonText } from "../components/json-view.tsx";
import { formatDuration } from "../components/time.tsx";
import { useAnswerApproval } from "../pages/use-answer-approval.ts";
import type { ChatCall, ChatTurn } from "./chat-turns.ts";

export const ChatTurnView = ({ turn }: { readonly turn: ChatTurn }) => (
  <div className="flex flex-col gap-3">
    {turn.said !== undefined && (
      <div className="max-w-[85%] self-end rounded-lg bg-accent-wash px-3 py-2">
        <ForeignText text={turn.said} />
      </div>
    )}
    {turn.parts.map((part, index) => {
      // biome-ignore-start lint/suspicious/noArrayIndexKey: parts are never reordered
      if (part.kind === "call") return <CallCard key={index} turn={turn} callId={part.callId} />;
      if (part.kind === "text") return <ForeignText key={index} text={part.text} />;
      if (part.kind === "note")
        return <ForeignText key={index} text={part.text} className="text-xs text-soft" />;
      return (
        <details key={index} className="text-soft">
          <summary className="flex min-h-7 items-center text-xs">Reasoning</summary>
          <ForeignText text={part.text} className="border-l-2 border-line pl-3" />
        </details>
      );
      // biome-ignore-end lint/suspicious/noArrayIndexKey: parts are never reordered
    })}
    {turn.approvals
      .filter(({ callId }) => turn.calls[callId] === undefined)
      .map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} />
      ))}
    {turn.problem !== undefined && <ForeignText text={turn.problem} className="text-bad" />}
  </div>
);

const callStateTones: Readonly<Record<ChatCall["state"], Tone>> = {
  requested: "plain",
  running: "accent",
  "needs approval": "wait",
  done: "good",
  failed: "bad",
};

const CallCard = ({ turn, callId }: { readonly turn: ChatTurn; readonly callId: string }) => {
  const call = turn.calls[callId]!;
  return (
    <div className="flex flex-col gap-3">
      <CallDetails call={call} />
      {turn.approvals
        .filter((approval) => approval.callId === callId)
        .map((approval) => (
          <ApprovalCard key={approval.id} approval={approval} />
        ))}
      {call.app !== undefined && <McpAppFrame view={call.app} />}
    </div>
  );
};

const CallDetails = ({ call: { tool, input, state, durationMs, result } }: { readonly call: ChatCall }) => (
  <details className="min-w-0 rounded-md border border-line">
    <summary className="flex min-w-0 items-center gap-2 px-3 py-2">
      <ForeignText text={tool} isLine className="max-w-1/2 shrink-0 font-medium" />
      <Badge tone={callStateTones[state]}>{state}</Badge>
      <ForeignText text={input} isLine isCode className="min-w-0 grow text-soft" />
      {durationMs !== undefined && (
        <span className="shrink-0 text-xs text-soft">{formatDuration(durationMs)}</span>
      )}
    </summary>
    <div className="flex flex-col gap-2 border-t border-line p-3">
      <JsonText text={{ text: input }} />
      {result !== undefined && <JsonText text={{ text: result }} />}
    </div>
  </details>
);

const ApprovalCard = ({ approval }: { readonly approval: Approval }) => {
  const { data } = useQuery(queries.approval(approval.id));
  const { answer, isBusy } = useAnswerApproval();
  const now = data?.approval ?? approval;
  const isOpen = now.status === "waiting";
  return (
    <div className={`rounded-md border border-line p-3 ${isOpen ? "bg-wait-wash" : ""}`}>
      <div className="flex flex-wrap items-center gap-x-3">
        <p className={`font-medium ${isOpen ? "text-wait" : ""}`}>{markUnseen(approvalStatusText(now))}</p>
        {!isOpen && (
          <Link to="/approvals" search={{ id: approval.id }} className="link ml-auto">
            View request
          </Link>
        )}
      </div>
      {isOpen ? (
        <>
          <ForeignText text={`${approval.tool}: ${approval.reason}`} />
          <div className="my-2">
            <JsonText text={approval.input} />
          </div>
          <div className="flex flex-wrap gap-2">
            <button
              type="button"
              className="button button-primary"
              disabled={isBusy}
              onClick={() => void answer(approval.id, { decision: "allow" })}
            >
              Approve
            </button>
            <button
              type="button"
              className="button button-bad"
              disabled={isBusy}
              onClick={() => void answer(approval.id, { decision: "deny" })}
            >
              Deny
            </button>
            <Link to="/approvals" search={{ id: approval.id }} className="button">
              Details and edit
            </Link>
          </div>
        </>
      ) : (
        now.edited !== undefined && <JsonText text={now.edited} />
      )}
    </div>
  );
};

const decisionTexts = { allow: "Approved", edit: "Approved with changes", deny: "Denied" } as const;

const approvalStatusText = ({ status, decision, answeredBy }: Approval): string => {
  if (status === "waiting") return "Needs approval";
  if (decision === undefined) return status === "expired" ? "Expired without an answer" : "No longer needed";
  return answeredBy === undefined ? decisionTexts[decision] : `${decisionTexts[decision]} by ${answeredBy}`;
};
