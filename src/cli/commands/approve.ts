import type { ApprovalDecision, ApprovalScope } from "../../types/approval.ts";
import { answerOptions, checkAnswerOperands, recordAnswers } from "../approvals/record-answers.ts";
import { CommandUsageError, command } from "../command.ts";
import { withLedger } from "../ledger/with-ledger.ts";
import { readJsonOption } from "../read-json-option.ts";
import { requireOperator } from "../trust/require-operator.ts";

export const approve = command({
  operands: "ID…",
  options: {
    always: {
      type: "string",
      value: "SCOPE",
      choices: ["run", "session"],
      about: "also approve further calls of the tool, in this run or session",
    },
    edit: {
      type: "string",
      value: "JSON",
      about: "other arguments, which are validated and authorized again",
    },
    ...answerOptions,
  },
  examples: [
    { line: "haft approve 1f0c9a2b", about: "the beginning of an id is enough" },
    { line: `haft approve 1f0c9a2b --edit '{"amount":10}'`, about: "approve with other arguments" },
    {
      line: "haft approve --all --run run-4f3a9c0d1e2b3f44-1 --by ada",
      about: "every pending request of this run",
    },
  ],
  run: async ({ options, operands, terminal }) => {
    checkAnswerOperands("approve", operands, options);
    await requireOperator(terminal, "haft approve", options);
    const { always, edit } = options;
    if (edit !== undefined && (operands.length !== 1 || always !== undefined)) {
      throw new CommandUsageError(
        "--edit applies to one call, and cannot be combined with other ids or --always.",
      );
    }
    const decision: ApprovalDecision =
      edit === undefined
        ? { kind: "allow", ...(always === undefined ? {} : { always: always as ApprovalScope }) }
        : { kind: "edit", input: readJsonOption("edit", edit) };
    return withLedger(options, terminal, "write", (ledger) =>
      recordAnswers(ledger, operands, decision, options, terminal),
    );
  },
});
