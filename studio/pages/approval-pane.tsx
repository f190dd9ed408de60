import type { ApprovalDetail } from "@api/approvals.ts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { queries } from "../api/queries.ts";
import { Badge, DecisionBadge, EndingBadge, StateBadge } from "../components/badge.tsx";
import { CallerName } from "../components/caller-name.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { TriangleAlert } from "../components/icons.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { JsonText, JsonView } from "../components/json-view.tsx";
import { ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { FactList, Section } from "../components/page.tsx";
import { RuleLinks } from "../components/rule-reason.tsx";
import { formatDuration, Time } from "../components/time.tsx";
import { ApprovalAnswerForm } from "./approval-answer-form.tsx";
import { useAnswerApproval } from "./use-answer-approval.ts";

export const ApprovalPane = ({
  id,
  canAnswer,
  onLost,
}: {
  readonly id: string;
  readonly canAnswer: boolean;
  /** Called if another person answered first. */
  readonly onLost: () => void;
}) => {
  const { data, error, refetch } = useQuery(queries.approval(id));
  if (error !== null) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <LoadingNotice />;
  return <ApprovalDetailView detail={data} canAnswer={canAnswer} onLost={onLost} />;
};

const ApprovalDetailView = ({
  detail,
  canAnswer,
  onLost,
}: {
  readonly detail: ApprovalDetail;
  readonly canAnswer: boolean;
  readonly onLost: () => void;
}) => {
  const { approval, tool, taints, earlierCalls, ruleIds } = detail;
  const { answer, isBusy, lost } = useAnswerApproval(onLost);
  const isOpen = approval.status === "waiting" && approval.waitsFor === undefined;
  return (
    <article
      aria-label={`Approval request for ${markUnseen(approval.tool)}`}
      className="relative flex min-w-0 flex-col gap-4 md:min-h-0 md:overflow-auto"
    >
      <header className="flex flex-wrap items-center gap-2">
        <h2 className="text-base">
          <Link to="/tools/$key" params={{ key: approval.tool }} className="hover:underline">
            <ForeignText text={approval.tool} isLine />
          </Link>
        </h2>
        {tool !== undefined && (
          <Badge tone={tool.risk === "high" ? "bad" : "plain"}>{`${tool.risk} risk`}</Badge>
        )}
        {tool?.destructive && <Badge tone="bad">destructive</Badge>}
        {tool?.readOnly && <Badge>read-only</Badge>}
        <Link to="/calls/$entryId" params={{ entryId: approval.entryId }} className="link ml-auto">
          View call
        </Link>
      </header>
      {tool?.hasChanged && (
        <WarningBox>The tool has changed since the request, so an answer would have no effect.</WarningBox>
      )}
      {taints.length > 0 && (
        <WarningBox>
          The run had read untrusted content, which may have caused this call. It came from:{" "}
          {taints.map(({ tool: from, entryId }, index) => (
            <span key={`${from} ${entryId}`}>
              {index > 0 && ", "}
              {entryId === undefined ? (
                <ForeignText text={from} isInline />
              ) : (
                <Link to="/calls/$entryId" params={{ entryId }} className="font-medium underline">
                  <ForeignText text={from} isInline />
                </Link>
              )}
            </span>
          ))}
        </WarningBox>
      )}
      {lost !== undefined && (
        <div role="alert">
          <WarningBox>
            <ForeignText text={lost} isInline />
          </WarningBox>
        </div>
      )}
      {!isOpen && <ApprovalAnswer detail={detail} />}
      {approval.edited !== undefined && (
        <Section title="Approved arguments">
          <JsonText text={approval.edited} />
        </Section>
      )}
      {isOpen && canAnswer ? (
        <ApprovalAnswerForm
          detail={detail}
          isBusy={isBusy}
          onAnswer={(body) => void answer(approval.id, body)}
        />
      ) : (
        <Section title={approval.edited === undefined ? "Arguments" : "Original arguments"}>
          {detail.value === undefined ? (
            <JsonText text={approval.input} />
          ) : (
            <JsonView value={detail.value} />
          )}
        </Section>
      )}
      {isOpen && !canAnswer && (
        <p className="text-soft">You need the scope studio:approve to answer this request.</p>
      )}
      <Section title="Why approval is required">
        <FactList
          facts={[
            ["Caller", <CallerName key="caller" caller={approval.caller} />],
            ["Reason", <ForeignText key="reason" text={approval.reason} />],
            [
              "Rules",
              <RuleLinks
                key="rules"
                ruleIds={ruleIds}
                caller={approval.caller}
                tool={approval.tool}
                input={approval.input}
                isTainted={taints.length > 0}
              />,
            ],
            ["Requested", <Time key="at" at={approval.askedAt} />],
            ["Expires", approval.expiresAt && <Time key="until" at={approval.expiresAt} />],
            ["Tool description", tool && <ForeignText key="description" text={tool.description} />],
          ]}
        />
      </Section>
      <Section title="Earlier calls of this tool">
        {earlierCalls.length === 0 ? (
          <p className="text-soft">No earlier calls.</p>
        ) : (
          <ul className="-my-1">
            {earlierCalls.map(({ entryId, ending, code, input, at, durationMs }) => (
              <li key={entryId} className="flex items-center gap-3 py-1">
                <EndingBadge ending={ending} code={code} />
                <Link to="/calls/$entryId" params={{ entryId }} className="min-w-0 grow hover:underline">
                  <ForeignText text={input} isLine isCode />
                </Link>
                <span className="hidden text-soft sm:block">{formatDuration(durationMs)}</span>
                <span className="text-soft">
                  <Time at={at} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Section>
    </article>
  );
};

const WarningBox = ({ children }: { readonly children: ReactNode }) => (
  <div className="flex gap-2 rounded-md bg-wait-wash p-3 text-wait">
    <TriangleAlert size={16} className="mt-0.5 shrink-0" />
    <div className="min-w-0">{children}</div>
  </div>
);

const ApprovalAnswer = ({ detail: { approval } }: { readonly detail: ApprovalDetail }) => (
  <Section title="Answer">
    {approval.waitsFor === undefined ? (
      <FactList
        facts={[
          ["Status", <StateBadge key="state" state={approval.status} />],
          ["Decision", approval.decision && <DecisionBadge key="decision" approval={approval} />],
          ["Answered by", approval.answeredBy && <ForeignText key="by" text={approval.answeredBy} />],
          ["Answered", approval.answeredAt && <Time key="at" at={approval.answeredAt} />],
          ["Granted for", approval.always && `this ${approval.always}`],
          [
            "Reason for the model",
            approval.denyReason && <ForeignText key="reason" text={approval.denyReason} />,
          ],
        ]}
      />
    ) : (
      <p>
        This call waits for approval of nested calls:{" "}
        {approval.waitsFor.map((id) => (
          <Link key={id} to="/approvals" search={{ id }} className="link">
            view request
          </Link>
        ))}
      </p>
    )}
  </Section>
);
