import type { AuthorizationAnswer } from "@cedar-policy/cedar-wasm/nodejs";
import { type Decision, makeDecision } from "../../policy/decide-case.ts";

/** Cedar skips policies that fail, so an error denies. */
export const readCedarAnswer = (answer: AuthorizationAnswer, needApproval: ReadonlySet<string>): Decision => {
  if (answer.type === "failure") {
    return makeDecision(
      "deny",
      `Cedar could not decide: ${answer.errors.map(({ message }) => message).join("; ")}`,
    );
  }
  const { decision: cedarDecision, diagnostics } = answer.response;
  if (diagnostics.errors.length > 0) {
    const broken = diagnostics.errors.map(({ policyId }) => policyId);
    const why = diagnostics.errors.map(({ error }) => error.message).join("; ");
    return makeDecision("deny", `a Cedar policy broke: ${why}`, broken);
  }
  const ids = [...diagnostics.reason].sort();
  if (cedarDecision !== "allow") {
    return makeDecision(
      "deny",
      ids.length === 0 ? "no Cedar policy permits it" : `forbidden by ${ids.join(", ")}`,
      ids,
    );
  }
  const permittedIds = ids.filter((id) => !needApproval.has(id));
  return permittedIds.length > 0
    ? makeDecision("allow", `permitted by ${permittedIds.join(", ")}`, permittedIds)
    : makeDecision("approve", `approval asked for by ${ids.join(", ")}`, ids);
};
