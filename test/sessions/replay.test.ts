import { Haft, tool } from "haft";
import { limit, runContext } from "haft/layers";
import { describe, expect, it } from "vitest";
import { mailCall, pageCall, sessionScene } from "../kit/session-scene.ts";
import { waitFor } from "../kit/wait-for.ts";

const none = { type: "object" } as const;
const principal = { agent: "clerk", allow: ["*"] };

describe("a call that a loop repeats", () => {
  it("is replayed and not made again, whatever the order of its arguments", async () => {
    const { open, sent } = sessionScene();
    const session = (await open()).session();
    const call = (input: object) => ({ id: "1", tool: "send_mail", input });
    const [first] = await session.turn([call({ to: "ada", subject: "x" })]);
    const [again] = await session.turn([call({ subject: "x", to: "ada" })]);
    expect(again).toEqual(first);
    expect(sent).toEqual(["ada"]);
  });

  it("with other arguments or another tool is another call", async () => {
    const { open, sent, read } = sessionScene();
    const session = (await open()).session();
    await session.turn([mailCall("1", "ada")]);
    await session.turn([mailCall("1", "bob")]);
    await session.turn([pageCall("1", "x")]);
    expect(sent).toEqual(["ada", "bob"]);
    expect(read).toEqual(["x"]);
  });

  it("while it is running is awaited, and both receive the result", async () => {
    let release = (): void => {};
    let runs = 0;
    const slow = tool({
      name: "slow",
      description: "Waits",
      input: none,
      run: () => {
        runs += 1;
        return new Promise((resolve) => {
          release = () => resolve("done");
        });
      },
    });
    const haft = await Haft.open({ tools: [slow], principal });
    const turns = [1, 2].map(() => haft.session({ id: "s" }).turn([{ id: "1", tool: "slow", input: {} }]));
    await waitFor(() => expect(runs).toBe(1));
    release();
    const [[one], [other]] = (await Promise.all(turns)) as never as [[unknown], [unknown]];
    expect(other).toEqual(one);
    expect(runs).toBe(1);
  });

  it("after it failed receives the failure again, unless the tool is read-only", async () => {
    const attempts = { write: 0, read: 0 };
    const failing = (name: "write" | "read") =>
      tool({
        name,
        description: "Fails the first time",
        input: none,
        annotations: { readOnly: name === "read" },
        run: () => {
          attempts[name] += 1;
          if (attempts[name] === 1) throw new Error("down");
          return "up";
        },
      });
    const haft = await Haft.open({ tools: [failing("write"), failing("read")], principal });
    const session = haft.session();
    for (const name of ["write", "read"]) {
      await session.turn([{ id: name, tool: name, input: {} }]);
      await session.turn([{ id: name, tool: name, input: {} }]);
    }
    expect(attempts).toEqual({ write: 1, read: 2 });
  });

  it("after it was refused as overloaded is attempted again", async () => {
    const once = tool({ name: "once", description: "Once", input: none, run: () => "done" }).layer(
      limit({ rate: "1 per minute", queue: 0 }),
    );
    const haft = await Haft.open({ tools: [once], principal });
    const session = haft.session();
    const call = (id: string) => session.turn([{ id, tool: "once", input: {} }]);
    await call("1");
    const [refused] = await call("2");
    expect(refused?.failure?.code).toBe("overloaded");
    const [again] = await call("2");
    expect(again?.failure?.code).toBe("overloaded");
    expect((await haft.log()).filter(({ callId }) => callId === "2")).toHaveLength(2);
  });

  it("after it was denied is denied again, without another approval request", async () => {
    const { open, sent } = sessionScene();
    const haft = await open();
    const session = haft.session();
    await session.turn([pageCall("1", "x")]);
    const [asked] = await session.turn([mailCall("2", "ada")]);
    await session.answer(asked!.pending!.id, { kind: "deny", reason: "not today" });
    const [again] = await session.turn([mailCall("2", "ada")]);
    expect(again?.failure).toMatchObject({ code: "approval_denied" });
    expect(await session.pending()).toEqual([]);
    expect(sent).toEqual([]);
  });

  it("stays pending under the same request until it is answered", async () => {
    const { open } = sessionScene();
    const session = (await open()).session();
    await session.turn([pageCall("1", "x")]);
    const [first] = await session.turn([mailCall("2", "ada")]);
    const [again] = await session.turn([mailCall("2", "ada")]);
    expect(again?.pending?.id).toBe(first?.pending?.id);
    expect(await session.pending()).toHaveLength(1);
  });

  it("keeps the state of a layer for the session", async () => {
    const counts: number[] = [];
    const counted = tool({ name: "counted", description: "Counts", input: none, run: () => "ok" }).layer(
      runContext({
        initial: () => 0,
        step: (count, _, outcome) => {
          counts.push(count);
          return [count + 1, outcome];
        },
      }),
    );
    const haft = await Haft.open({ tools: [counted], principal });
    const session = haft.session();
    for (const id of ["1", "2", "3"]) await session.turn([{ id, tool: "counted", input: {} }]);
    expect(counts).toEqual([0, 1, 2]);
  });
});

describe("a session's turn", () => {
  it("answers each id once, in the order of the calls", async () => {
    const { open } = sessionScene();
    const session = (await open()).session();
    const replies = await session.turn([
      mailCall("1", "a"),
      pageCall("2", "b"),
      mailCall("1", "a"),
      mailCall("3", "c"),
    ]);
    expect(replies.map(({ id }) => id)).toEqual(["1", "2", "3"]);
  });

  it("that is aborted cancels its calls, and all of them are recorded", async () => {
    const { open } = sessionScene();
    const haft = await open();
    const session = haft.session();
    const replies = await session.turn([mailCall("1", "a"), mailCall("2", "b")], {
      signal: AbortSignal.abort(),
    });
    expect(replies.map(({ failure }) => failure?.code)).toEqual(["cancelled", "cancelled"]);
    expect(await haft.log()).toHaveLength(2);
    // A call that never started is made when it is repeated.
    expect((await session.turn([mailCall("1", "a")]))[0]?.ok).toBe(true);
  });

  it("passes the progress of its tools only to the caller of that turn", async () => {
    const telling = tool({
      name: "telling",
      description: "Tells",
      input: none,
      run: (_, { progress, callId }) => {
        progress({ at: callId });
        return "done";
      },
    });
    const haft = await Haft.open({ tools: [telling], principal });
    const received: unknown[] = [];
    const call = (id: string) => ({ id, tool: "telling", input: {} });
    const session = haft.session();
    await Promise.all([
      session.turn([call("1")], { onProgress: (update) => received.push(update) }),
      session.turn([call("2")]),
    ]);
    expect(received).toEqual([{ callId: "1", tool: "telling", update: { at: "1" } }]);
  });

  it("of a closed runtime is refused", async () => {
    const { open, sent } = sessionScene();
    const haft = await open();
    const session = haft.session();
    await haft.close();
    await expect(session.pending()).rejects.toThrow(/closed/);
    expect((await session.turn([mailCall("1", "a")]))[0]?.ok).toBe(false);
    expect(sent).toEqual([]);
  });
});
