import { expect, it } from "vitest";
import { ProgramCalls, toJournaledCall } from "./program-calls.ts";

const watched = () => {
  const made: number[] = [];
  const wrong: string[] = [];
  const maker = {
    make: ({ number }: { readonly number: number }) => void made.push(number),
    canWait: true,
    atOnce: 8,
    mostWaiting: 100,
    onFlood: () => void wrong.push("flood"),
    onStuck: () => {},
    onMismatch: (why: string) => void wrong.push(why),
  };
  return { made, wrong, maker };
};

const settled = () => new Promise((resolve) => setImmediate(resolve));

it("makes no further call once a call differs from the journal", async () => {
  const { made, wrong, maker } = watched();
  const before = [toJournaledCall("pay", '{"n":1}'), toJournaledCall("pay", '{"n":2}')];
  const calls = new ProgramCalls(maker, { calls: before, answers: [] });
  void calls.answer({ number: 0, name: "pay", input: '{"n":9}' });
  void calls.answer({ number: 1, name: "pay", input: '{"n":2}' });
  await settled();
  expect(wrong).toEqual(['call 1 is now a call of "pay" with other arguments']);
  expect(made).toEqual([]);
});

it("makes none of the waiting calls once too much is waiting", async () => {
  const { made, wrong, maker } = watched();
  const calls = new ProgramCalls(maker, undefined);
  void calls.answer({ number: 0, name: "pay", input: "x".repeat(60) });
  void calls.answer({ number: 1, name: "pay", input: "x".repeat(60) });
  await settled();
  expect([wrong, made]).toEqual([["flood"], []]);
});
