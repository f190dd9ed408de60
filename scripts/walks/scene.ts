import { existsSync } from "node:fs";
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
const rawCall = (id: string) => ({ id, tool: "get_weather", input: '{"city":"Oslo"}' });

const scenes: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
  turn: async () => {
    const haft = await Haft.open({ tools: [weather()], principal });
    let turns = 0;
    return () => haft.turn([rawCall(`call_${++turns}`)]);
  },
  approval: async () => {
    const options = { tools: [weather({ requiresApproval: true })], principal, approver: () => undefined };
    const ledger = process.env.WALK_LEDGER;
    const [asking, answering] = [
      await Haft.open({ ...options, ledger }),
      await Haft.open({ ...options, ledger }),
    ];
    const waiting: string[] = [];
    for (const id of ["call_1", "call_2"]) waiting.push((await asking.turn([rawCall(id)]))[0].pending.id);
    return () => answering.resume(waiting.shift(), { kind: "allow" });
  },
  stream: async () => {
    const haft = await Haft.open({ tools: [weather()], principal });
    let asked = 0;
    const answers = () =>
      asked++ % 2 === 0
        ? { text: "", calls: [rawCall(`call_${asked}`)], finish: "calls" }
        : { text: "4 degrees", calls: [], finish: "stop" };
    const reply = () => ({ usage: { inputTokens: 1, outputTokens: 1 }, ...answers() });
    const model = {
      id: "scripted",
      generate: async () => reply(),
      stream: async function* () {
        const given = reply();
        yield { kind: "text", text: given.text };
        yield { kind: "reply", reply: given };
      },
    };
    const guide = agent({ name: "guide", instructions: "Say the weather.", model, tools: ["get_weather"] });
    return async () => {
      const stream = haft.stream(guide, "Oslo?");
      for await (const _ of stream);
      return stream.response;
    };
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
