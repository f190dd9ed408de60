import type { Approval } from "@api/approvals.ts";
import type { CallEnding } from "@api/call-list-items.ts";
import type { ReactNode } from "react";
import { markUnseen } from "./invisible-characters.ts";

export type Tone = "plain" | "good" | "bad" | "wait" | "accent";

const toneClasses: Readonly<Record<Tone, string>> = {
  plain: "bg-sunken text-soft",
  good: "bg-good-wash text-good",
  bad: "bg-bad-wash text-bad",
  wait: "bg-wait-wash text-wait",
  accent: "bg-accent-wash text-accent",
};

export const Badge = ({
  tone = "plain",
  title,
  children,
}: {
  readonly tone?: Tone;
  readonly title?: string;
  readonly children: ReactNode;
}) => (
  <span
    title={title === undefined ? undefined : markUnseen(title)}
    className={`inline-block h-5 max-w-full shrink-0 truncate rounded px-1.5 align-middle text-xs leading-5 font-medium ${toneClasses[tone]}`}
  >
    {typeof children === "string" ? markUnseen(children) : children}
  </span>
);

const endingLabels: Readonly<Record<CallEnding, readonly [string, Tone]>> = {
  open: ["running", "accent"],
  executed: ["done", "good"],
  failed: ["failed", "bad"],
  pending: ["needs approval", "wait"],
  hydrated: ["hydrated", "plain"],
  unknown: ["unknown", "wait"],
};

export const EndingBadge = ({
  ending,
  code,
}: {
  readonly ending: CallEnding;
  readonly code?: string | undefined;
}) => {
  const [word, tone] = endingLabels[ending];
  return <Badge tone={tone}>{ending === "failed" && code !== undefined ? code : word}</Badge>;
};

const stateTones: Readonly<Record<string, Tone>> = {
  running: "accent",
  done: "good",
  connected: "good",
  allow: "good",
  working: "good",
  failed: "bad",
  error: "bad",
  deny: "bad",
  disconnected: "bad",
  pending: "wait",
  waiting: "wait",
  approve: "wait",
  degraded: "wait",
  connecting: "accent",
};

const stateLabels: Readonly<Record<string, string>> = {
  waiting: "needs approval",
  approve: "needs approval",
};

const decisionLabels: Readonly<Record<NonNullable<Approval["decision"]>, readonly [string, Tone]>> = {
  allow: ["approved", "good"],
  deny: ["denied", "bad"],
  edit: ["approved with changes", "good"],
};

export const DecisionBadge = ({ approval: { decision, status } }: { readonly approval: Approval }) => {
  if (decision === undefined) return <StateBadge state={status} />;
  const [word, tone] = decisionLabels[decision];
  return <Badge tone={tone}>{word}</Badge>;
};

export const StateBadge = ({
  state,
  title,
}: {
  readonly state: string;
  readonly title?: string | undefined;
}) => (
  <Badge tone={stateTones[state] ?? "plain"} {...(title === undefined ? {} : { title })}>
    {stateLabels[state] ?? state}
  </Badge>
);
