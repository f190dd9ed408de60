import type { PermissionExplanation as Explained, ExplainedRule } from "@api/permissions.ts";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { queries } from "../api/queries.ts";
import { StateBadge } from "../components/badge.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { ErrorBox, LoadingNotice } from "../components/notices.tsx";
import { effectVerbs, permissionFactorsText } from "../components/permission-text.ts";
import { RuleReason } from "../components/rule-reason.tsx";
import { LabeledBlock } from "./stage-detail.tsx";

export const PermissionExplanationPanel = ({
  query,
}: {
  readonly query: {
    readonly as: string;
    readonly tool: string;
    readonly input?: string;
    readonly tainted?: string;
  };
}) => {
  const { data, error } = useQuery({ ...queries.explain(query), retry: false });
  if (error !== null)
    return (
      <div className="mt-3">
        <ErrorBox error={error} />
      </div>
    );
  return data === undefined ? <LoadingNotice /> : <ExplanationDetail explanation={data} />;
};

const ExplanationDetail = ({ explanation }: { readonly explanation: Explained }) => {
  const { effect, reason, ruleIds, caller, tool, text, rules, issues } = explanation;
  const factors = permissionFactorsText(explanation);
  return (
    <div className="mt-4 flex flex-col gap-4" role="status">
      <div className="flex items-start gap-2">
        <StateBadge state={effect} />
        <p className="min-w-0">
          <ForeignText text={`"${caller.agent}" ${effectVerbs[effect]} ${tool}`} isInline />
          {factors !== "" && ` (${markUnseen(factors)})`}
          {": "}
          <RuleReason reason={reason} ruleIds={ruleIds} />
        </p>
      </div>
      {issues.length > 0 && (
        <LabeledBlock label="Invalid arguments. The call fails before the policy is checked.">
          <ul className="list-disc pl-5 text-bad">
            {issues.map(({ pointer, message }) => (
              <li key={`${pointer} ${message}`}>
                <ForeignText text={pointer === "" ? message : `${pointer}: ${message}`} />
              </li>
            ))}
          </ul>
        </LabeledBlock>
      )}
      <CallerLists explanation={explanation} />
      {rules.length > 0 && (
        <LabeledBlock label="Rules">
          <ul className="flex flex-col gap-1">
            {rules.map((rule) => (
              <li key={rule.id} className="flex flex-wrap items-baseline gap-x-2">
                <StateBadge state={rule.effect} />
                <span>
                  rule <ForeignText text={rule.id} isInline isCode />
                </span>
                <span className={rule.state === "decides" ? "font-medium" : "text-soft"}>
                  <RuleStateText rule={rule} />
                </span>
              </li>
            ))}
          </ul>
        </LabeledBlock>
      )}
      <details>
        <summary className="cursor-pointer text-soft">Full explanation as text</summary>
        <ForeignText text={text} isCode className="mt-2 text-xs" />
      </details>
    </div>
  );
};

/** Lists of the caller take precedence over rules. */
const CallerLists = ({ explanation: { callers } }: { readonly explanation: Explained }) => {
  const lists = callers.flatMap(({ agent, lists: each }) => each.map((list) => ({ ...list, agent })));
  if (lists.length === 0) return null;
  return (
    <LabeledBlock label="Lists of the caller">
      <ul className="flex flex-col gap-1">
        {lists.map(({ agent, owner, refusal }) => (
          <li key={`${agent} ${owner}`} className="flex flex-wrap items-baseline gap-x-2">
            <StateBadge state={refusal === undefined ? "allow" : "deny"} />
            <span>
              lists of <ForeignText text={owner} isInline />
            </span>
            {refusal === undefined ? (
              <span className="text-soft">allow this tool</span>
            ) : (
              <span className="font-medium">
                <ForeignText text={refusal} isInline />
              </span>
            )}
          </li>
        ))}
      </ul>
    </LabeledBlock>
  );
};

const RuleStateText = ({ rule }: { readonly rule: ExplainedRule }) => {
  switch (rule.state) {
    case "decides":
      return "decides";
    case "agrees":
      return "has the same effect";
    case "would-decide":
      return (
        <>
          decides if its conditions are met: <ConditionList rule={rule} isUnmet={false} />
        </>
      );
    case "unmet":
      return (
        <>
          conditions not met: <ConditionList rule={rule} isUnmet />
        </>
      );
    case "other-tools":
      return "does not match this tool";
    case "other-callers":
      return "does not match this caller";
    case "not-enough":
      return (
        <>
          allows the call, but approval is still required: <ForeignText text={rule.reason ?? ""} isInline />
        </>
      );
    case "overruled":
      return rule.overruledBy.length === 0 ? (
        <>
          overruled: <ForeignText text={rule.reason ?? ""} isInline />
        </>
      ) : (
        <>
          overruled by{" "}
          {rule.overruledBy.map((id, index) => (
            <Fragment key={id}>
              {index > 0 && ", "}
              rule <ForeignText text={id} isInline isCode />
            </Fragment>
          ))}
        </>
      );
  }
};

const ConditionList = ({ rule, isUnmet }: { readonly rule: ExplainedRule; readonly isUnmet: boolean }) => {
  const shown = rule.conditions.filter(({ met }) => (isUnmet ? met === false : met !== true));
  return <ForeignText text={shown.map(({ text }) => text).join("; ")} isInline isCode />;
};
