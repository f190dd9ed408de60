import fc from "fast-check";
import { agent, Haft, tool } from "haft";
import { expect, it } from "vitest";
import { calls, type ScriptLine, says, scriptedModel } from "./kit/scripted-model.ts";

/** Runs, each made twice. `HAFT_SOAK=1` makes 10,000. */
const numRuns = process.env.HAFT_SOAK === "1" ? 10_000 : 300;

const text = { type: "string" } as const;
const object = (properties: Record<string, unknown>) => ({ type: "object", properties }) as const;

/** Names that occur in the user's request, in a trusted result, as known targets, or only in the attacker's text. */
const own = ["ada@own.example", "bob@own.example"];
const found = ["kim@found.example", "lea@found.example"];
const known = ["max@known.example", "ned@known.example"];
const request = `Read my mail and tell ${own.join(" and ")}.`;

interface SinkCall {
  readonly tool: "send" | "share";
  /** Index of a trusted value, or of a word of the attacker's text. */
  readonly target: { readonly from: "own" | "found" | "known" | "attacker"; readonly index: number };
  /** Whether the body repeats the attacker's text. */
  readonly copiesText: boolean;
}

const sinkCall: fc.Arbitrary<SinkCall> = fc.record({
  tool: fc.constantFrom("send", "share"),
  target: fc.record({ from: fc.constantFrom("own", "found", "known", "attacker"), index: fc.nat(7) }),
  copiesText: fc.boolean(),
});

const usesOf = fc.subarray([
  { tool: "send", targets: [own[0]!] },
  { tool: "send", targets: [] },
  { tool: "share", targets: own },
  { tool: "share", targets: [found[0]!] },
] as const);

const word = fc.stringMatching(/^[a-z]{3,9}$/);

/** Always with a link, so that a text that repeats it needs approval in every variation. */
const attackerText = fc.tuple(fc.array(word, { minLength: 8, maxLength: 12 }), word).map(([words, host]) => ({
  words: words.map((each) => `${each}@evil.example`),
  link: `www.${host}x.example`,
}));

type AttackerText = { readonly words: readonly string[]; readonly link: string };

const trusted = { own, found, known };

const targetText = ({ from, index }: SinkCall["target"], attacker: AttackerText): string => {
  const list = from === "attacker" ? attacker.words : trusted[from];
  return list[index % list.length]!;
};

/** The sink calls that ran without approval, as `tool target`, with the attacker's words by their index. */
const run = async (
  sinks: readonly SinkCall[],
  uses: readonly object[],
  attacker: AttackerText,
  mentions: readonly string[],
): Promise<readonly string[]> => {
  const ran: string[] = [];
  const sink = (name: "send" | "share") =>
    tool({
      name,
      description: "Carries data out",
      input: object({ to: text, body: text }),
      annotations: { sink: true },
      run: ({ to = "" }: { to?: string }) => {
        const index = attacker.words.indexOf(to);
        ran.push(`${name} ${index < 0 ? to : `attacker ${index}`}`);
        return "done";
      },
    });
  const mail = [...attacker.words, attacker.link, ...mentions].join(" and ");
  const tools = [
    sink("send"),
    sink("share"),
    tool({
      name: "contacts",
      description: "Lists contacts",
      input: object({}),
      annotations: { readOnly: true },
      run: () => found.join(", "),
    }),
    tool({
      name: "read_mail",
      description: "Reads mail",
      input: object({}),
      annotations: { readOnly: true, untrusted: true },
      run: () => mail,
    }),
  ];
  const script: ScriptLine[] = [
    says(JSON.stringify({ uses })),
    calls(["contacts", {}]),
    calls(["read_mail", {}]),
    ...sinks.map(({ tool: name, target, copiesText }) =>
      calls([name, { to: targetText(target, attacker), body: copiesText ? mail : "Hello" }]),
    ),
    says("Done."),
  ];
  const haft = await Haft.open({
    tools,
    principal: { agent: "clerk", allow: ["*"] },
    policy: { injection: { mode: "plan", knownTargets: { to: known } } },
  });
  const clerk = agent({ name: "clerk", instructions: "Help.", model: scriptedModel(script), tools: ["*"] });
  await haft.run(clerk, request, { maxTurns: script.length + 1 });
  await haft.close();
  return ran;
};

const sinkCalls = fc.array(sinkCall, { minLength: 1, maxLength: 5 });

it("in mode plan the attacker's text changes neither which sink calls run nor their targets", async () => {
  let made = 0;
  await fc.assert(
    fc.asyncProperty(sinkCalls, usesOf, attackerText, attackerText, async (sinks, uses, one, other) => {
      fc.pre(one.words.length === other.words.length && new Set(one.words).size === one.words.length);
      fc.pre(new Set(other.words).size === other.words.length);
      const before = await run(sinks, uses, one, []);
      expect(await run(sinks, uses, other, [])).toEqual(before);
      expect(before.join()).not.toContain("attacker");
      made += before.length;
    }),
    { numRuns },
  );
  expect(made).toBeGreaterThan(numRuns / 10);
});

it("in mode plan every sink call that runs was planned, even if the attacker names trusted targets", async () => {
  const mentions = fc.subarray([...own, ...found, ...known]);
  await fc.assert(
    fc.asyncProperty(sinkCalls, usesOf, attackerText, mentions, async (sinks, uses, attacker, named) => {
      for (const each of await run(sinks, uses, attacker, named)) {
        const [name, target] = each.split(" ");
        const planned = uses.filter((use) => use.tool === name);
        const isOpen = planned.some(({ targets }) => targets.length === 0);
        const isNamed = planned.some(({ targets }) => (targets as readonly string[]).includes(target!));
        expect(isOpen || isNamed).toBe(true);
        expect(target).not.toBe("attacker");
      }
    }),
    { numRuns },
  );
});
