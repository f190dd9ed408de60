import * as Effect from "effect/Effect";
import { expect, onTestFinished, test } from "vitest";
import { sendRawRequest } from "../../../test/kit/host-scene.ts";
import { waitFor } from "../../../test/kit/wait-for.ts";
import { redactor } from "../../base/json/redact.ts";
import { memoryLedger } from "../../ledger/memory.ts";
import { Haft } from "../../runtime/haft.ts";
import { LedgerError } from "../../types/errors.ts";
import { createHealthCheck } from "./health.ts";
import { serveHttp } from "./serve.ts";

const scene = async () => {
  const state = { isUp: true };
  const store = memoryLedger({ redactor: redactor() });
  const ledger: typeof store = {
    ...store,
    entries: (query) =>
      state.isUp
        ? store.entries(query)
        : Effect.fail(new LedgerError("ledger_unavailable", "postgres://ada:c4nary@db is away")),
  };
  const haft = await Haft.open({ principal: { agent: "desk", allow: ["*"] }, ledger });
  onTestFinished(() => haft.close());
  return { haft, state };
};

test("reports a gateway with an unreadable ledger as live and not ready, without secrets", async () => {
  const { haft, state } = await scene();
  const host = await serveHttp(haft, {});
  onTestFinished(() => host.close());
  const get = (path: string) => sendRawRequest(host, { method: "GET", path });
  expect((await get("/healthz")).body).toEqual({ status: "ok" });
  state.isUp = false;
  await waitFor(async () => expect((await get("/readyz")).status).toBe(503));
  const { body, text } = await get("/readyz");
  expect(body).toMatchObject({ status: "not_ready", problems: [{ part: "ledger" }] });
  expect(text).not.toContain("c4nary");
  expect((await get("/healthz")).status).toBe(200);
  state.isUp = true;
  await waitFor(async () => expect((await get("/readyz")).status).toBe(200));
});

test("reads the ledger at most once a second", async () => {
  const { haft, state } = await scene();
  let at = 0;
  const health = createHealthCheck(
    () => haft,
    () => at,
  );
  expect((await health()).status).toBe("ok");
  state.isUp = false;
  expect((await health()).status).toBe("ok");
  at += 1_001;
  expect((await health()).status).toBe("failing");
});
