import { describe, expect, it } from "vitest";
import { tool } from "../tools/tool.ts";
import type { EventMap } from "../types/event.ts";
import { Haft } from "./haft.ts";

type Warning = Omit<EventMap["tools.unannotated"], "message">;
const input = { type: "object" } as const;
const described = (name: string) => ({ name, description: `The tool ${name}`, input, run: () => 1 });
const page = tool({ ...described("page"), annotations: { readOnly: true, openWorld: true } });
const pay = tool(described("pay"));

describe("tools without annotations", () => {
  it("are listed in one warning when untrusted content can be read, and again when the list changes", async () => {
    const warnings: Warning[] = [];
    const harmless = tool({ ...described("harmless"), annotations: { destructive: false } });
    const risky = tool({ ...described("risky"), risk: "high" });
    const haft = await Haft.open({
      tools: [page, pay, harmless, risky, tool({ ...described("sink"), tags: ["sink"] })],
      on: { "tools.unannotated": ({ tools, sources }) => warnings.push({ tools, sources }) },
    });
    expect(warnings).toEqual([{ tools: ["pay"], sources: ["page"] }]);
    haft.register(harmless, { origin: "project", namespace: "more" });
    haft.register(tool(described("wipe")));
    haft.register(tool(described("mail")));
    await Promise.resolve();
    expect(warnings.slice(1)).toEqual([{ tools: ["mail", "pay", "wipe"], sources: ["page"] }]);
    await haft.close();
  });

  it("are named in a message with the remedy", async () => {
    const messages: string[] = [];
    const haft = await Haft.open({
      tools: [page, pay],
      on: { "tools.unannotated": ({ message }) => messages.push(message) },
    });
    expect(messages).toEqual([expect.stringMatching(/of page\).*required for them: pay\. Set annotations/)]);
    await haft.close();
  });

  it("cause no warning until untrusted content can be read", async () => {
    const warnings: Warning[] = [];
    const haft = await Haft.open({
      tools: [pay],
      on: { "tools.unannotated": ({ tools, sources }) => warnings.push({ tools, sources }) },
    });
    expect(warnings).toEqual([]);
    haft.register(page);
    await Promise.resolve();
    expect(warnings).toEqual([{ tools: ["pay"], sources: ["page"] }]);
    await haft.close();
  });
});
