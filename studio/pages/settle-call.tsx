import type { Call, SettleBody } from "@api/calls.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { api } from "../api/api.ts";
import { ForeignText } from "../components/foreign-text.tsx";
import { Section } from "../components/page.tsx";
import { Time } from "../components/time.tsx";
import { useToast } from "../shell/toasts.tsx";

export const SettleCall = ({ call }: { readonly call: Call }) => {
  if (call.settlement !== undefined) return <SettlementInfo settlement={call.settlement} />;
  return call.canSettle === true ? <SettleForm entryId={call.summary.entryId} /> : null;
};

const SettlementInfo = ({ settlement }: { readonly settlement: NonNullable<Call["settlement"]> }) => (
  <Section title="Settlement">
    <p>{settlement.tookEffect ? "It took effect." : "It did not take effect."}</p>
    <p className="text-soft">
      <ForeignText text={`Settled by ${settlement.by}`} isInline />
      {", "}
      <Time at={settlement.at} />
    </p>
    {settlement.reason !== undefined && <ForeignText text={settlement.reason} />}
  </Section>
);

const SettleForm = ({ entryId }: { readonly entryId: string }) => {
  const client = useQueryClient();
  const say = useToast();
  const id = useId();
  const [reason, setReason] = useState("");
  const [result, setResult] = useState("");
  const settle = useMutation({
    mutationFn: (body: SettleBody) => api.settle(entryId, body),
    onSuccess: () => say("Settled."),
    onError: ({ message }) => say(message, "bad"),
    onSettled: () => void client.invalidateQueries({ queryKey: ["call", entryId] }),
  });
  const submit = (tookEffect: boolean): void => {
    const why = reason.trim() === "" ? {} : { reason: reason.trim() };
    if (!tookEffect || result.trim() === "") {
      settle.mutate({ tookEffect, ...why });
      return;
    }
    try {
      settle.mutate({ tookEffect, ...why, result: JSON.parse(result) as unknown });
    } catch {
      say("The result is not JSON.", "bad");
    }
  };
  return (
    <Section title="Effect unknown">
      <div className="flex flex-col gap-3">
        <p className="text-soft">
          It is unknown whether this call took effect. Find out, then record it. Later calls with the same key
          use this record.
        </p>
        <label htmlFor={`${id}-reason`} className="flex flex-col gap-1">
          How you know
          <input
            id={`${id}-reason`}
            className="field"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </label>
        <label htmlFor={`${id}-result`} className="flex flex-col gap-1">
          Result as JSON, if it took effect and you know it
          <textarea
            id={`${id}-result`}
            className="field code"
            rows={2}
            value={result}
            onChange={(event) => setResult(event.target.value)}
          />
        </label>
        <div className="flex flex-wrap gap-2">
          <button type="button" className="button" disabled={settle.isPending} onClick={() => submit(true)}>
            It took effect
          </button>
          <button type="button" className="button" disabled={settle.isPending} onClick={() => submit(false)}>
            It did not take effect
          </button>
        </div>
      </div>
    </Section>
  );
};
