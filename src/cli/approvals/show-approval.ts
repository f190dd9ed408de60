import type { ApprovalRecord } from "../../words/approval.ts";
import { partyOf } from "../../words/principal.ts";
import type { Terminal } from "../command.ts";
import { stamp } from "../ledger/times.ts";
import { painter, plain, table } from "../screen.ts";
import { stateOf } from "./answer-of.ts";
import { argumentsOf, expiryOf } from "./listing.ts";

/** One request with all that is known of it. Nothing of it is cut. */
export const showApproval = (record: ApprovalRecord, terminal: Terminal): string => {
  const { bold, dim } = painter(terminal);
  const { id, tool, runId, callId, entryId, reason, askedAt, expiresAt, principal, decision } = record;
  const { agent, user, tenant, session } = partyOf(principal);
  const isLimited = record.status === "waiting" && expiresAt !== undefined;
  const expiry = expiryOf(record, terminal.now()) + (isLimited ? `, ${stamp(expiresAt)}` : "");
  const facts = [
    ["why", reason],
    ["answer", stateOf(record)],
    ["agent", agent],
    ["user", user],
    ["tenant", tenant],
    ["session", session],
    ["asked", stamp(askedAt)],
    ["expires", record.status === "waiting" ? expiry : undefined],
    ["run", runId],
    ["call", callId],
    ["entry", entryId],
    ["definition", record.definition],
  ].flatMap(([name, value]) => (value === undefined ? [] : [[`  ${name}`, plain(value)]]));
  const isEdited = decision?.kind === "edit";
  return [
    `${bold(plain(tool))} ${id}`,
    table(facts, Number.POSITIVE_INFINITY),
    "",
    dim(isEdited ? "  arguments, as they were put in place of the first" : "  arguments"),
    indented(argumentsOf(record, 2)),
    ...(isEdited
      ? [dim("  the arguments that were asked for"), indented(JSON.stringify(record.input, null, 2))]
      : []),
    "",
  ].join("\n");
};

const indented = (text: string): string =>
  text
    .split("\n")
    .map((line) => `  ${plain(line)}`)
    .join("\n");
