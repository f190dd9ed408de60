import * as Schema from "effect/Schema";
import { Haft, tool } from "haft";

const object = (properties) => ({ type: "object", properties, required: Object.keys(properties) });
const echo = (name, input) => tool({ name, description: name, input, run: () => ({ ran: name }) });

const open = (options) =>
  Haft.open({
    tools: [
      // Backtracking would take forever on it, so it is matched by the linear engine.
      echo("pattern", object({ text: { type: "string", pattern: "^(a+)+$" } })),
      echo("format", object({ day: { type: "string" } })),
      echo(
        "metaschema",
        object({
          schema: { $ref: "https://json-schema.org/draft/2020-12/schema" },
          older: { $ref: "http://json-schema.org/draft-07/schema#" },
        }),
      ),
      echo("effect-schema", Schema.Struct({ count: Schema.Number })),
    ],
    principal: { agent: "app", allow: ["*"] },
    // Formats are conditions in a policy, and remarks elsewhere.
    policy: {
      rules: [
        { effect: "allow", tools: ["*"] },
        {
          effect: "deny",
          tools: ["format"],
          when: { not: object({ day: { type: "string", format: "date" } }) },
        },
      ],
    },
    ...options,
  });

const calls = {
  pattern: [{ text: "aaaa" }, { text: "aaab" }],
  format: [{ day: "2026-11-17" }, { day: "yesterday" }],
  metaschema: [
    { schema: { type: "string" }, older: { type: "string" } },
    { schema: { type: 7 }, older: { type: 7 } },
  ],
  "effect-schema": [{ count: 1 }, { count: "one" }],
};

const main = async () => {
  const haft = await open({});
  const reported = {};
  for (const [name, inputs] of Object.entries(calls)) {
    const asked = inputs.map((input, at) => ({ id: String(at), tool: name, input: JSON.stringify(input) }));
    reported[name] = (await haft.turn(asked)).map(({ ok }) => ok);
  }
  await haft.close();
  reported.peer = await open({ ledger: "postgres://localhost/none" }).then(
    () => "opened",
    (error) => error.message,
  );
  console.log(JSON.stringify(reported));
};

main();
