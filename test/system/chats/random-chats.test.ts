import type { UIMessage } from "ai";
import fc from "fast-check";
import { expect, it } from "vitest";
import { chatScene, openChatPage, readUiMessage, withApprovalResponse } from "../../kit/chat-scene.ts";
import { newSessionLedger } from "../../kit/session-scene.ts";
import { randomAnswer, randomModel } from "../kit/random-chat.ts";

const soak = process.env.HAFT_SOAK === undefined ? 1 : 20;

const isAsked = (message: UIMessage): boolean =>
  message.parts.some((part) => "state" in part && part.state === "approval-requested");

const questionsIn = (message: UIMessage): readonly string[] =>
  message.parts.flatMap((part) =>
    "state" in part && part.state === "approval-requested" ? [(part.input as { id: string }).id] : [],
  );

const plain = (message: unknown): unknown => JSON.parse(JSON.stringify(message ?? null));

it(
  "random agent answers produce streams the AI SDK reads, equal to the stored chat",
  async () => {
    const chat = fc.array(fc.record({ answer: randomAnswer, yes: fc.boolean(), reloads: fc.boolean() }), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(chat, async (messages) => {
        const { open, refunds } = chatScene();
        const model = randomModel(new Map(messages.map(({ answer }, at) => [`m${at}`, answer])));
        const { handle, haft } = await open(model);
        const page = openChatPage(handle);
        const allowed: string[] = [];
        for (const [at, { yes, reloads }] of messages.entries()) {
          let answer = await readUiMessage(await page.say("c", `m${at}`, `m${at}`));
          while (isAsked(answer)) {
            if (reloads) answer = (await page.show("c")).at(-1)!;
            if (yes) allowed.push(...questionsIn(answer));
            const answered = withApprovalResponse(answer, yes);
            answer = await readUiMessage(await page.send("c", [answered]), answered);
          }
          expect(plain((await page.show("c")).at(-1))).toEqual(plain(answer));
          expect(await page.resume("c")).toBeNull();
          expect(plain(await readUiMessage(await page.say("c", `m${at}`, `m${at}`)))).toEqual(plain(answer));
        }
        expect(refunds.toSorted()).toEqual(allowed.toSorted());
        expect((await page.show("c")).filter(({ role }) => role === "user").map(({ id }) => id)).toEqual(
          messages.map((_, at) => `m${at}`),
        );
        await haft.close();
      }),
      { numRuns: 40 * soak },
    );
  },
  180_000 * soak,
);

type Act =
  | { readonly kind: "send" | "resume" | "show" | "stop" }
  | { readonly kind: "answer"; readonly yes: boolean };

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: "send" } as const) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("answer" as const), yes: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant({ kind: "resume" } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: "show" } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: "stop" } as const) },
);

it(
  "random concurrent sends, reloads, approvals and stops at two servers repeat no call and lose no message",
  async () => {
    const scene = fc.record({
      answers: fc.array(randomAnswer, { minLength: 3, maxLength: 3 }),
      waves: fc.array(fc.array(fc.tuple(fc.nat(1), act), { minLength: 1, maxLength: 4 }), { maxLength: 12 }),
    });
    await fc.assert(
      fc.asyncProperty(scene, async ({ answers, waves }) => {
        const { open, refunds } = chatScene();
        const model = randomModel(new Map(answers.map((answer, at) => [`m${at}`, answer])));
        const ledger = newSessionLedger();
        const servers = [await open(model, { ledger }), await open(model, { ledger })];
        const pages = servers.map(({ handle }) => openChatPage(handle));
        let next = 0;
        const drained = async (stream: Promise<ReadableStream | null>): Promise<boolean> => {
          try {
            for await (const _ of (await stream) ?? []) {
              // Reads to the end, as a page does.
            }
            return true;
          } catch {
            return false;
          }
        };
        const perform = async (page: (typeof pages)[number], one: Act): Promise<void> => {
          if (one.kind === "send") {
            const name = `m${Math.min(next, answers.length - 1)}`;
            await drained(page.say("c", name, name));
          } else if (one.kind === "resume") await drained(page.resume("c"));
          else if (one.kind === "stop") await page.post("/c/stop");
          else {
            const last = (await page.show("c")).at(-1);
            if (one.kind === "answer" && last !== undefined && isAsked(last)) {
              await drained(page.send("c", [withApprovalResponse(last, one.yes)]));
            }
          }
        };
        for (const wave of waves) {
          await Promise.all(wave.map(([at, one]) => perform(pages[at]!, one)));
          next = (await pages[0]!.show("c")).filter(({ role }) => role === "user").length;
        }
        const shown = await Promise.all(pages.map((page) => page.show("c")));
        expect(plain(shown[0])).toEqual(plain(shown[1]));
        const ids = (shown[0] ?? []).filter(({ role }) => role === "user").map(({ id }) => id);
        expect(ids).toEqual(answers.slice(0, ids.length).map((_, at) => `m${at}`));
        expect(new Set(refunds).size).toBe(refunds.length);
        // Denying the remaining requests ends the chat without another refund.
        const before = refunds.length;
        for (let last = shown[0]?.at(-1); last !== undefined && isAsked(last); ) {
          expect(await drained(pages[1]!.send("c", [withApprovalResponse(last, false)]))).toBe(true);
          last = (await pages[0]!.show("c")).at(-1);
        }
        expect(refunds).toHaveLength(before);
        for (const { haft } of servers) await haft.close();
      }),
      { numRuns: 12 * soak },
    );
  },
  180_000 * soak,
);
