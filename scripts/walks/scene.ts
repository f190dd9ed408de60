import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/**
 * `node scene.ts ROOT NAME`: records one walk in this process at its second execution, when everything is
 * loaded and warm.
 */
const [root, name] = process.argv.slice(2);
// Checkouts before 0.3.0 have their entry points in src itself.
const entryPoints = existsSync(`${root}/src/exports`) ? `${root}/src/exports` : `${root}/src`;
const sourcePath = (file: string) => import(pathToFileURL(`${entryPoints}/${file}`).href);
const { agent, Haft, tool } = await sourcePath("index.ts");
const { limit, retry, timeout } = await sourcePath("layers.ts");

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
const weather = (more: object = {}) =>
  tool({
    name: "get_weather",
    description: "Current weather for a city",
    input: city,
    output: { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] },
    annotations: { readOnly: true },
    run: async () => ({ celsius: 4 }),
    ...more,
  }).layer(timeout("5 seconds"), retry({ attempts: 3 }), limit({ concurrency: 10 }));
const principal = { agent: "demo", allow: ["get_*"] };
const oslo = '{"city":"Oslo"}';
const needsApproval = async () =>
  Haft.open({
    tools: [weather({ requiresApproval: true })],
    principal,
    approver: () => undefined,
    ledger: process.env.WALK_LEDGER,
  });
const pendingCalls = process.env.WALK_PENDING!;

const scenes: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
  call: async () => {
    const haft = await Haft.open({ tools: [weather()], principal });
    return () => haft.call("get_weather", { city: "Oslo" });
  },
  run: async () => {
    const haft = await Haft.open({ tools: [weather()], principal });
    let requests = 0;
    // The model requests two calls at once, then one, then answers.
    const generate = async () => {
      const request = requests++;
      const calls = Array.from({ length: Math.max(2 - (request % 3), 0) }, (_, index) => ({
        id: `call_${request}_${index}`,
        tool: "get_weather",
        input: oslo,
      }));
      const answer = calls.length > 0 ? { text: "", finish: "calls" } : { text: "4 degrees", finish: "stop" };
      return { ...answer, calls, usage: { inputTokens: 1, outputTokens: 1 } };
    };
    const stream = async function* () {
      yield { kind: "reply", reply: await generate() };
    };
    const model = { id: "scripted", generate, stream };
    const guide = agent({ name: "guide", instructions: "Say the weather.", model, tools: ["get_weather"] });
    return () => haft.run(guide, "Oslo?");
  },
  /** Leaves two pending calls behind and ends without closing anything. */
  crash: async () => {
    const haft = await needsApproval();
    const ids: string[] = [];
    for (const id of ["call_1", "call_2"]) {
      ids.push((await haft.turn([{ id, tool: "get_weather", input: oslo }]))[0].pending.id);
    }
    writeFileSync(pendingCalls, JSON.stringify(ids));
    process.kill(process.pid, "SIGKILL");
    return async () => undefined;
  },
  approval: async () => {
    const haft = await needsApproval();
    const ids: string[] = JSON.parse(readFileSync(pendingCalls, "utf8"));
    return () => haft.resume(ids.shift(), { kind: "allow" });
  },
};

const walk = await scenes[name!]!();
await walk();
const { __walk } = globalThis as unknown as { readonly __walk: () => void };
__walk();
const reply = await walk();
__walk();
console.error(JSON.stringify(reply)?.slice(0, 200));
process.exit(0);
