import * as Effect from "effect/Effect";
import { Haft, type LedgerStore, type Principal, Tool, tool } from "haft";
import { memoryLedger } from "haft/effect";
import { beforeEach, describe, expect, it } from "vitest";
import { redactor } from "../src/base/json/redact.ts";
import { LedgerError } from "../src/types/errors.ts";

const principal: Principal = { agent: "tester", allow: ["*"] };
const down = Effect.fail(new LedgerError("ledger_unavailable", "no disk"));

const made: string[] = [];
const ran: string[] = [];
beforeEach(() => {
  made.length = 0;
  ran.length = 0;
});

/** A class tool with these options. */
const noteTool = (more: object = {}, broken?: unknown) =>
  Tool({
    name: "note",
    description: "Saves a note",
    parameters: { title: { type: "string" }, required: ["title"] },
    ...more,
  } as never)(
    class Note {
      readonly title: string;
      constructor({ title }: { readonly title: string }) {
        made.push(title);
        if (broken !== undefined) throw broken;
        this.title = title;
      }
      run(): string {
        ran.push(this.title);
        return `saved ${this.title}`;
      }
    } as never,
  );

const save = tool({
  name: "save",
  description: "Saves",
  input: { type: "object", properties: { title: { type: "string" } }, required: ["title"] } as const,
  run: ({ title }) => {
    ran.push(title);
    return `saved ${title}`;
  },
});

const open = (options: object = {}) => Haft.open({ tools: [noteTool(), save], principal, ...options });

const received = (haft: Awaited<ReturnType<typeof open>>) => {
  const events: string[] = [];
  for (const name of ["tools.started", "tools.executed", "tools.failed"] as const)
    haft.on(name, ({ toolName }: { readonly toolName: string }) => void events.push(`${name} ${toolName}`));
  return events;
};

const hydrate = async (haft: Awaited<ReturnType<typeof open>>, name: string) => {
  const [result] = await haft.hydrate([{ id: "c1", tool: name, input: '{"title":"one"}' }]);
  return result!;
};

/** A ledger whose writes fail on demand. */
const failing = () => {
  const store = memoryLedger({ redactor: redactor() });
  const broken = { open: false, close: false };
  const ledger: LedgerStore = {
    ...store,
    open: (opening) => (broken.open ? down : store.open(opening)),
    close: (closing) => (broken.close ? down : store.close(closing)),
  };
  return { broken, ledger };
};

describe("a hydrated call that continues later", () => {
  it("emits its events when it continues, once", async () => {
    const haft = await open();
    const events = received(haft);
    const result = await hydrate(haft, "save");
    expect(events).toEqual([]);
    await result.tool?.run();
    expect(events).toEqual(["tools.started save", "tools.executed save"]);
  });

  it("emits its events immediately when it is refused", async () => {
    const haft = await open();
    const events = received(haft);
    await haft.hydrate([{ id: "c1", tool: "save", input: "{}" }]);
    expect(events).toEqual(["tools.started save", "tools.failed save"]);
  });

  it("is open in the ledger while its code runs", async () => {
    let ending: string | undefined;
    const look = tool({
      name: "look",
      description: "Looks at its own row",
      input: [],
      run: async () => {
        ending = (await haft.log({ tool: "look" }))[0]?.ending;
      },
    });
    const haft: Awaited<ReturnType<typeof open>> = await open({ tools: [look] });
    const [result] = await haft.hydrate([{ id: "c1", tool: "look", input: "{}" }]);
    expect((await haft.log())[0]?.ending).toBe("hydrated");
    await result?.tool?.run();
    expect(ending).toBe("open");
    expect((await haft.log())[0]?.ending).toBe("executed");
  });

  it("does not run if its row cannot be opened again", async () => {
    const { broken, ledger } = failing();
    const haft = await open({ ledger });
    const result = await hydrate(haft, "save");
    broken.open = true;
    await expect(result.tool?.run()).rejects.toMatchObject({ code: "ledger_unavailable" });
    expect(ran).toEqual([]);
  });

  it("does not run if its row could not be opened at all", async () => {
    const { broken, ledger } = failing();
    broken.open = true;
    const haft = await open({ ledger });
    const result = await hydrate(haft, "save");
    expect(result.success).toBe(true);
    broken.open = false;
    await expect(result.tool?.run()).rejects.toMatchObject({ code: "ledger_unavailable" });
    expect(ran).toEqual([]);
    expect(await haft.log()).toEqual([]);
  });

  it("fails with unknown_tool once another tool has its name", async () => {
    const haft = await open();
    const result = await hydrate(haft, "save");
    haft.unregister("save");
    haft.register(tool({ name: "save", description: "Other", input: [], run: () => ran.push("other") }));
    await expect(result.tool?.run()).rejects.toMatchObject({ code: "unknown_tool" });
    expect(ran).toEqual([]);
  });

  it("fails with not_bound if the tool has no code, whatever its arguments", async () => {
    const bind = (): never => {
      throw new Error("no code");
    };
    const input = { type: "object" } as const;
    const prepares = { _tag: "test", bind, prepare: () => ({}) } as const;
    const bare = tool({ name: "bare", description: "x", input, implementation: { _tag: "test", bind } });
    const made = tool({ name: "made", description: "x", input, implementation: prepares as never });
    for (const params of [undefined, { title: "two" }]) {
      const haft = await open({ tools: [bare, made] });
      expect((await (await hydrate(haft, "made")).reply?.())?.failure?.code).toBe("not_bound");
      const result = await hydrate(haft, "bare");
      await expect(result.tool?.run(params)).rejects.toMatchObject({ code: "not_bound" });
    }
  });
});

describe("an instance of a class tool", () => {
  it("is created once, which the row notes", async () => {
    const haft = await open();
    const result = await hydrate(haft, "note");
    expect((await haft.log())[0]?.notes).toEqual(["an instance of the tool's class is made"]);
    expect(await result.tool?.run()).toBe("saved one");
    expect([made, ran]).toEqual([["one"], ["one"]]);
  });

  it("is not created when the policy denies the call, and the call ends", async () => {
    const rules = [
      { id: "rest", effect: "allow", tools: ["*"] },
      { id: "no", effect: "deny", tools: ["note"], when: { type: "object" } },
    ];
    const haft = await open({ policy: { rules } });
    const result = await hydrate(haft, "note");
    expect(result).toMatchObject({ success: false, errors: [{ stage: "find" }] });
    expect((await result.reply?.())?.failure?.code).toBe("denied");
    expect(made).toEqual([]);
    expect((await haft.log())[0]).toMatchObject({ ending: "failed", code: "denied", notes: [] });
  });

  it("is not created before the call is approved", async () => {
    const haft = await open({ tools: [noteTool({ risk: "high" })], approver: () => undefined });
    const result = await hydrate(haft, "note");
    expect(result.success).toBe(true);
    expect(made).toEqual([]);
    expect((await haft.log())[0]?.notes).toEqual([]);
    const { pending } = (await result.reply?.())!;
    expect(made).toEqual([]);
    expect(await haft.resume(pending!.id, { kind: "allow" })).toMatchObject({ value: "saved one" });
    expect([made, ran]).toEqual([["one"], ["one"]]);
  });

  it.each([
    ["an error", new Error("no paper"), "no paper"],
    ["another value", "no ink", "no ink"],
  ])("whose constructor throws %s is a failure of a tool that ran", async (_, broken, why) => {
    const haft = await open({ tools: [noteTool({}, broken)] });
    const events = received(haft);
    const result = await hydrate(haft, "note");
    const message = `The tool "note" could not be prepared: ${why}`;
    expect(result).toMatchObject({ success: false, errors: [{ stage: "instantiate", message }] });
    expect((await result.reply?.())?.failure).toMatchObject({ code: "failed", tool: "note", ran: true });
    expect(await haft.log()).toMatchObject([{ ending: "failed", code: "failed", message }]);
    expect(events).toEqual(["tools.started note", "tools.failed note"]);
  });

  it.each(["open", "close"] as const)("is not created when the ledger cannot %s its row", async (part) => {
    const { broken, ledger } = failing();
    broken[part] = true;
    const haft = await open({ ledger });
    const result = await hydrate(haft, "note");
    expect(result.success).toBe(false);
    expect((await result.reply?.())?.failure).toMatchObject({ code: "ledger_unavailable", ran: false });
    expect([made, ran]).toEqual([[], []]);
  });

  it.each(["open", "close"] as const)(
    "of a read-only tool is created when the ledger cannot %s, if the configuration allows it",
    async (part) => {
      const { broken, ledger } = failing();
      broken[part] = true;
      const haft = await open({
        ledger,
        tools: [noteTool({ annotations: { readOnly: true } })],
        config: { ledger: { readsWithoutLedger: true } },
      });
      const result = await hydrate(haft, "note");
      expect(result.success).toBe(true);
      expect(made).toEqual(["one"]);
    },
  );

  it("is created in the context of its call, which is the parent of calls in the constructor", async () => {
    const haft: Awaited<ReturnType<typeof open>> = await open();
    const inside: Promise<unknown>[] = [];
    const Caller = Tool({ name: "caller", description: "Calls", parameters: [] } as never)(
      class {
        constructor() {
          inside.push(haft.call("save", { title: "inner" }));
        }
        run(): string {
          return "done";
        }
      } as never,
    );
    haft.register(Caller as never);
    await haft.hydrate([{ id: "c1", tool: "caller", input: "{}" }]);
    await Promise.all(inside);
    const [outer, inner] = await haft.log();
    expect(inner).toMatchObject({ tool: "save", parentId: outer?.entryId });
  });
});
