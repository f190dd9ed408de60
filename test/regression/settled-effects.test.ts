import { Haft, tool } from "haft";
import { expect, it, onTestFinished } from "vitest";
import { useSqliteFolder } from "../kit/use-sqlite-folder.ts";

const sqlite = useSqliteFolder();

/** A session with a call that timed out, which is settled before the session continues in another runtime. */
const repeatAfter = async (tookEffect: boolean) => {
  const ledger = `sqlite:${sqlite.fresh()}`;
  let ran = 0;
  const pay = tool({
    name: "pay",
    description: "Pays",
    input: { type: "object" },
    timeout: "20 millis",
    run: () => {
      ran += 1;
      return ran === 1 ? new Promise(() => {}) : "paid";
    },
  });
  const openSession = async () => {
    const haft = await Haft.open({ tools: [pay], principal: { agent: "clerk", allow: ["*"] }, ledger });
    onTestFinished(() => haft.close());
    return { haft, session: haft.session({ id: "s" }) };
  };
  const { haft, session } = await openSession();
  await session.turn([{ id: "1", tool: "pay", input: {} }]);
  const [entry] = await haft.log({ tool: "pay" });
  await haft.settle(entry!.entryId, { tookEffect, by: "grace" });
  await haft.close();
  const next = await openSession();
  const [reply] = await next.session.turn([{ id: "2", tool: "pay", input: {} }]);
  return { reply, ran, entryId: entry!.entryId };
};

it("a session's call that repeats one settled as having taken effect requires approval", async () => {
  const { reply, ran, entryId } = await repeatAfter(true);
  expect(reply?.pending?.reason).toContain(
    `the same call was made in this run, and it took effect. An earlier call with the same arguments took effect: ${entryId}, settled by grace at`,
  );
  expect(ran).toBe(1);
});

it("a session's call that repeats one settled as not having taken effect runs", async () => {
  const { reply, ran } = await repeatAfter(false);
  expect(reply?.ok).toBe(true);
  expect(ran).toBe(2);
});
