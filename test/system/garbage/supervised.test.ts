import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Haft, ToolError } from "haft";
import { expect, it } from "vitest";
import type { StdioServer } from "../../../src/types/mcp.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { buildServer } from "./build-server.ts";
import { type Expectation, expectations } from "./expectations.ts";
import { canLook, survivors } from "./processes.ts";

const mark = `supervised-${randomUUID()}`;
const principal = { agent: "tester", allow: ["*"] } as const;
const modes = Object.entries(expectations) as readonly (readonly [string, Expectation])[];

/**
 * The short timeout is only for steps that are expected to time out, so that a busy machine does not change
 * other results.
 */
const patientMs = 180_000;
const shortMs = 3_000;

const limitOf = (step: Expectation["call"]): number => (step?.includes("timed_out") ? shortMs : patientMs);

it.runIf(canLook)(
  "a runtime with every misbehaving server opens at once, reports each error, and keeps serving the healthy server",
  {
    timeout: 600_000,
  },
  async () => {
    const home = mkdtempSync(join(tmpdir(), "haft-supervised-"));
    let haft: Haft | undefined;
    let isOver = false;
    try {
      const file = await buildServer(home);
      const server = (mode: string, { connectsLate, list, call }: Expectation = {}): StdioServer => ({
        command: process.execPath,
        args: [file, mode, "legacy", mark],
        connectTimeoutMs: connectsLate === true ? shortMs : limitOf(list),
        callTimeoutMs: limitOf(list),
        // Every failing call must end as a typed error.
        terms: { "*": { timeoutMs: call === undefined ? patientMs : shortMs } },
      });
      haft = await Haft.open({
        principal,
        mcp: { lock: false, servers: { good: server("good") } },
      });
      const call = haft.call.bind(haft) as (name: string, input: object) => Promise<unknown>;
      const { mcp } = haft;
      const wrong: unknown[] = [];
      let answered = 0;
      const asking = (async () => {
        while (!isOver) {
          const text = `hello-${answered++}`;
          const said = await call("good/echo", { text }).catch((error: unknown) => error);
          if (!JSON.stringify(said).includes(text)) wrong.push(said);
          await setImmediate();
        }
      })();

      const reported = await Promise.all(
        modes.map(async ([mode, expected]) => {
          const { connect, list } = expected;
          const outcome = await mcp
            .connect({ id: mode, ...server(mode, expected) })
            .catch((error: unknown) => error);
          const mayFail = connect !== undefined || (list !== undefined && !list.includes("ok"));
          if (mayFail === ToolError.is(outcome)) return [];
          return [`${mode}: ${ToolError.is(outcome) ? outcome.message : JSON.stringify(outcome)}`];
        }),
      );
      expect(reported.flat()).toEqual([]);

      const calls = mcp
        .list()
        .filter(({ id, tools }) => id !== "good" && tools.length > 0)
        .map(async ({ id }) => {
          const outcome = await call(`${id}/echo`, { text: "x" }).catch((error: unknown) => error);
          return outcome instanceof Error && !ToolError.is(outcome) ? [`${id}: ${outcome}`] : [];
        });
      expect(calls.length).toBeGreaterThan(30);
      expect((await Promise.all(calls)).flat()).toEqual([]);

      // Checks that the healthy server was called while the others failed.
      await waitFor(() => expect(answered).toBeGreaterThan(50));
      isOver = true;
      await asking;
      expect(wrong).toEqual([]);
      await waitFor(() => expect(mcp.list().find(({ id }) => id === "good")?.status).toBe("connected"));
    } finally {
      isOver = true;
      await haft?.close();
      const left = await survivors(mark);
      rmSync(home, { recursive: true, force: true });
      expect(left).toEqual([]);
    }
  },
);
