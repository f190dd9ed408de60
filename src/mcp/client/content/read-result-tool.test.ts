import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { CallContext } from "../../../types/call.ts";
import { createReadResultTool } from "./read-result-tool.ts";
import type { TruncatedContent } from "./truncate-blocks.ts";
import { openFileTruncator } from "./truncate-to-file.ts";

const home = mkdtempSync(join(tmpdir(), "haft-read-result-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const spill = openFileTruncator({ directory: join(home, "spill") });
const tool = createReadResultTool(spill);
const run = (input: unknown, agent: string): unknown =>
  tool.implementation.bind(tool.spec)(input, { principal: { agent } } as CallContext);

it("read_result is read-only and tagged as untrusted", () => {
  expect(tool.spec).toMatchObject({ name: "read_result", risk: "low", annotations: { readOnly: true } });
  expect(tool.spec.tags).toContain("untrusted");
});

it("read_result continues at an offset and reads only results of the same caller", async () => {
  const text = "0123456789".repeat(10_000);
  const call = { principal: { agent: "ada" }, tool: "t", callId: "c" };
  const { spilled } = (await spill.truncate(text, call)) as { readonly spilled: TruncatedContent };
  const { handle } = spilled;
  expect(await run({ handle, offset: 99_995 }, "ada")).toEqual({
    handle,
    kind: "text",
    offset: 99_995,
    total: 100_000,
    text: "56789",
  });
  expect(await run({ handle, length: 10 }, "ada")).toMatchObject({ text: "0123456789", next: 10 });
  await expect(run({ handle }, "eve")).rejects.toMatchObject({ code: "failed" });
});
