import * as Effect from "effect/Effect";
import { copyJson } from "../json/copy-json.ts";
import type { AuthorizedCall } from "../words/call.ts";
import type { Issue } from "../words/json.ts";
import type { Handler, ToolLayer } from "../words/layer.ts";
import { failed, type Outcome } from "../words/outcome.ts";

/**
 * Holds an input against the tool's schema again when a layer further out changed it. `strict`
 * answers `invalid_input`; `lenient` says so in the ledger and passes the call on.
 */
export const inputSchema = (mode: "strict" | "lenient" = "strict"): ToolLayer =>
  Object.assign(
    (next: Handler): Handler =>
      (call) => {
        if (call.input === call.grant.input) return next(call);
        const issues = issuesOf(call);
        if (issues.length === 0) return next(call);
        const said = issues.map(({ pointer, message }) => `${pointer || "the input"}: ${message}`).join("; ");
        if (mode === "strict") return Effect.succeed(refused(call, issues, said));
        const places = issues.map(({ pointer }) => pointer || "the input").join(", ");
        call.trip.notes.push(`inputSchema: a changed input breaks the schema at ${places}`);
        return next(call);
      },
    { label: "inputSchema" },
  );

/** The validator may fill in defaults, and the input is frozen: it judges a copy. */
const issuesOf = (call: AuthorizedCall): readonly Issue[] => {
  const copy = copyJson(call.input);
  if (!copy.ok) return [{ pointer: copy.problem.pointer, message: copy.problem.message }];
  const validation = call.registration.tool.input(copy.value);
  return validation.ok ? [] : validation.issues;
};

const refused = (call: AuthorizedCall, issues: readonly Issue[], said: string): Outcome =>
  failed({
    code: "invalid_input",
    tool: call.registration.key,
    ran: false,
    message: `The arguments of "${call.registration.key}" were changed on their way and break its schema: ${said}`,
    issues,
  });
