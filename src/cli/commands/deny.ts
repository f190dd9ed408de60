import { answerOptions, checkAnswerOperands, recordAnswers } from "../approvals/record-answers.ts";
import { command } from "../command.ts";
import { withLedger } from "../ledger/with-ledger.ts";
import { requireOperator } from "../trust/require-operator.ts";

export const deny = command({
  operands: "ID…",
  options: {
    reason: { type: "string", value: "TEXT", about: "why, for the model and the record" },
    ...answerOptions,
  },
  examples: [
    { line: `haft deny 1f0c9a2b --reason "Ask the customer first"`, about: "the model reads the reason" },
    { line: "haft deny --all --run run-4f3a9c0d1e2b3f44-1", about: "every pending request of this run" },
  ],
  run: async ({ options, operands, terminal }) => {
    checkAnswerOperands("deny", operands, options);
    await requireOperator(terminal, "haft deny", options);
    const { reason } = options;
    const decision = { kind: "deny", ...(reason === undefined ? {} : { reason }) } as const;
    return withLedger(options, terminal, "write", (ledger) =>
      recordAnswers(ledger, operands, decision, options, terminal),
    );
  },
});
