import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Approval } from "@words/approvals.ts";
import { queries } from "../api/queries.ts";
import { AppFrame } from "../apps/app-frame.tsx";
import { Badge, type Tone } from "../components/badge.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { formatDuration } from "../components/format.ts";
import { JsonText } from "../components/json-view.tsx";
import { markUnseen } from "../components/unseen.ts";
import { useAnswer } from "../pages/use-answer.ts";
import type { ChatCall, ChatTurn } from "./chat-turns.ts";

/** One message and what came of it. */
export const ShownTurn = ({ turn, onGoOn }: { readonly turn: ChatTurn; readonly onGoOn?: () => void }) => (
  <div className="flex flex-col gap-3">
    {turn.said !== undefined && (
      <div className="max-w-[85%] self-end rounded-lg bg-accent-wash px-3 py-2">
        <ForeignText text={turn.said} />
      </div>
    )}
    {turn.parts.map((part, index) => {
      // biome-ignore-start lint/suspicious/noArrayIndexKey: parts stay in their place
      if (part.kind === "call") return <CallCard key={index} call={turn.calls[part.callId]!} />;
      if (part.kind === "text") return <ForeignText key={index} text={part.text} />;
      if (part.kind === "note")
        return <ForeignText key={index} text={part.text} className="text-xs text-soft" />;
      return (
        <details key={index} className="text-soft">
          <summary className="flex min-h-7 items-center text-xs">Reasoning</summary>
          <ForeignText text={part.text} className="border-l-2 border-line pl-3" />
        </details>
      );
      // biome-ignore-end lint/suspicious/noArrayIndexKey: parts stay in their place
    })}
    {turn.approvals.map((approval) => (
      <Question key={approval.id} approval={approval} {...(onGoOn === undefined ? {} : { onGoOn })} />
    ))}
    {turn.trouble !== undefined && <ForeignText text={turn.trouble} className="text-bad" />}
  </div>
);

const tones: Readonly<Record<ChatCall["state"], Tone>> = {
  asked: "plain",
  running: "accent",
  waits: "wait",
  done: "good",
  failed: "bad",
};

const CallCard = ({ call }: { readonly call: ChatCall }) => (
  <div>
    <CallDetails call={call} />
    {call.app !== undefined && <AppFrame view={call.app} />}
  </div>
);

const CallDetails = ({ call: { tool, input, state, durationMs, result } }: { readonly call: ChatCall }) => (
  <details className="min-w-0 rounded-md border border-line">
    <summary className="flex min-w-0 items-center gap-2 px-3 py-2">
      <ForeignText text={tool} isLine className="max-w-1/2 shrink-0 font-medium" />
      <Badge tone={tones[state]}>{state}</Badge>
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

/** A question of the run, answered where it is asked. */
const Question = ({ approval, onGoOn }: { readonly approval: Approval; readonly onGoOn?: () => void }) => {
  const { data } = useQuery(queries.approval(approval.id));
  const { answer, isBusy } = useAnswer();
  const now = data?.approval ?? approval;
  return (
    <div className="rounded-md border border-line bg-wait-wash p-3">
      <p className="font-medium text-wait">
        {now.status === "waiting"
          ? "A person is asked"
          : markUnseen(`${now.decision ?? now.status} by ${now.answeredBy ?? "nobody"}`)}
      </p>
      <ForeignText text={`${approval.tool}: ${approval.reason}`} />
      <div className="my-2">
        <JsonText text={approval.input} />
      </div>
      {now.status === "waiting" ? (
        <div className="flex flex-wrap gap-2">
          <button
            type="button"
            className="button button-primary"
            disabled={isBusy}
            onClick={() => void answer(approval.id, { decision: "allow" })}
          >
            Allow
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
            With everything to decide by
          </Link>
        </div>
      ) : (
        <div className="flex flex-wrap gap-2">
          <Link to="/runs/$id" params={{ id: approval.runId }} className="button">
            See how the run goes on
          </Link>
          {onGoOn !== undefined && (
            <button type="button" className="button" onClick={onGoOn}>
              Go on here
            </button>
          )}
        </div>
      )}
    </div>
  );
};
