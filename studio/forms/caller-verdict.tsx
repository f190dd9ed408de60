import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { RightExplained } from "@words/rights.ts";
import { queries } from "../api/queries.ts";
import { callerId } from "../components/caller.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { dependsWords } from "../components/right-words.ts";
import { RuleReason } from "../components/rule-reason.tsx";
import { markUnseen } from "../components/unseen.ts";

/** Whether the chosen caller may call a tool, with these arguments once they are valid, before it is tried. */
export const CallerVerdict = ({
  as,
  tool,
  input,
}: {
  readonly as: string | undefined;
  readonly tool: string;
  readonly input: unknown;
}) => {
  const body = { tool, ...(as === undefined ? {} : { as }), ...(input === undefined ? {} : { input }) };
  const { data } = useQuery({ ...queries.explainWritten(body), placeholderData: (was) => was });
  if (data === undefined) return null;
  const { effect, reason, ruleIds, caller } = data;
  const depends = dependsWords(data);
  return (
    <p
      role="status"
      aria-label="Right to call it"
      className={`mb-4 ${effect === "deny" ? "text-bad" : effect === "approve" ? "text-wait" : "text-soft"}`}
    >
      <ForeignText text={caller.agent} isInline /> {markUnseen(verbs[effect])}
      {depends !== "" && `, ${markUnseen(depends)}`}
      {": "}
      <RuleReason reason={reason} ruleIds={ruleIds} />{" "}
      <Link to="/rights" search={{ as: callerId(caller), tool }} className="link underline">
        Why
      </Link>
    </p>
  );
};

const verbs: Readonly<Record<RightExplained["effect"], string>> = {
  allow: "may call it",
  approve: "may call it once a person approves",
  deny: "may not call it",
  unknown: "may or may not call it",
};
