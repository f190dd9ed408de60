import type { Requirement } from "./requirement.ts";

/** M: meanings that hold everywhere. */
export const meanings: readonly Requirement[] = [
  {
    id: "M.1",
    sentence:
      "A tool writes unless annotated read-only and is non-idempotent unless annotated; one that requires approval, or has high or critical risk without a rule or an approver, is refused.",
    status: "open",
    reason: "comes with policy",
  },
  {
    id: "M.2",
    sentence:
      "A call that waits for a person is pending: turn and run return it with its approval id, and resuming gives every id its one reply.",
    status: "open",
    reason: "comes with approvals",
  },
  {
    id: "M.3",
    sentence:
      "Rewrite replaces the reply and the ledger keeps both values; rewritten, cached and final values pass the output check.",
    status: "open",
    reason: "comes with the check and record stages",
  },
  {
    id: "M.4",
    sentence: "Durable means surviving kill -9, and tools of high risk use full sync.",
    status: "open",
    reason: "comes with the durable ledger",
  },
  {
    id: "M.5",
    sentence:
      "A schema without $schema is draft 2020-12; names shown to a model that are longer than 64 characters are shortened with a hash, and the offer holds the map.",
    status: "open",
    reason: "comes with schemas and the offer",
  },
  {
    id: "M.6",
    sentence:
      "Built-ins register themselves, loaded on demand, in haft run, serve and call; Haft.open names the ones it wants.",
    status: "open",
    reason: "comes with the built-in skills and the command line",
  },
];
