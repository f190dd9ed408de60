import { Haft, Tool, tool } from "haft";
import { describe, expect, it } from "vitest";
import * as z from "zod";

const principal = { agent: "clerk", allow: ["*"] };
const call = { id: "1", tool: "pay", input: '{"n":1,"to":{"name":"ada"}}' };
const described = {
  name: "pay",
  description: "Pays",
  parameters: {
    n: { type: "integer" as const, maximum: 5 },
    to: { type: "object" as const },
    required: ["n"],
  },
};

interface Pay {
  n: unknown;
  amount: number;
  to: { name: string };
  paid: Map<string, number>;
}

const scene = (more: object = {}) => {
  const acted: unknown[] = [];
  let made = 0;
  class PayTool {
    n: unknown;
    amount: number;
    to: { name: string };
    paid: Map<string, number>;
    constructor({ n, to }: { readonly n: number; readonly to: object }) {
      made++;
      this.n = n;
      this.amount = n * 100;
      this.to = { name: "", ...to };
      this.paid = new Map([["sum", n]]);
    }
    get label(): string {
      return `pays ${this.amount}`;
    }
    run(): string {
      acted.push([this.n, this.amount, this.to.name, this.paid.get("sum"), this.label]);
      return "paid";
    }
  }
  return { acted, made: () => made, PayTool: Tool({ ...described, ...more })(PayTool) };
};

const asValidated = [1, 100, "ada", 1, "pays 100"];

describe("an instance that was changed after its arguments were validated", () => {
  it.each<[string, (instance: Pay) => unknown]>([
    ["a field named like an argument", (instance) => Object.assign(instance, { n: 999 })],
    ["a field that was derived from an argument", (instance) => Object.assign(instance, { amount: 999 })],
    ["a nested member of a field", (instance) => Object.assign(instance.to, { name: "mallory" })],
    ["an entry of a map", (instance) => instance.paid.set("sum", 999)],
    ["a getter instead of a field", (instance) => Object.defineProperty(instance, "n", { get: () => 999 })],
    [
      "a getter instead of that of its class",
      (instance) => Object.defineProperty(instance, "label", { get: () => "x" }),
    ],
    ["a field that JSON cannot represent", (instance) => Object.assign(instance, { n: 999n })],
    ["another prototype", (instance) => Object.setPrototypeOf(instance, { label: "x" })],
  ])("is replaced by a new instance with the same arguments: %s", async (_, change) => {
    const { acted, PayTool, made } = scene();
    const haft = await Haft.open({ tools: [PayTool], principal });
    const [result] = await haft.hydrate([call]);
    change(result!.tool as unknown as Pay);
    expect(await result!.reply!()).toMatchObject({ ok: true });
    expect(acted).toEqual([asValidated]);
    expect(made()).toBe(2);
    expect((await haft.log())[0]?.notes?.join()).toContain("the instance was changed");
  });

  it("runs with the approved arguments if it was changed before an approval because of taint", async () => {
    const { acted, PayTool } = scene({ annotations: { openWorld: true } });
    const asked: unknown[] = [];
    const read = tool({
      name: "read",
      description: "Reads",
      input: [],
      annotations: { readOnly: true, openWorld: true },
      run: () => "words of a stranger",
    });
    const wrap = tool({
      name: "wrap",
      description: "Hydrates, reads, changes and runs",
      input: [],
      run: async () => {
        const [result] = await haft.hydrate([call]);
        (result!.tool as unknown as Pay).n = await haft.call("read", {});
        return (await result!.reply!()).ok;
      },
    });
    const haft: Haft = (await Haft.open({
      tools: [PayTool, read, wrap],
      principal,
      approver: ({ input }) => {
        asked.push(input);
        return { kind: "allow" };
      },
    })) as unknown as Haft;
    expect(await haft.call("wrap", {})).toBe(true);
    expect(asked).toEqual([{ n: 1, to: { name: "ada" } }]);
    expect(acted).toEqual([asValidated]);
  });

  it("runs itself if nothing was changed, and is created once", async () => {
    const { acted, PayTool, made } = scene();
    const haft = await Haft.open({ tools: [PayTool], principal });
    const [result] = await haft.hydrate([call]);
    expect((result!.tool as unknown as { label: string }).label).toBe("pays 100");
    expect(await result!.reply!()).toMatchObject({ ok: true });
    expect([acted, made()]).toEqual([[asValidated], 1]);
  });

  it("does not run if an argument transformed by a schema was changed, since the original cannot be restored", async () => {
    const acted: unknown[] = [];
    class Note {
      readonly #given: { readonly to: string[] };
      constructor(given: { readonly to: string[] }) {
        this.#given = given;
      }
      get to(): string[] {
        return this.#given.to;
      }
      run(): number {
        return acted.push(...this.#given.to);
      }
    }
    const input = z.object({ to: z.string().transform((text) => text.split(",")) });
    const NoteTool = Tool({ name: "note", description: "Notes", input })(Note);
    const haft = await Haft.open({ tools: [NoteTool], principal });
    const [result] = await haft.hydrate([{ id: "1", tool: "note", input: '{"to":"ada,bob"}' }]);
    (result!.tool as unknown as Note).to.push("mallory");
    expect(await result!.reply!()).toMatchObject({ ok: false });
    expect(acted).toEqual([]);
  });
});
