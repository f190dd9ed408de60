import type { AuthorizationAnswer } from "@cedar-policy/cedar-wasm/nodejs";
import { type Decision, decision } from "../judge.ts";

/** What Cedar said as a decision. A policy that broke is one that Cedar skipped, so nothing is allowed then. */
export const readAnswer = (answer: AuthorizationAnswer, needApproval: ReadonlySet<string>): Decision => {
  if (answer.type === "failure") {
    return decision(
      "deny",
      `Cedar could not decide: ${answer.errors.map(({ message }) => message).join("; ")}`,
    );
  }
  const { decision: said, diagnostics } = answer.response;
  if (diagnostics.errors.length > 0) {
    const broken = diagnostics.errors.map(({ policyId }) => policyId);
    const why = diagnostics.errors.map(({ error }) => error.message).join("; ");
    return decision("deny", `a Cedar policy broke: ${why}`, broken);
  }
  const ids = [...diagnostics.reason].sort();
  if (said !== "allow") {
    return decision(
      "deny",
      ids.length === 0 ? "no Cedar policy permits it" : `forbidden by ${ids.join(", ")}`,
      ids,
    );
  }
  const free = ids.filter((id) => !needApproval.has(id));
  return free.length > 0
    ? decision("allow", `permitted by ${free.join(", ")}`, free)
    : decision("approve", `approval asked for by ${ids.join(", ")}`, ids);
};
