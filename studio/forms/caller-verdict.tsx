import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { callerId } from "../components/caller-name.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { effectVerbs, permissionFactorsText } from "../components/permission-text.ts";
import { RuleReason } from "../components/rule-reason.tsx";

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
  const { data } = useQuery({ ...queries.explainInput(body), placeholderData: (was) => was });
  if (data === undefined) return null;
  const { effect, reason, ruleIds, caller } = data;
  const factors = permissionFactorsText(data);
  return (
    <p
      role="status"
      aria-label="Permission"
      className={`mb-4 ${effect === "deny" ? "text-bad" : effect === "approve" ? "text-wait" : "text-soft"}`}
    >
      <ForeignText text={caller.agent} isInline /> {markUnseen(effectVerbs[effect])} this tool
      {factors !== "" && ` (${markUnseen(factors)})`}
      {": "}
      <RuleReason reason={reason} ruleIds={ruleIds} />{" "}
      <Link to="/permissions" search={{ as: callerId(caller), tool }} className="link underline">
        Explain
      </Link>
    </p>
  );
};
