import type { PermissionExplanation } from "@api/permissions.ts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { callerId } from "../components/caller-name.tsx";
import { ForeignText } from "../components/foreign-text.tsx";
import { markUnseen } from "../components/invisible-characters.ts";
import { permissionFactorsText } from "../components/permission-text.ts";
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
  const { data } = useQuery({ ...queries.explainWritten(body), placeholderData: (was) => was });
  if (data === undefined) return null;
  const { effect, reason, ruleIds, caller } = data;
  const depends = permissionFactorsText(data);
  return (
    <p
      role="status"
      aria-label="Permission to call it"
      className={`mb-4 ${effect === "deny" ? "text-bad" : effect === "approve" ? "text-wait" : "text-soft"}`}
    >
      <ForeignText text={caller.agent} isInline /> {markUnseen(effectVerbs[effect])}
      {depends !== "" && `, ${markUnseen(depends)}`}
      {": "}
      <RuleReason reason={reason} ruleIds={ruleIds} />{" "}
      <Link to="/permissions" search={{ as: callerId(caller), tool }} className="link underline">
        Why
      </Link>
    </p>
  );
};

const effectVerbs: Readonly<Record<PermissionExplanation["effect"], string>> = {
  allow: "may call it",
  approve: "may call it once a person approves",
  deny: "may not call it",
  unknown: "may or may not call it",
};
