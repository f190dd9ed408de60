// Writes the ledger fixtures with the version of Haft that HAFT_SOURCE names (0.2.0).
//   HAFT_SOURCE=<checkout of 0.2.0> node --import ./haft-source.mjs write-ledgers.mjs <folder>
// The script starts itself again for processes that are killed with SIGKILL in the middle of their work.
import { execFile, fork } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Haft, textOf, tool } from "haft";
import { fleet, openPool, openWorker, remote } from "haft/fleet";
import { openLedger } from "haft/ledger";
import { codeMode } from "haft/sandbox";
import { agentHandler } from "haft/ui";
import { clerkPrincipal, fixtureAgent, fixtureModel, fixtureTools, renderDefinition } from "./tools.ts";

const run = promisify(execFile);
const source = process.env.HAFT_SOURCE ?? "";
const here = fileURLToPath(import.meta.url);
const key = Buffer.alloc(32, 2).toString("base64");
const oldKey = Buffer.alloc(32, 3).toString("base64");
const firstKey = "01".repeat(32);
const config = { approvals: { expireAfterMs: 315576e7 } };
const open = async (place2, options = {}) => {
  const { onEffect = () => {}, principal = clerkPrincipal, expireAfterMs } = options;
  const withFleet = options.fleet === true;
  const render = tool({ ...renderDefinition, implementation: remote("gpu") });
  return await Haft.open({
    tools: [...fixtureTools(onEffect), ...(withFleet ? [render] : [])],
    ledger: place2,
    principal,
    config: expireAfterMs === void 0 ? config : { approvals: { expireAfterMs } },
    ...(withFleet ? { fleet: fleet() } : {}),
  });
};
const callOf = (id, name2, input) => ({ id, tool: name2, input: JSON.stringify(input) });
const answer = async (place2, answers) => {
  const ledger = await openLedger(place2);
  for (const [id, decision] of answers) {
    const came = await ledger.answer(id, decision, { by: "grace" });
    if (came !== "answered") throw new Error(`The answer to ${id} came to ${came}.`);
  }
  await ledger.end();
};
const recordOf = async (place2, callId) => {
  const ledger = await openLedger(place2, { readOnly: true });
  const [entry] = await ledger.entries({ callId });
  if (entry === void 0) throw new Error(`There is no entry of ${callId}.`);
  const approval = (await ledger.approvals()).find((each) => each.entryId === entry.entryId);
  await ledger.end();
  return {
    callId,
    entryId: entry.entryId,
    runId: entry.runId,
    tool: entry.tool,
    state: entry.ending,
    ...(entry.code === void 0 ? {} : { code: entry.code }),
    ...(approval === void 0 ? {} : { approvalId: approval.id, approval: approval.status }),
  };
};
const runRecordOf = async (place2, runId) => {
  const ledger = await openLedger(place2, { readOnly: true });
  const found = await ledger.run(runId);
  if (found === void 0) throw new Error(`There is no run ${runId}.`);
  const approvals = await ledger.approvals({ runId });
  const entries = await ledger.entries({ runId });
  await ledger.end();
  return {
    runId,
    state: found.status,
    ...(found.reason === void 0 ? {} : { reason: found.reason }),
    isHeld: found.isHeld === true,
    messages: found.messages.length,
    approvals: approvals.map(({ id, status, tool: name2, callId }) => ({ id, status, tool: name2, callId })),
    entries: entries.map(({ entryId, callId, tool: name2, ending }) => ({
      entryId,
      callId,
      tool: name2,
      state: ending,
    })),
  };
};
const children = /* @__PURE__ */ new Map();
const killed = async (name2, place2, env = {}) => {
  const child = fork(here, ["--child", name2, place2], {
    env: { ...process.env, ...env },
    execArgv: process.execArgv,
  });
  const told = [];
  await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The child ${name2} is not ready.`)), 6e4);
    child.once("exit", (code) => reject(new Error(`The child ${name2} ended with ${code}.`)));
    child.on("message", (message) => {
      if (message.ready !== true) return void told.push(message);
      clearTimeout(timer);
      child.removeAllListeners("exit");
      resolve();
    });
  });
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
  return told;
};
const finished = (name2, place2, env) =>
  new Promise((resolve, reject) => {
    const child = fork(here, ["--child", name2, place2], {
      env: { ...process.env, ...env },
      execArgv: process.execArgv,
    });
    child.once("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`The child ${name2} ended with ${code}.`)),
    );
  });
const daysBack = Number(process.env.FIXTURE_DAYS_BACK ?? 0);
if (daysBack > 0) {
  const now = Date.now;
  Date.now = () => now() - daysBack * 864e5;
}
const tell = (message) => new Promise((resolve) => void process.send?.(message, () => resolve()));
const forever = () => new Promise(() => setInterval(() => {}, 1e3));
const barrier = (count) => {
  let reached = 0;
  return async () => {
    reached += 1;
    if (reached === count) setTimeout(() => void tell({ ready: true }), 500);
    return forever();
  };
};
const numberIn = (input) => Number(input.order);
children.set("killed-calls", async (place2) => {
  const hang = barrier(5);
  const haft = await open(place2, { onEffect: () => hang() });
  const going = [
    haft.turn([callOf("killed-charge", "charge", { order: 30 })]),
    haft.turn([callOf("killed-idempotent", "set_status", { order: 31 })]),
    haft.turn([callOf("killed-read", "lookup", { order: 32 })]),
    haft.call("charge", { order: 33 }, { idempotencyKey: "charge-33", correlationId: "keyed" }),
    haft.resume(process.env.FIXTURE_RESUME ?? ""),
  ];
  await Promise.all(going);
});
const interruptedRuns = async (place2, inputs, resume) => {
  const hang = barrier(Object.keys(inputs).length + (resume === void 0 ? 0 : 1));
  const stopOf = (order) => Object.entries(inputs).find(([input]) => input.includes(String(order)))?.[1];
  const haft = await open(place2, {
    onEffect: async ({ tool: effect, input, idempotencyKey }) => {
      await tell({ effect, input, idempotencyKey });
      if (stopOf(numberIn(input))?.({ effect }) === true) await hang();
      if (resume !== void 0 && effect === "refund") await hang();
    },
  });
  const before = async (messages) => {
    const asked = textOf(messages.findLast(({ role }) => role === "user") ?? { content: "" });
    const results = messages.filter(({ role }) => role === "tool").length;
    if (inputs[asked]?.({ results }) === true) await hang();
  };
  const clerk = fixtureAgent(fixtureModel(before));
  const going = Object.keys(inputs).map((input) => haft.run(clerk, input));
  if (resume !== void 0) going.push(haft.run(clerk, void 0, { resume }));
  await Promise.all(going);
};
children.set("killed-runs", (place2) =>
  interruptedRuns(
    place2,
    {
      "Charge order 47": ({ effect }) => effect === "charge",
      "Charge order 48": ({ results }) => results === 1,
      "Set order 49": ({ effect }) => effect === "set_status",
      "Charge order 51": ({ results }) => results === 0,
      "Charge order 52": ({ results }) => results === 2,
    },
    process.env.FIXTURE_RESUME,
  ),
);
children.set("running", async (place2) => {
  const hang = barrier(4);
  const haft = await open(place2, {
    onEffect: async ({ tool: effect }) => {
      if (effect !== "lookup") await hang();
    },
  });
  const before = async (messages) => {
    const asked = textOf(messages.findLast(({ role }) => role === "user") ?? { content: "" });
    if (asked.includes("62") && messages.some(({ role }) => role === "tool")) await hang();
  };
  const clerk = fixtureAgent(fixtureModel(before));
  await Promise.all([
    haft.turn([callOf("running-charge", "charge", { order: 60 })]),
    haft.turn([callOf("running-idempotent", "set_status", { order: 63 })]),
    haft.run(clerk, "Charge order 61"),
    haft.run(clerk, "Charge order 62"),
  ]);
});
children.set("killed-session", async (place2) => {
  const hang = barrier(1);
  const haft = await open(place2, {
    onEffect: async ({ tool: effect }) => {
      if (effect === "charge") await hang();
    },
  });
  const session = haft.session({ id: "conversation-3" });
  await session.turn([callOf("s3-lookup", "lookup", { order: 73 })]);
  await session.turn([callOf("s3-charge", "charge", { order: 73 })]);
});
children.set("killed-chat", async (place2) => {
  const hang = barrier(1);
  const haft = await open(place2, {
    onEffect: async ({ tool: effect }) => {
      if (effect === "charge") await hang();
    },
  });
  const say = chatPage(haft).say;
  await say("chat-interrupted", "m1", "Charge order 83");
});
children.set("killed-worker", async (place2) => {
  const hang = barrier(2);
  const haft = await open(place2, {
    fleet: true,
    onEffect: async ({ tool: effect }) => {
      if (effect === "charge") await hang();
    },
  });
  const before = async (messages) => {
    const asked = textOf(messages.findLast(({ role }) => role === "user") ?? { content: "" });
    if (asked.includes("92") && messages.some(({ role }) => role === "tool")) await hang();
  };
  await openWorker(haft, { agents: [fixtureAgent(fixtureModel(before))] });
  await forever();
});
children.set("old-month", async (place2) => {
  const haft = await open(place2);
  for (let number = 1; number <= 5; number += 1)
    await haft.turn([callOf(`old-${number}`, "charge", { order: number })]);
  if (process.env.FIXTURE_PENDING !== void 0)
    await haft.turn([callOf("older-pending", "refund", { order: 7 })]);
  await haft.close();
  process.exit(0);
});
children.set("pool", async (place2) => {
  const haft = await open(place2);
  const hang = barrier(1);
  const render = tool({ ...renderDefinition, run: () => hang() });
  await openPool(haft, { pool: "gpu", tools: [render] });
  await forever();
});
children.set("pool-running", async (place2) => {
  const haft = await open(place2, { fleet: true });
  await haft.turn([callOf("pool-running", "render", { what: "a fjord" })]);
});
children.set("pool-waiting", async (place2) => {
  const haft = await open(place2, { fleet: true });
  await haft.turn([callOf("pool-waiting", "render", { what: "a lake" })]);
});
const waitForPool = async (place2, state) => {
  const pg = createRequire(join(source, "package.json"))("pg");
  const client = new pg.Client({ connectionString: place2 });
  await client.connect();
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const { rows } = await client
      .query("SELECT 1 FROM haft_pool_jobs WHERE state = $1", [state])
      .catch(() => ({ rows: [] }));
    if (rows.length > 0) return void (await client.end());
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`No call of the pool is ${state}.`);
};
const writeCalls = async (place2, add, hasKey = true) => {
  await using haft = await open(place2);
  const before = await haft.turn([
    callOf("succeeded-read", "lookup", { order: 1 }),
    callOf("succeeded", "charge", { order: 2 }),
    callOf("failed", "charge", { order: 13 }),
    callOf("invalid-input", "charge", { order: "two" }),
    callOf("unknown-tool", "no_such_tool", {}),
    callOf("denied", "forbidden", { order: 1 }),
  ]);
  for (const { id, ok } of before) {
    add("calls", { ...(await recordOf(place2, id)), ok, expect: { action: "none" } });
  }
  const lost = {
    ok: false,
    error: true,
    effects: [],
    note: "Without a key no exact texts are kept, so the arguments are gone.",
  };
  const asked = [
    [
      "pending",
      "refund",
      { order: 3 },
      void 0,
      { action: "resume", decision: { kind: "allow" }, ok: true, effects: [["refund", { order: 3 }]] },
    ],
    [
      "pending-to-deny",
      "refund",
      { order: 9 },
      void 0,
      { action: "resume", decision: { kind: "deny", reason: "Not today." }, ok: false, effects: [] },
    ],
    [
      "pending-to-edit",
      "refund",
      { order: 10 },
      void 0,
      {
        action: "resume",
        decision: { kind: "edit", input: { order: 110 } },
        ok: true,
        effects: [["refund", { order: 110 }]],
      },
    ],
    [
      "pending-secret",
      "store_token",
      { owner: "bob", token: "sk-test-4242424242" },
      void 0,
      {
        action: "resume",
        decision: { kind: "allow" },
        ...(hasKey
          ? { ok: true, effects: [["store_token", { owner: "bob", token: "sk-test-4242424242" }]] }
          : lost),
      },
    ],
    [
      "approved",
      "refund",
      { order: 4 },
      { kind: "allow" },
      { action: "resume", ok: true, effects: [["refund", { order: 4 }]] },
    ],
    [
      "edited",
      "refund",
      { order: 5 },
      { kind: "edit", input: { order: 55 } },
      { action: "resume", ok: true, effects: [["refund", { order: 55 }]] },
    ],
    hasKey
      ? [
          "edited-secret",
          "store_token",
          { owner: "eve", token: "sk-test-1" },
          { kind: "edit", input: { owner: "eve", token: "sk-test-2" } },
          { action: "resume", ok: true, effects: [["store_token", { owner: "eve", token: "sk-test-2" }]] },
        ]
      : [
          "approved-secret",
          "store_token",
          { owner: "eve", token: "sk-test-1" },
          { kind: "allow" },
          { action: "resume", ...lost },
        ],
    [
      "refused",
      "delete_file",
      { path: "/srv/a.txt" },
      { kind: "deny", reason: "Keep it." },
      { action: "resume", ok: false, effects: [] },
    ],
  ];
  const replies = await haft.turn(asked.map(([id, name2, input]) => callOf(id, name2, input)));
  const idOf = (callId) => replies.find(({ id }) => id === callId)?.pending?.id ?? "";
  await answer(
    place2,
    asked.flatMap(([id, , , decision]) => (decision === void 0 ? [] : [[idOf(id), decision]])),
  );
  for (const [id, , input, decision, expect] of asked) {
    add("calls", {
      ...(await recordOf(place2, id)),
      input,
      ...(decision === void 0 ? {} : { decision }),
      expect,
    });
  }
  const [used, usedNo] = await haft.turn([
    callOf("approved-and-made", "refund", { order: 7 }),
    callOf("refused-and-closed", "refund", { order: 8 }),
  ]);
  await haft.resume(used?.pending?.id ?? "", { kind: "allow" }, { by: "grace" });
  await haft.resume(usedNo?.pending?.id ?? "", { kind: "deny", reason: "No." }, { by: "grace" });
  for (const id of ["approved-and-made", "refused-and-closed"]) {
    add("calls", { ...(await recordOf(place2, id)), expect: { action: "resume", error: true, effects: [] } });
  }
  const monday = { ...clerkPrincipal, session: "monday" };
  const [always] = await haft
    .as(monday)
    .turn([callOf("session-grant", "delete_file", { path: "/srv/b.txt" })]);
  await haft
    .as(monday)
    .resume(always?.pending?.id ?? "", { kind: "allow", always: "session" }, { by: "grace" });
  add("calls", {
    ...(await recordOf(place2, "session-grant")),
    principal: monday,
    expect: {
      action: "turn",
      principal: monday,
      calls: [{ id: "after-grant", tool: "delete_file", input: { path: "/srv/c.txt" } }],
      ok: true,
      effects: [["delete_file", { path: "/srv/c.txt" }]],
      note: "The approval holds for the session `monday`: this call needs no person.",
    },
  });
  const keyed = async (order, name2) => {
    await haft
      .call(name2, { order }, { idempotencyKey: `${name2}-${order}`, correlationId: `keyed-${order}` })
      .catch(() => void 0);
  };
  await keyed(20, "charge");
  await keyed(13, "charge");
  await keyed(21, "refund");
  const ledger = await openLedger(place2, { readOnly: true });
  const entries = (await ledger.entries()).filter(({ correlationId }) => correlationId?.startsWith("keyed-"));
  await ledger.end();
  for (const { callId, correlationId } of entries) {
    const order = Number(correlationId?.slice("keyed-".length));
    const repeat = { action: "repeat", tool: order === 21 ? "refund" : "charge", input: { order } };
    const idempotencyKey = `${repeat.tool}-${order}`;
    const expects = {
      20: { value: { order: 20, charged: true }, effects: [] },
      13: { error: true, effects: [] },
      21: { error: "still_running", effects: [], note: "The call waits for an approval." },
    };
    add("calls", {
      ...(await recordOf(place2, callId)),
      idempotencyKey,
      input: { order },
      expect: { ...repeat, idempotencyKey, ...expects[order] },
    });
    if (order !== 21) continue;
    const again = { ...(await recordOf(place2, callId)), idempotencyKey, input: { order } };
    const resumed = {
      action: "resume",
      decision: { kind: "allow" },
      ok: true,
      effects: [["refund", { order }]],
    };
    add("calls", { ...again, expect: resumed });
    add("calls", {
      ...again,
      expect: { ...repeat, idempotencyKey, value: { order, refunded: true }, effects: [] },
    });
  }
  await using brief = await open(place2, { expireAfterMs: 1 });
  await brief.turn([callOf("expired", "refund", { order: 6 })]);
  add("calls", {
    ...(await recordOf(place2, "expired")),
    expect: {
      action: "resume",
      decision: { kind: "allow" },
      ok: false,
      code: "approval_expired",
      effects: [],
    },
  });
};
const writeKilledCalls = async (place2, add) => {
  const haft = await open(place2);
  const [reply] = await haft.turn([callOf("killed-approved", "refund", { order: 34 })]);
  await haft.close();
  await answer(place2, [[reply?.pending?.id ?? "", { kind: "allow" }]]);
  await killed("killed-calls", place2, { FIXTURE_RESUME: reply?.pending?.id ?? "" });
  await recover(place2);
  const none = { action: "none" };
  for (const id of ["killed-charge", "killed-idempotent", "killed-read"]) {
    add("calls", { ...(await recordOf(place2, id)), expect: none });
  }
  const ledger = await openLedger(place2, { readOnly: true });
  const found = (await ledger.entries({ ending: "unknown" })).find(
    ({ correlationId }) => correlationId === "keyed",
  );
  await ledger.end();
  add("calls", {
    ...(await recordOf(place2, found?.callId ?? "")),
    idempotencyKey: "charge-33",
    input: { order: 33 },
    expect: {
      action: "repeat",
      tool: "charge",
      input: { order: 33 },
      idempotencyKey: "charge-33",
      error: "outcome_unknown",
      effects: [],
    },
  });
  add("calls", {
    ...(await recordOf(place2, "killed-approved")),
    input: { order: 34 },
    expect: {
      action: "resume",
      error: true,
      effects: [],
      note: "The approval was used: the call may have taken effect and is not made again.",
    },
  });
};
const recover = async (place2) => {
  const haft = await open(place2);
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (
      (await haft.log({ ending: "open" })).length === 0 &&
      !(await haft.runs()).some(({ isHeld }) => isHeld)
    )
      break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await haft.close();
};
const runIdOf = async (place2, input) => {
  const ledger = await openLedger(place2, { readOnly: true });
  try {
    for (const { runId } of await ledger.runs({ limit: 1e3 })) {
      const found = await ledger.run(runId);
      if (found?.messages.some((message) => message.role === "user" && textOf(message) === input))
        return runId;
    }
  } finally {
    await ledger.end();
  }
  throw new Error(`There is no run of "${input}".`);
};
const writeRuns = async (place2, add) => {
  const haft = await open(place2);
  const clerk = fixtureAgent();
  const done = await haft.run(clerk, "Charge order 40");
  add("runs", {
    ...(await runRecordOf(place2, done.runId)),
    input: "Charge order 40",
    content: done.content,
    expect: { action: "none" },
  });
  const allow = { kind: "allow" };
  const expectDone = (order, isDone, effects) => ({
    status: "done",
    content: `Order ${order}: ${isDone ? "done" : "not done"}.`,
    effects,
  });
  const waiting = async (input, decisions, expect) => {
    const response = await haft.run(clerk, input);
    const asked = response.pending.map(({ id }, index) => [id, decisions[index]]);
    await answer(
      place2,
      asked.flatMap(([id, decision]) => (decision === void 0 ? [] : [[id, decision]])),
    );
    add("runs", { ...(await runRecordOf(place2, response.runId)), input, expect });
  };
  await waiting("Refund order 41", [void 0], {
    action: "resume-run",
    answers: [allow],
    ...expectDone(41, true, [["refund", { order: 41 }]]),
  });
  await waiting("Refund order 42", [allow], {
    action: "resume-run",
    answers: [],
    ...expectDone(42, true, [["refund", { order: 42 }]]),
  });
  await waiting("Refund orders 43 and 44", [allow, void 0], {
    action: "resume-run",
    answers: [allow],
    status: "done",
    content: "Order 43: done. Order 44: done.",
    effects: [
      ["refund", { order: 43 }],
      ["refund", { order: 44 }],
    ],
    note: "The first approval is answered in the fixture, the second is not.",
  });
  await waiting("Refund order 45", [{ kind: "deny", reason: "No." }], {
    action: "resume-run",
    answers: [],
    ...expectDone(45, false, []),
  });
  const failed = await haft.run(clerk, "Fail now").catch((error) => error.response);
  add("runs", {
    ...(await runRecordOf(place2, failed?.runId ?? "")),
    input: "Fail now",
    expect: { action: "none" },
  });
  const left = await haft.run(clerk, "Refund order 46");
  await haft.giveUp(left.runId, { by: "grace" });
  add("runs", {
    ...(await runRecordOf(place2, left.runId)),
    input: "Refund order 46",
    expect: { action: "resume-run", answers: [], error: true, effects: [] },
  });
  const approved = await haft.run(clerk, "Refund order 50");
  await haft.close();
  await answer(place2, [[approved.pending[0]?.id ?? "", allow]]);
  const told = await killed("killed-runs", place2, { FIXTURE_RESUME: approved.runId });
  await recover(place2);
  const statusKey = told.find(({ effect }) => effect === "set_status")?.idempotencyKey;
  const interrupted = {
    "Charge order 47": {
      ...expectDone(47, false, []),
      note: "Killed in the code of charge: unknown, not made again.",
    },
    "Charge order 48": {
      ...expectDone(48, true, [["charge", { order: 48 }]]),
      note: "Killed before the second answer of the model.",
    },
    "Set order 49": {
      ...expectDone(49, true, [["set_status", { order: 49 }, statusKey]]),
      note: "Killed in an idempotent tool: made again with the same idempotency key.",
    },
    "Charge order 51": {
      ...expectDone(51, true, [
        ["lookup", { order: 51 }],
        ["charge", { order: 51 }],
      ]),
      note: "Killed before the first answer of the model.",
    },
    "Charge order 52": {
      ...expectDone(52, true, []),
      note: "Killed before the last answer of the model: nothing is made again.",
    },
    "Refund order 50": {
      ...expectDone(50, false, []),
      note: "Killed in the code of the approved call: unknown, not made again.",
    },
  };
  for (const [input, expect] of Object.entries(interrupted)) {
    const runId = await runIdOf(place2, input);
    add("runs", {
      ...(await runRecordOf(place2, runId)),
      input,
      expect: { action: "resume-run", answers: [], ...expect },
    });
  }
};
const writeRunning = async (place2, add) => {
  const haft = await open(place2);
  await haft.turn([callOf("before", "lookup", { order: 1 })]);
  await haft.close();
  await killed("running", place2);
  for (const id of ["running-charge", "running-idempotent"]) {
    add("calls", {
      ...(await recordOf(place2, id)),
      stateInTable: "open",
      expect: { action: "none", stateAfterOpen: "unknown" },
    });
  }
  const runs = {
    "Charge order 61": { status: "done", content: "Order 61: not done.", effects: [] },
    "Charge order 62": { status: "done", content: "Order 62: done.", effects: [["charge", { order: 62 }]] },
  };
  for (const [input, expect] of Object.entries(runs)) {
    const runId = await runIdOf(place2, input);
    add("runs", {
      ...(await runRecordOf(place2, runId)),
      input,
      expect: { action: "resume-run", answers: [], ...expect },
    });
  }
  add("notes", {
    note: "haft_owners still has the row of the killed process; its host is replaced by `fixture-host`. In SQLite such an owner, of a host that is not this one, counts as dead after 60 seconds of silence. Set haft_owners.host to that of the test's own process and pid to one that is not running to have it judged at once. In PostgreSQL the owner's connection is gone, so it is dead within a second, whatever lease_until says; hold the owner's advisory lock and set lease_until to the server's time + 30 to test a lease that has not expired.",
  });
};
const writeSessions = async (place2, add) => {
  const haft = await open(place2);
  const one = haft.session({ id: "conversation-1", budget: { calls: 20 } });
  await one.turn([callOf("s1-lookup", "lookup", { order: 70 })]);
  await one.turn([callOf("s1-page", "read_page", { url: "https://shop.example/terms" })]);
  const replies = await one.turn([
    callOf("s1-mail", "send_mail", { to: "ada@shop.example" }),
    callOf("s1-refund", "refund", { order: 71 }),
    callOf("s1-approved", "refund", { order: 72 }),
  ]);
  const approvals = Object.fromEntries(replies.map(({ id, pending }) => [id, pending?.id ?? ""]));
  const two = haft.session({ id: "conversation-2" });
  await two.turn([callOf("s2-lookup", "lookup", { order: 74 })]);
  await two.end();
  await haft.close();
  await answer(place2, [[approvals["s1-approved"] ?? "", { kind: "allow" }]]);
  await killed("killed-session", place2);
  await recover(place2);
  const calls = async (ids) => Promise.all(ids.map((id) => recordOf(place2, id)));
  const call = (id, name2, input) => ({ id, tool: name2, input });
  add("sessions", {
    id: "conversation-1",
    state: "open",
    budget: { calls: 20 },
    calls: await calls(["s1-lookup", "s1-page", "s1-mail", "s1-refund", "s1-approved"]),
    expect: {
      steps: [
        {
          action: "session-turn",
          calls: [call("s1-lookup", "lookup", { order: 70 })],
          ok: [true],
          effects: [],
          note: "A replayed result.",
        },
        {
          action: "session-turn",
          calls: [call("s1-approved", "refund", { order: 72 })],
          ok: [true],
          effects: [["refund", { order: 72 }]],
        },
        {
          action: "session-turn",
          calls: [call("s1-refund", "refund", { order: 71 })],
          pending: [true],
          effects: [],
        },
        {
          action: "session-answer",
          callId: "s1-refund",
          decision: { kind: "allow" },
          ok: true,
          effects: [["refund", { order: 71 }]],
        },
        {
          action: "session-turn",
          calls: [call("s1-mail-2", "send_mail", { to: "bob@shop.example" })],
          pending: [true],
          effects: [],
          note: "The session has read a page of the web, so a sink needs a person.",
        },
        {
          action: "session-answer",
          callId: "s1-mail",
          decision: { kind: "allow" },
          ok: true,
          effects: [["send_mail", { to: "ada@shop.example" }]],
        },
      ],
    },
  });
  add("sessions", {
    id: "conversation-2",
    state: "ended",
    calls: await calls(["s2-lookup"]),
    expect: {
      steps: [
        {
          action: "session-turn",
          calls: [call("s2-lookup", "lookup", { order: 74 })],
          ok: [false],
          effects: [],
          note: "A session that has ended makes no calls: another id is needed.",
        },
      ],
    },
  });
  add("sessions", {
    id: "conversation-3",
    state: "interrupted",
    calls: await calls(["s3-lookup", "s3-charge"]),
    expect: {
      steps: [
        {
          action: "session-turn",
          calls: [call("s3-charge", "charge", { order: 73 })],
          ok: [false],
          effects: [],
          note: "Killed in the code of charge: unknown, not made again.",
        },
        {
          action: "session-turn",
          calls: [call("s3-lookup", "lookup", { order: 73 })],
          ok: [true],
          effects: [],
        },
      ],
    },
  });
};
const chatPage = (haft) => {
  const handle = agentHandler(haft, fixtureAgent(), { principal: () => clerkPrincipal });
  const base = "http://chat.test/api/chat";
  const headers = { "content-type": "application/json", origin: "http://chat.test", host: "chat.test" };
  const read = async (path, init = {}) => {
    const response = await handle(new Request(`${base}${path}`, { ...init, headers }));
    return { status: response.status, text: await response.text() };
  };
  const say = async (id, messageId, words) => {
    const message = { id: messageId, role: "user", parts: [{ type: "text", text: words }] };
    const body = JSON.stringify({ id, messages: [message], trigger: "submit-message" });
    const came = await read("", { method: "POST", body });
    if (came.status !== 200) throw new Error(`The chat says ${came.status}: ${came.text}`);
    return came;
  };
  return { read, say };
};
const writeChats = async (place2, add) => {
  const haft = await open(place2);
  const { read, say } = chatPage(haft);
  await say("chat-done", "m1", "Charge order 80");
  await say("chat-done", "m2", "Hello there");
  await say("chat-waiting", "m1", "Refund order 81");
  await say("chat-answered", "m1", "Refund order 82");
  await say("chat-deleted", "m1", "Charge order 84");
  await read("/chat-deleted", { method: "DELETE" });
  await haft.close();
  const ledger = await openLedger(place2, { readOnly: true });
  const approvals = await ledger.approvals({ status: "waiting" });
  await ledger.end();
  const asked = approvals.find(({ input }) => numberIn(input) === 82);
  await answer(place2, [[asked?.id ?? "", { kind: "allow" }]]);
  await killed("killed-chat", place2);
  await recover(place2);
  const later = await open(place2);
  const page = chatPage(later);
  const shown = async (id) => {
    const { status, text } = await page.read(`/${id}`);
    return { id, status, ...(status === 200 ? { messages: JSON.parse(text).messages } : {}) };
  };
  const expects = {
    "chat-done": {
      action: "chat-say",
      message: ["m3", "Charge order 85"],
      includes: "Order 85: done.",
      effects: [
        ["lookup", { order: 85 }],
        ["charge", { order: 85 }],
      ],
    },
    "chat-waiting": {
      action: "chat-answer",
      approved: true,
      includes: "Order 81: done.",
      effects: [["refund", { order: 81 }]],
    },
    "chat-answered": {
      action: "chat-stream",
      includes: "Order 82: done.",
      effects: [["refund", { order: 82 }]],
    },
    "chat-interrupted": { action: "chat-stream", includes: "Order 83: not done.", effects: [] },
    "chat-deleted": { action: "chat-show", status: 404, effects: [] },
  };
  for (const [id, expect] of Object.entries(expects)) add("chats", { ...(await shown(id)), expect });
  await later.close();
};
const writePruned = async (place2, add) => {
  const haft = await open(place2);
  for (let number = 1; number <= 5; number += 1)
    await haft.turn([callOf(`old-${number}`, "charge", { order: number })]);
  await haft.turn([callOf("old-pending", "refund", { order: 6 })]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const before = /* @__PURE__ */ new Date();
  await new Promise((resolve) => setTimeout(resolve, 20));
  for (let number = 1; number <= 3; number += 1)
    await haft.turn([callOf(`new-${number}`, "charge", { order: 100 + number })]);
  await haft.close();
  const ledger = await openLedger(place2);
  const pruned = await ledger.prune(before);
  const kept = (await ledger.entries()).map(({ callId }) => callId);
  await ledger.end();
  add("notes", { pruned, kept });
  for (const id of ["new-1", "new-2", "new-3"])
    add("calls", { ...(await recordOf(place2, id)), expect: { action: "none" } });
  if (kept.includes("old-pending")) {
    add("calls", {
      ...(await recordOf(place2, "old-pending")),
      expect: {
        action: "resume",
        decision: { kind: "allow" },
        ok: true,
        effects: [["refund", { order: 6 }]],
      },
    });
  }
};
const writePrunedMonths = async (place2, add) => {
  await finished("old-month", place2, { FIXTURE_DAYS_BACK: "100" });
  await finished("old-month", place2, { FIXTURE_DAYS_BACK: "35", FIXTURE_PENDING: "1" });
  const haft = await open(place2);
  for (let number = 1; number <= 3; number += 1)
    await haft.turn([callOf(`new-${number}`, "charge", { order: 100 + number })]);
  await haft.close();
  const ledger = await openLedger(place2);
  const pruned = await ledger.prune(new Date(Date.now() - 60 * 864e5));
  const kept = (await ledger.entries()).map(({ callId, entryId }) => [callId, entryId]);
  await ledger.end();
  add("notes", { pruned, entriesKept: kept });
  for (const id of ["new-1", "new-2", "new-3"])
    add("calls", { ...(await recordOf(place2, id)), expect: { action: "none" } });
  add("calls", {
    ...(await recordOf(place2, "older-pending")),
    expect: { action: "resume", decision: { kind: "allow" }, ok: true, effects: [["refund", { order: 7 }]] },
  });
};
const writeRotated = async (file, add) => {
  const place2 = `sqlite:${file}`;
  writeKey(
    file,
    `${oldKey}
`,
  );
  const one = await open(place2);
  await one.turn([callOf("old-key", "store_token", { owner: "bob", token: "sk-test-old" })]);
  await one.turn([callOf("old-key-done", "charge", { order: 1 })]);
  await one.close();
  writeKey(
    file,
    `${key}
${oldKey}
`,
  );
  const two = await open(place2);
  await two.turn([callOf("new-key", "store_token", { owner: "eve", token: "sk-test-new" })]);
  await two.close();
  for (const [id, owner, token] of [
    ["old-key", "bob", "sk-test-old"],
    ["new-key", "eve", "sk-test-new"],
  ]) {
    const input = { owner, token };
    add("calls", {
      ...(await recordOf(place2, id)),
      input,
      expect: { action: "resume", decision: { kind: "allow" }, ok: true, effects: [["store_token", input]] },
    });
  }
  add("calls", { ...(await recordOf(place2, "old-key-done")), expect: { action: "none" } });
};
const writeLong = async (place2, add) => {
  const token = "long ".repeat(6e4);
  const haft = await open(place2);
  await haft.turn([callOf("long", "store_token", { owner: "bob", token })]);
  await haft.close();
  add("calls", {
    ...(await recordOf(place2, "long")),
    input: { owner: "bob", token: "60,000 times `long ` (with the space)" },
    expect: {
      action: "resume",
      decision: { kind: "allow" },
      ok: true,
      effects: [["store_token", { owner: "bob", token: { repeat: "long ", times: 6e4 } }]],
    },
  });
};
const writeMigrated = async (file, add) => {
  const database = new DatabaseSync(file);
  database.exec(readFileSync(join(source, "test/fixtures/ledger-0.1.0.sqlite.sql"), "utf8"));
  database.close();
  writeKey(
    file,
    `${firstKey}
`,
  );
  const ledger = await openLedger(`sqlite:${file}`);
  const entries = await ledger.entries();
  await ledger.end();
  const haft = await open(`sqlite:${file}`);
  await haft.turn([callOf("after-migration", "charge", { order: 1 })]);
  await haft.close();
  add("notes", {
    note: "Written by 0.1.0, migrated and written to by 0.2.0.",
    entries: entries.map(({ entryId, ending }) => ({ entryId, state: ending })),
  });
  add("calls", { ...(await recordOf(`sqlite:${file}`, "after-migration")), expect: { action: "none" } });
};
const openWithOwnTools = async (place2) => {
  const tools = fixtureTools(() => {});
  const programs = codeMode({ tools: tools.filter(({ spec }) => ["lookup", "refund"].includes(spec.name)) });
  return await Haft.open({
    tools: [...tools, programs],
    skills: ["file-write"],
    ledger: place2,
    principal: clerkPrincipal,
    config: { ...config, skills: { files: { write: ["."] } } },
    policy: {
      rules: [
        { effect: "allow", tools: ["*"] },
        { effect: "approve", tools: ["file-write"] },
      ],
    },
  });
};
const program =
  "const { cents } = await tools.lookup({ order: 201 }); const { refunded } = await tools.refund({ order: 201 }); return { cents, refunded };";
const writeOwnTools = async (place2, add) => {
  const haft = await openWithOwnTools(place2);
  const [waiting, file] = await haft.turn([
    callOf("program", "run-code", { source: program }),
    callOf("built-in", "file-write", { path: "./written.txt", content: "Hello." }),
  ]);
  if (waiting?.pending === void 0 || file?.pending === void 0)
    throw new Error(JSON.stringify([waiting, file]));
  await haft.close();
  const ledger = await openLedger(place2, { readOnly: true });
  const approvals = await ledger.approvals();
  const entries = await ledger.entries();
  await ledger.end();
  const approvalOf = (name2) => approvals.find(({ tool: each }) => each === name2);
  add("calls", {
    ...(await recordOf(place2, "program")),
    approvals: approvals.map(({ id, tool: name2, status, waitsFor }) => ({
      id,
      tool: name2,
      status,
      waitsFor,
    })),
    entries: entries.map(({ entryId, callId, tool: name2, ending, parentId }) => ({
      entryId,
      callId,
      tool: name2,
      state: ending,
      parentId,
    })),
    source: program,
    expect: {
      action: "resume-program",
      answer: approvalOf("refund")?.id,
      decision: { kind: "allow" },
      entry: "program",
      stateAfter: "executed",
      includes: '{"cents":1990,"refunded":true}',
      effects: [["refund", { order: 201 }]],
      note: "lookup is not called again: its result is in the journal.",
    },
  });
  add("calls", {
    ...(await recordOf(place2, "built-in")),
    expect: {
      action: "resume-built-in",
      decision: { kind: "allow" },
      ok: true,
      writes: ["written.txt", "Hello."],
    },
  });
};
const writeRecorded = async (place2, add) => {
  const haft = await Haft.open({
    tools: fixtureTools(() => {}),
    ledger: place2,
    principal: clerkPrincipal,
    config: { ...config, ledger: { keepPayloads: true } },
  });
  const done = await haft.run(fixtureAgent(), "Charge order 210");
  await haft.hydrate([callOf("hydrated", "charge", { order: 211 })]);
  await tellHydrated(place2, add, done.runId, done.content);
  await haft.close();
};
const tellHydrated = async (place2, add, runId, content) => {
  add("runs", {
    ...(await runRecordOf(place2, runId)),
    input: "Charge order 210",
    content,
    expect: { action: "none" },
  });
  add("calls", { ...(await recordOf(place2, "hydrated")), expect: { action: "none" } });
};
const writeChains = async (place2, add) => {
  const stores = await Promise.all([open(place2), open(place2), open(place2)]);
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(
      stores.map((haft, index) => haft.turn([callOf(`chain-${index}-${round}`, "lookup", { order: index })])),
    );
    const ledger2 = await openLedger(place2);
    await ledger2.anchor();
    await ledger2.end();
  }
  for (const haft of stores) await haft.close();
  const ledger = await openLedger(place2);
  const anchors = await ledger.anchors();
  const rows = await ledger.rows({ limit: 1e5 });
  await ledger.end();
  const chains = new Set(rows.map(({ chain }) => chain));
  add("notes", { note: "Chains and anchors", chains: [...chains], anchors });
};
const writeFleet = async (place2, add) => {
  const front = await open(place2, { fleet: true });
  const clerk = fixtureAgent();
  const submit = (input, options = {}) => front.submit(clerk, input, options);
  const worker = await openWorker(await open(place2, { fleet: true }), { agents: [clerk], sweepMs: 500 });
  const done = await submit("Charge order 90");
  await front.wait(done.runId, { untilEnded: true });
  const waiting = await submit("Refund order 91");
  await front.wait(waiting.runId);
  const answered = await submit("Refund order 97");
  const { pending } = await front.wait(answered.runId);
  const schedule = await submit("Charge order 99", {
    schedule: "0 3 1 1 *",
    timezone: "Europe/Oslo",
    key: "yearly",
  });
  await worker.drain();
  await answer(place2, [[pending[0]?.id ?? "", { kind: "allow" }]]);
  const began = await submit("Charge order 92");
  const inEffect = await submit("Charge order 93");
  await killed("killed-worker", place2);
  const queued = await submit("Charge order 94", { key: "charge-94" });
  const delayed = await submit("Charge order 95", { delay: "1 second", priority: "low", tenant: "acme" });
  await front.close();
  const fleetRun = async (runId, input, state, expect) =>
    add("fleet", { ...(await runRecordOf(place2, runId)), input, fleetState: state, expect });
  const ended = (order, isDone, effects) => ({
    action: "fleet-wait",
    status: "done",
    content: `Order ${order}: ${isDone ? "done" : "not done"}.`,
    effects,
  });
  await fleetRun(done.runId, "Charge order 90", "finished", ended(90, true, []));
  await fleetRun(waiting.runId, "Refund order 91", "waiting for an approval", {
    ...ended(91, true, [["refund", { order: 91 }]]),
    answers: [{ kind: "allow" }],
  });
  await fleetRun(
    answered.runId,
    "Refund order 97",
    "approved, not continued",
    ended(97, true, [["refund", { order: 97 }]]),
  );
  await fleetRun(
    began.runId,
    "Charge order 92",
    "in progress: the worker was killed before the second answer of the model",
    ended(92, true, [["charge", { order: 92 }]]),
  );
  await fleetRun(
    inEffect.runId,
    "Charge order 93",
    "in progress: the worker was killed in the code of charge",
    ended(93, false, []),
  );
  await fleetRun(
    queued.runId,
    "Charge order 94",
    "submitted, not started; key charge-94",
    ended(94, true, [
      ["lookup", { order: 94 }],
      ["charge", { order: 94 }],
    ]),
  );
  await fleetRun(
    delayed.runId,
    "Charge order 95",
    "submitted with a delay, not started",
    ended(95, true, [
      ["lookup", { order: 95 }],
      ["charge", { order: 95 }],
    ]),
  );
  add("fleet", {
    runId: schedule.runId,
    fleetState: "schedule",
    cron: "0 3 1 1 *",
    timezone: "Europe/Oslo",
    expect: { action: "fleet-schedule", effects: [] },
  });
};
const writePool = async (place2, add) => {
  const start = (name2) =>
    fork(here, ["--child", name2, place2], { env: process.env, execArgv: process.execArgv });
  const stop = (child) => {
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    return gone;
  };
  const caller = start("pool-running");
  const pool = start("pool");
  await new Promise((resolve) => pool.on("message", () => resolve()));
  await stop(pool);
  await stop(caller);
  const other = start("pool-waiting");
  await waitForPool(place2, "waiting");
  await new Promise((resolve) => setTimeout(resolve, 500));
  await stop(other);
  for (const [id, poolState] of [
    ["pool-running", "running"],
    ["pool-waiting", "waiting"],
  ]) {
    add("fleet", {
      ...(await recordOf(place2, id)),
      stateInTable: "open",
      fleetState: `a call of the pool gpu: ${poolState}; caller and pool were killed`,
      expect: { action: "pool-open", pool: "gpu", stateAfterOpen: "unknown", effects: [] },
    });
  }
};
const writeKey = (file, text) => {
  writeFileSync(`${file}.key`, text, { mode: 384 });
  chmodSync(`${file}.key`, 384);
};
const fixtureHost = "fixture-host 00000000-0000-4000-8000-000000000000 pid:[1]";
const hosts = / [0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12} pid:\[\d+\]/;
const checkpoint = (file) => {
  const database = new DatabaseSync(file);
  database.prepare("UPDATE haft_owners SET host = ?").run(fixtureHost);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  for (const end of ["-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
};
const main = async (folder) => {
  mkdirSync(folder, { recursive: true });
  const fixtures = [];
  const only = process.env.FIXTURE_ONLY?.split(",");
  const isWanted = (name2) => only === void 0 || only.includes(name2);
  const record = (file, keys, holds) => {
    const fixture = { file, keys, holds };
    fixtures.push(fixture);
    return (kind, each) => {
      fixture[kind] ??= [];
      fixture[kind].push(each);
    };
  };
  const sqlite = async (name2, holds, write, keys = [key]) => {
    if (!isWanted(`${name2}.db`)) return;
    const file = join(folder, `${name2}.db`);
    for (const end of ["", "-wal", "-shm", ".key", ".blobs"])
      rmSync(`${file}${end}`, { force: true, recursive: true });
    writeKey(
      file,
      `${keys.join("\n")}
`,
    );
    await write(`sqlite:${file}`, record(`${name2}.db`, keys, holds), file);
    checkpoint(file);
    process.stdout.write(`${name2}.db
`);
  };
  delete process.env.HAFT_LEDGER_KEY;
  await sqlite(
    "calls",
    "Calls outside of a run in every state that a living process leaves; approvals in every state; idempotency keys.",
    writeCalls,
  );
  await sqlite(
    "killed",
    "Calls whose process was killed in the code of the tool, closed as unknown by 0.2.0.",
    writeKilledCalls,
  );
  await sqlite(
    "running",
    "Calls and runs whose process was killed, not opened by any process since.",
    writeRunning,
  );
  await sqlite(
    "runs",
    "Runs of an agent: finished, failed, given up, waiting for approvals, interrupted.",
    writeRuns,
  );
  await sqlite("sessions", "Conversations of a foreign loop (haft.session).", writeSessions);
  await sqlite("chats", "Chats of agentHandler.", writeChats);
  await sqlite("pruned", "A ledger whose oldest rows were pruned.", writePruned);
  await sqlite(
    "rotated",
    "Rows and sealed texts under two keys.",
    (_, add, file) => writeRotated(file, add),
    [key, oldKey],
  );
  await sqlite("long", "A sealed text in a file beside the database (long.db.blobs).", writeLong);
  await sqlite(
    "migrated",
    "A ledger of 0.1.0 that 0.2.0 migrated.",
    (_, add, file) => writeMigrated(file, add),
    [firstKey],
  );
  await sqlite(
    "own-tools",
    "A program of run-code that waits for an approval, and a call of a built-in tool that does.",
    writeOwnTools,
  );
  await sqlite(
    "recorded",
    "A run whose exact texts are kept (keepPayloads), and a call that was hydrated and not run.",
    writeRecorded,
  );
  const { startPostgres } = await import(pathToFileURL(join(source, "test/kit/postgres.ts")).href);
  if (only === void 0 || only.some((name2) => name2.endsWith(".sql"))) {
    await using server = await startPostgres([], 14);
    const postgres = async (name2, keys, holds, write) => {
      if (!isWanted(`${name2}.sql`)) return;
      const url = await server.createDatabase(`fixture_${name2.replaceAll(/\W/g, "_")}`);
      if (keys.length === 0) delete process.env.HAFT_LEDGER_KEY;
      else process.env.HAFT_LEDGER_KEY = keys.join(",");
      await write(url, record(`${name2}.sql`, keys, holds));
      await dump(url, join(folder, `${name2}.sql`));
      process.stdout.write(`${name2}.sql
`);
    };
    await postgres(
      "postgres",
      [key],
      "Calls, killed calls, runs, sessions and chats, several chains and anchors, in one database.",
      async (place2, add) => {
        await writeCalls(place2, add);
        await writeKilledCalls(place2, add);
        await writeRuns(place2, add);
        await writeSessions(place2, add);
        await writeChats(place2, add);
        await writeChains(place2, add);
      },
    );
    await postgres(
      "postgres-running",
      [key],
      "Calls and runs whose process was killed, not opened by any process since.",
      writeRunning,
    );
    await postgres(
      "postgres-no-key",
      [],
      "Calls in a ledger without a key: no MACs, and no exact texts are kept.",
      (place2, add) => writeCalls(place2, add, false),
    );
    await postgres("postgres-pruned", [key], "A ledger whose oldest rows were pruned.", writePruned);
    await postgres(
      "postgres-months",
      [key],
      "A ledger of several months, of which the oldest was dropped by pruning.",
      writePrunedMonths,
    );
    await postgres(
      "postgres-fleet",
      [key],
      "Submitted runs, a schedule and calls of a pool, with the queue of pg-boss (schema haft_jobs).",
      async (place2, add) => {
        await writeFleet(place2, add);
        await writePool(place2, add);
      },
    );
  }
  const manifestFile = join(folder, "manifest.json");
  const earlier =
    only !== void 0 && existsSync(manifestFile)
      ? JSON.parse(readFileSync(manifestFile, "utf8")).fixtures
      : [];
  const all = [...earlier.filter(({ file }) => !fixtures.some((each) => each.file === file)), ...fixtures];
  const head = {
    writtenBy: "0.2.0 (37ab94a3)",
    principal: clerkPrincipal,
    tools: "tools.ts: fixtureTools, fixtureAgent, renderDefinition",
    approver: "grace",
    expiresAfter: "100 years, except the call `expired`",
  };
  writeFileSync(
    manifestFile,
    `${JSON.stringify({ ...head, fixtures: all }, null, 2)}
`,
  );
};
const dump = async (url, file) => {
  const flags = [
    "--dbname",
    url,
    "--inserts",
    "--rows-per-insert=50",
    "--no-owner",
    "--no-privileges",
    "--no-comments",
    "--quote-all-identifiers",
  ];
  const { stdout } = await run("pg_dump", flags, { maxBuffer: 64 * 2 ** 20 });
  const lines = stdout
    .split("\n")
    .filter((line) => !/^(--|\\(un)?restrict|SET (transaction_timeout|idle_in_transaction)|$)/.test(line));
  const owner = new RegExp(`'[^' ]*${hosts.source}'`, "g");
  writeFileSync(
    file,
    `${lines.join("\n").replaceAll(owner, `'${fixtureHost}'`)}
`,
  );
};
const [first = "", name = "", place = ""] = process.argv.slice(2);
if (first === "--child") {
  const child = children.get(name);
  if (child === void 0) throw new Error(`There is no child ${name}.`);
  await child(place);
} else {
  await main(first === "" ? process.cwd() : first);
  process.exit(0);
}
