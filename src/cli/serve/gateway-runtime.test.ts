import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { waitFor } from "../../../test/kit/wait-for.ts";
import type { Terminal } from "../command.ts";
import { type NextServing, openServing } from "./serving.ts";

const scene = async (serve: object) => {
  const folder = mkdtempSync(join(tmpdir(), "haft-serving-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, "haft.config.json");
  const edit = (serve: object) => writeFileSync(config, JSON.stringify({ mcp: { lock: false }, serve }));
  edit(serve);
  let errors = "";
  const terminal: Terminal = {
    out: () => {},
    error: (text) => {
      errors += text;
    },
    env: { HAFT_LEDGER: "memory" },
    isInteractive: false,
    hasColor: false,
    width: 200,
    signal: new AbortController().signal,
    unread: new AbortController().signal,
    input: async () => "",
    ask: async () => undefined,
    now: Date.now,
    wait: async () => {},
  };
  const serving = await openServing({ config }, terminal);
  onTestFinished(() => serving[Symbol.asyncDispose]());
  const says = (said: string) => waitFor(() => expect(errors).toContain(said));
  return { serving, edit, says };
};

test("a configuration that changes before anybody listens asks for its callers as soon as somebody does", async () => {
  const { serving, edit, says } = await scene({ name: "one" });
  edit({ name: "two" });
  await says("read again");
  const asked: NextServing[] = [];
  await serving.beforeSwap(async (next) => {
    asked.push(next);
    return ["This takes a new start."];
  });
  expect(asked.map(({ options }) => options.name)).toEqual(["two"]);
  expect((await serving.health()).problems).toEqual([
    { part: "configuration", message: "This takes a new start." },
  ]);
});

test("where questions are put is what it was at the start, and that the file says otherwise is told", async () => {
  const { serving, edit, says } = await scene({ approvals: "client" });
  edit({ approvals: "elsewhere" });
  await says('"serve.approvals" has changed, which takes a new start.');
  expect(await serving.health()).toMatchObject({
    status: "degraded",
    problems: [{ part: "configuration" }],
  });
  edit({ approvals: "client" });
  await waitFor(async () => expect((await serving.health()).status).toBe("ok"));
});
