import type { VerifyProgress, VerifyResult } from "@api/live.ts";
import type { ApiError } from "@api/shared.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { postEvents } from "../api/event-stream.ts";
import { queries } from "../api/queries.ts";
import { Badge } from "../components/badge.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { ErrorBox } from "../components/notices.tsx";
import { FactList, Section } from "../components/page.tsx";
import { formatCount, formatExact, formatNumberOf } from "../components/time.tsx";

type VerifyState =
  | { readonly kind: "idle" }
  | { readonly kind: "running"; readonly progress: VerifyProgress | undefined }
  | { readonly kind: "done"; readonly result: VerifyResult }
  | { readonly kind: "failed"; readonly error: unknown };

export const VerifyLedger = () => {
  const { data: me } = useQuery(queries.me());
  const [state, setState] = useState<VerifyState>({ kind: "idle" });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const verify = async (): Promise<void> => {
    const stopped = new AbortController();
    running.current = stopped;
    setState({ kind: "running", progress: undefined });
    try {
      for await (const { name, data } of postEvents<unknown>("/verify", {}, stopped.signal)) {
        if (name === "progress") setState({ kind: "running", progress: data as VerifyProgress });
        if (name === "done") setState({ kind: "done", result: data as VerifyResult });
        if (name === "failed")
          setState({ kind: "failed", error: new Error((data as ApiError).error.message) });
      }
      setState((now) =>
        now.kind === "running" ? { kind: "failed", error: verificationInterruptedError() } : now,
      );
    } catch (error) {
      setState(stopped.signal.aborted ? { kind: "idle" } : { kind: "failed", error });
    }
  };
  if (me?.features.chain !== true) return null;
  return (
    <Section
      title="Ledger"
      actions={
        state.kind === "running" ? (
          <button type="button" className="button" onClick={() => running.current?.abort()}>
            Stop
          </button>
        ) : (
          <button type="button" className="button" onClick={() => void verify()}>
            {state.kind === "idle" ? "Verify" : "Verify again"}
          </button>
        )
      }
    >
      <div role="status" className="flex flex-col gap-3">
        {state.kind === "idle" && (
          <p className="text-soft">
            Each row of <ForeignText text={me.ledger.location ?? me.ledger.kind} isInline isCode /> has the
            hash of the previous row. Verification checks all rows, and finds changed and deleted ones.
          </p>
        )}
        {state.kind === "running" && <VerifyProgressBar progress={state.progress} />}
        {state.kind === "done" && <VerifyResultView result={state.result} />}
      </div>
      {state.kind === "failed" && <ErrorBox error={state.error} />}
    </Section>
  );
};

const verificationInterruptedError = (): Error =>
  new Error("The connection ended before the verification finished. Verify again.");

const VerifyProgressBar = ({ progress }: { readonly progress: VerifyProgress | undefined }) => (
  <div className="flex items-center gap-3 text-soft">
    <progress
      aria-label="Verified rows"
      className="h-2 min-w-0 grow accent-accent"
      {...(progress === undefined ? {} : { value: progress.done, max: Math.max(1, progress.total) })}
    />
    {progress !== undefined && (
      <span className="shrink-0">
        {formatCount(progress.done)} of {formatCount(progress.total)} rows
      </span>
    )}
  </div>
);

const VerifyResultView = ({
  result: { ok, rows, head, broken, unproved, unkeyed, keys, anchor, keyFile },
}: {
  readonly result: VerifyResult;
}) => (
  <>
    <p className="flex flex-wrap items-center gap-2">
      <Badge tone={ok ? "good" : broken === undefined ? "wait" : "bad"}>
        {ok ? "valid" : broken === undefined ? "not proven" : `broken at row ${broken.seq}`}
      </Badge>
      {broken === undefined ? (
        <span>{formatNumberOf(rows, "row")} verified.</span>
      ) : (
        <ForeignText text={broken.why} isInline />
      )}
    </p>
    <FactList
      facts={[
        ["Not proven", unproved],
        [
          "Without a MAC",
          unkeyed && `${formatNumberOf(unkeyed.rows, "row")}, from ${unkeyed.from} to ${unkeyed.to}`,
        ],
        ["Last row", `${formatCount(head.seq)}, ${markUnseen(head.hash, 16)}`],
        [
          "Keys",
          keys
            .map(
              ({ keyId, rows: signed, isHere }) =>
                `${keyId}: ${formatNumberOf(signed, "row")}${isHere ? "" : ", key not available"}`,
            )
            .join("; "),
        ],
        [
          "Key file",
          keyFile &&
            `${markUnseen(keyFile, 60)}, next to the ledger. Write access to both files allows forging rows.`,
        ],
        ["Anchor", anchor && `${anchor.number}, ${formatExact(anchor.at)}`],
      ]}
    />
  </>
);
