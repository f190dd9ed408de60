import { Haft, tool } from "haft";

const readPage = tool({
  name: "read_page",
  description: "Reads a page.",
  input: { type: "object", properties: { url: { type: "string" } }, required: ["url"] },
  annotations: { readOnly: true, openWorld: true },
  run: ({ url }) => `The words of ${url}`,
});

const countSlowly = tool({
  name: "count_slowly",
  description: "Counts and reports each step.",
  input: { type: "object", properties: { to: { type: "number" } }, required: ["to"] },
  run: ({ to }, { progress }) => {
    for (let n = 1; n <= to; n += 1) progress({ at: n });
    return to;
  },
});

const waitForever = tool({
  name: "wait_forever",
  description: "Waits until it is stopped.",
  input: { type: "object", properties: {} },
  run: (_, { signal }) =>
    new Promise<string>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
});

const failTool = tool({
  name: "fail",
  description: "Fails.",
  input: { type: "object", properties: {} },
  run: (): string => {
    throw new Error("The printer is on fire.");
  },
});

/** An agent that sends mail. After untrusted content, a mail requires approval. */
export const openWritingDesk = async ({ ledger = "memory", sent = [] as string[] } = {}) => {
  const sendMail = tool({
    name: "send_mail",
    description: "Sends a mail.",
    input: {
      type: "object",
      properties: { to: { type: "string" }, text: { type: "string" } },
      required: ["to", "text"],
    },
    output: { type: "object", properties: { sentTo: { type: "string" } }, required: ["sentTo"] },
    annotations: { openWorld: true },
    run: ({ to, text }) => {
      sent.push(`${to}: ${text}`);
      return { sentTo: to };
    },
  });
  const haft = await Haft.open({
    tools: [readPage, sendMail, countSlowly, waitForever, failTool],
    principal: { agent: "clerk", user: "ada", allow: ["*"] },
    ledger,
  });
  return { haft, sent };
};
