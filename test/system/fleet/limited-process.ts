import { fleet } from "../../../src/exports/fleet.ts";
import { Haft, tool } from "../../../src/exports/index.ts";
import { limit } from "../../../src/exports/layers.ts";
import type { RateText } from "../../../src/pipeline/layers/limit.ts";

/** Calls as fast as the limit allows until it is stopped, and reports the start and end of each call. */
const [url, options, holdMs] = process.argv.slice(2) as [string, string, string];
const { rate, concurrency } = JSON.parse(options) as { rate?: RateText; concurrency?: number };
const tick = tool({
  name: "tick",
  description: "Says when it was called",
  input: [],
  run: async () => {
    process.send?.({ step: 1, at: Date.now() });
    // allow-sleep: the tool occupies its slot for a while
    if (holdMs !== "0") await new Promise((resolve) => setTimeout(resolve, Number(holdMs)));
    process.send?.({ step: -1, at: Date.now() });
    return "ticked";
  },
}).layer(
  limit({
    scope: "fleet",
    name: "tick",
    ...(rate === undefined ? {} : { rate }),
    ...(concurrency === undefined ? {} : { concurrency }),
  }),
);
const haft = await Haft.open({
  tools: [tick],
  principal: { agent: "fleet", allow: ["*"] },
  fleet: fleet({ url }),
});
const callOn = async (): Promise<void> => {
  for (;;) await haft.call("tick", {}).catch(() => {});
};
process.on("message", () => {
  for (let index = 0; index < 20; index++) void callOn();
});
process.send?.("ready");
