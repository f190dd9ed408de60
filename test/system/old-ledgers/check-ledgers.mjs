// Opens a copy of every fixture with the version of Haft that HAFT_SOURCE names, and holds what happens against manifest.json.
//   HAFT_SOURCE=<checkout> node --import ./haft-source.mjs check-ledgers.mjs <folder of the fixtures> [fixture ...]
// FOREIGN_OWNER=1 leaves the owner of running.db as that of another machine (60 seconds longer).
// POSTGRES_VERSION=14|18 (18 unless set). SHOW=1 prints everything that was observed. HAFT_KIT: a checkout with test/kit/postgres.ts,
// if HAFT_SOURCE has none.
import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { hostname, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { Haft, tool } from "haft";
import { fleet, openWorker } from "haft/fleet";
import { openLedger } from "haft/ledger";
import { codeMode } from "haft/sandbox";
import { clerkPrincipal, fixtureAgent, fixtureTools, renderDefinition } from "./tools.ts";

const source = process.env.HAFT_SOURCE ?? "";
const [named = ".", ...wanted] = process.argv.slice(2);
const folder = resolve(named);
const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
const { agentHandler } = await import("haft/ui").catch(() => import("haft/chat"));
let problems = 0;
let checks = 0;
const say = (line) =>
  void process.stdout.write(`${line}
`);
const check = (what, isRight, seen) => {
  checks += 1;
  if (isRight && process.env.SHOW === void 0) return;
  if (!isRight) problems += 1;
  say(
    `  ${isRight ? "ok  " : "FAIL"} ${what}${seen === void 0 ? "" : `: ${JSON.stringify(seen)?.slice(0, 600)}`}`,
  );
};
const cli = (words, env = {}) =>
  new Promise((resolve2) => {
    execFile(
      process.execPath,
      ["--no-warnings", join(source, "src/cli/main.ts"), ...words],
      { env: { ...process.env, NODE_OPTIONS: "", ...env }, maxBuffer: 2 ** 26, timeout: 12e4 },
      (failure, out, error) =>
        resolve2({ code: failure === null ? 0 : Number(failure.code ?? -1), out, error }),
    );
  });
const effects = [];
const rendered = [];
const open = async (place, principal = clerkPrincipal, withFleet = false) => {
  const render = tool({ ...renderDefinition, run: (input) => void rendered.push(input) });
  return await Haft.open({
    tools: [...fixtureTools((effect) => void effects.push(effect)), ...(withFleet ? [render] : [])],
    ledger: place,
    principal,
    ...(withFleet ? { fleet: fleet() } : {}),
  });
};
const areEffects = (expected, since) => {
  if (expected === "any") return true;
  const left = effects.slice(since);
  for (const [name, given, key] of expected) {
    const input =
      typeof given?.token === "object"
        ? { ...given, token: given.token.repeat.repeat(given.token.times) }
        : given;
    const at = left.findIndex(
      (each) =>
        each.tool === name &&
        isDeepStrictEqual(each.input, input) &&
        (key === void 0 || each.idempotencyKey === key),
    );
    if (at < 0) return false;
    left.splice(at, 1);
  }
  return left.length === 0;
};
const seenEffects = (since) =>
  effects
    .slice(since)
    .map(({ tool: name, input, idempotencyKey }) => [
      name,
      JSON.stringify(input).slice(0, 80),
      idempotencyKey,
    ]);
const settled = async (promise) =>
  promise.then(
    (value) => ({ value }),
    (error) => ({ error }),
  );
const toCall = ({ id, tool: name, input }) => ({ id, tool: name, input: JSON.stringify(input) });
const chatPage = (haft) => {
  const handle = agentHandler(haft, fixtureAgent(), { principal: () => clerkPrincipal });
  const headers = { "content-type": "application/json", origin: "http://chat.test", host: "chat.test" };
  return async (path, body) => {
    const init = body === void 0 ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await handle(new Request(`http://chat.test/api/chat${path}`, { ...init, headers }));
    return { status: response.status, text: await response.text() };
  };
};
const states = async (place, fixture) => {
  const ledger = await openLedger(place);
  const all = [
    ...(fixture.calls ?? []),
    ...(fixture.sessions ?? []).flatMap((each) => each.calls),
    ...(fixture.fleet ?? []).filter((each) => each.entryId),
  ];
  const until = performance.now() + 9e4;
  for (const each of all) {
    const wantedState = each.expect?.stateAfterOpen ?? each.state;
    let [entry] = await ledger.entries({ entryId: each.entryId });
    while (entry?.ending === "open" && performance.now() < until) {
      await new Promise((resolve2) => setTimeout(resolve2, 500));
      [entry] = await ledger.entries({ entryId: each.entryId });
    }
    check(`call ${each.callId} is ${wantedState}`, entry?.ending === wantedState, entry?.ending);
    if (each.approvalId !== void 0) {
      const approval = (await ledger.approvals()).find(({ id }) => id === each.approvalId);
      check(
        `approval of ${each.callId} is ${each.approval}`,
        approval?.status === each.approval,
        approval?.status,
      );
    }
  }
  for (const each of [
    ...(fixture.runs ?? []),
    ...(fixture.fleet ?? []).filter((one) => one.state && one.input),
  ]) {
    const found = await ledger.run(each.runId);
    check(`run ${each.input} is ${each.state}`, found?.status === each.state, found?.status);
    check(
      `run ${each.input} has ${each.messages} messages`,
      found?.messages.length === each.messages,
      found?.messages.length,
    );
  }
  for (const each of fixture.notes ?? []) {
    for (const callId of each.kept ?? [])
      check(`${callId} is kept`, (await ledger.entries({ callId })).length === 1, void 0);
    for (const { entryId, state } of each.entries ?? []) {
      const [entry] = await ledger.entries({ entryId });
      check(`${entryId} is ${state}`, entry?.ending === state, entry?.ending);
    }
    for (const anchor of each.anchors ?? []) {
      const [found] = await ledger.anchors(anchor.number - 1, 1);
      check(`anchor ${anchor.number}`, found?.hash === anchor.hash, found?.hash);
    }
  }
  await ledger.end();
};
const resumeAll = async (place, fixture) => {
  const haft = await open(place);
  for (const { expect, ...each } of fixture.calls ?? []) {
    if (!["none", "resume", "repeat", "turn"].includes(expect.action)) continue;
    const since = effects.length;
    const name = `call ${each.callId}${expect.idempotencyKey === void 0 ? "" : ` (key ${expect.idempotencyKey})`}`;
    if (expect.action === "resume") {
      const { value, error } = await settled(haft.resume(each.approvalId, expect.decision, { by: "grace" }));
      const seen =
        error === void 0
          ? { ok: value?.ok, code: value?.failure?.code, text: value?.text }
          : { error: error.code, message: error.message };
      check(
        `${name}: resumed`,
        expect.error === true ? error !== void 0 || value?.ok === false : value?.ok === expect.ok,
        seen,
      );
      if (expect.code !== void 0) check(`${name}: code`, value?.failure?.code === expect.code, seen);
    } else if (expect.action === "repeat") {
      const { value, error } = await settled(
        haft.call(expect.tool, expect.input, { idempotencyKey: expect.idempotencyKey }),
      );
      const seen = error === void 0 ? value : { error: error.code, message: error.message };
      if (expect.error === void 0) check(`${name}: repeated`, isDeepStrictEqual(value, expect.value), seen);
      else
        check(
          `${name}: repeated`,
          error !== void 0 && (expect.error === true || error.code === expect.error),
          seen,
        );
    } else if (expect.action === "turn") {
      const [reply] = await haft.as(expect.principal).turn(expect.calls.map(toCall));
      check(`${name}: turn`, reply?.ok === expect.ok, reply);
    }
    check(`${name}: effects`, areEffects(expect.effects ?? [], since), seenEffects(since));
    if (expect.action === "resume") {
      const again = effects.length;
      await settled(haft.resume(each.approvalId, expect.decision, { by: "grace" }));
      check(`${name}: a second resume has no effect`, effects.length === again, seenEffects(again));
    }
  }
  for (const { expect, ...each } of fixture.runs ?? []) {
    if (expect.action !== "resume-run") continue;
    const since = effects.length;
    const answers = [...expect.answers];
    for (const { id, status } of each.approvals) {
      if (status === "waiting") await settled(haft.resume(id, answers.shift(), { by: "grace" }));
    }
    const { value, error } = await settled(haft.run(fixtureAgent(), void 0, { resume: each.runId }));
    const seen =
      error === void 0
        ? { status: value?.status, content: value?.content, reason: value?.reason, pending: value?.pending }
        : { error: error.code, message: error.message };
    if (expect.error === true) check(`run ${each.input}`, error !== void 0, seen);
    else
      check(`run ${each.input}`, value?.status === expect.status && value?.content === expect.content, seen);
    check(`run ${each.input}: effects`, areEffects(expect.effects, since), seenEffects(since));
  }
  for (const { expect, id, budget, ...each } of fixture.sessions ?? []) {
    const session = haft.session({ id, ...(budget === void 0 ? {} : { budget }) });
    for (const step of expect.steps) {
      const since = effects.length;
      if (step.action === "session-turn") {
        const { value, error } = await settled(session.turn(step.calls.map(toCall)));
        const seen =
          error === void 0
            ? value?.map(({ id: callId, ok, text, pending }) => ({
                callId,
                ok,
                text,
                isPending: pending !== void 0,
              }))
            : { error: error.code, message: error.message };
        const isRight =
          (step.ok === void 0 ||
            isDeepStrictEqual(
              value?.map(({ ok }) => ok),
              step.ok,
            )) &&
          (step.pending === void 0 ||
            isDeepStrictEqual(
              value?.map(({ pending }) => pending !== void 0),
              step.pending,
            ));
        check(`session ${id}: turn of ${step.calls.map(({ id: callId }) => callId)}`, isRight, seen);
      } else {
        const { approvalId } = each.calls.find(({ callId }) => callId === step.callId);
        const { value, error } = await settled(session.answer(approvalId, step.decision, { by: "grace" }));
        check(
          `session ${id}: answer to ${step.callId}`,
          value?.ok === step.ok,
          error === void 0 ? value : { error: error.code, message: error.message },
        );
      }
      check(`session ${id}: effects`, areEffects(step.effects, since), seenEffects(since));
    }
  }
  const page = chatPage(haft);
  for (const { id, expect, status, messages } of fixture.chats ?? []) {
    const since = effects.length;
    const shown = await page(`/${id}`);
    check(`chat ${id} is shown with ${status}`, shown.status === status, shown);
    if (messages !== void 0) {
      const now = shown.status === 200 ? JSON.parse(shown.text).messages : [];
      const texts = (all) =>
        all.map(({ id: messageId, role, parts }) => [
          messageId,
          role,
          parts.map(({ type, text, state, output }) => [type, text, state, output]),
        ]);
      check(`chat ${id} shows the same messages`, isDeepStrictEqual(texts(now), texts(messages)), texts(now));
    }
    if (expect.action === "chat-show") continue;
    let came = {};
    if (expect.action === "chat-say") {
      const [messageId, text] = expect.message;
      came = await page("", {
        id,
        messages: [{ id: messageId, role: "user", parts: [{ type: "text", text }] }],
        trigger: "submit-message",
      });
    } else if (expect.action === "chat-stream") {
      came = await page(`/${id}/stream`);
      if (came.status === 204) came = { ...(await page(`/${id}`)), note: "204" };
    } else {
      const message = structuredClone(messages.at(-1));
      for (const part of message.parts) {
        if (part.state === "approval-requested")
          Object.assign(part, {
            state: "approval-responded",
            approval: { ...part.approval, approved: expect.approved },
          });
      }
      came = await page("", { id, messages: [message], trigger: "submit-message" });
    }
    const after = await page(`/${id}`);
    check(`chat ${id} ends`, after.text.includes(expect.includes), {
      came: came.status,
      text: came.text,
      after: after.text,
    });
    check(`chat ${id}: effects`, areEffects(expect.effects, since), seenEffects(since));
  }
  await haft.close();
};
const resumeOwnTools = async (place, fixture) => {
  const tools = fixtureTools((effect) => void effects.push(effect));
  const programs = codeMode({ tools: tools.filter(({ spec }) => ["lookup", "refund"].includes(spec.name)) });
  const scratch = mkdtempSync(join(tmpdir(), "ledger-files-"));
  process.chdir(scratch);
  const haft = await Haft.open({
    tools: [...tools, programs],
    skills: ["file-write"],
    ledger: place,
    principal: clerkPrincipal,
    config: { skills: { files: { write: ["."] } } },
    policy: {
      rules: [
        { effect: "allow", tools: ["*"] },
        { effect: "approve", tools: ["file-write"] },
      ],
    },
  });
  for (const { expect, ...each } of fixture.calls) {
    const since = effects.length;
    if (expect.action === "resume-program") {
      const { value, error } = await settled(haft.resume(expect.answer, expect.decision, { by: "grace" }));
      const seen =
        error === void 0
          ? { ok: value?.ok, code: value?.failure?.code, text: value?.text }
          : { error: error.code, message: error.message };
      const [entry] = await haft.log({ callId: expect.entry });
      check(
        `program: ends as ${expect.stateAfter}`,
        entry?.ending === expect.stateAfter && String(entry.result).includes(expect.includes),
        { seen, ending: entry?.ending, result: entry?.result, code: entry?.code, message: entry?.message },
      );
      check("program: effects", areEffects(expect.effects, since), seenEffects(since));
    } else if (expect.action === "resume-built-in") {
      const { value, error } = await settled(haft.resume(each.approvalId, expect.decision, { by: "grace" }));
      check(
        "built-in tool: resumed",
        value?.ok === expect.ok,
        error === void 0
          ? { ok: value?.ok, code: value?.failure?.code, text: value?.text }
          : { error: error.code, message: error.message },
      );
      const [name, text] = expect.writes;
      check(
        "built-in tool: wrote the file",
        existsSync(join(scratch, name)) && readFileSync(join(scratch, name), "utf8") === text,
        void 0,
      );
    }
  }
  await haft.close();
  process.chdir(tmpdir());
  rmSync(scratch, { recursive: true, force: true });
};
const workFleet = async (place, fixture) => {
  const since = effects.length;
  const haft = await open(place, clerkPrincipal, true);
  const jobs = (fixture.fleet ?? []).filter(({ expect }) => expect.action === "fleet-wait");
  const worker = await openWorker(haft, { agents: [fixtureAgent()], sweepMs: 500 });
  for (const { runId, input, expect, approvals } of jobs) {
    const answers = [...(expect.answers ?? [])];
    for (const { id, status } of approvals ?? []) {
      if (status === "waiting") await settled(haft.resume(id, answers.shift(), { by: "grace" }));
    }
    const { value, error } = await settled(
      haft.wait(runId, { untilEnded: true, signal: AbortSignal.timeout(6e4) }),
    );
    check(
      `fleet run ${input}`,
      value?.status === expect.status && value?.content === expect.content,
      error === void 0
        ? { status: value?.status, content: value?.content, reason: value?.reason }
        : { error: error.code, message: error.message },
    );
  }
  check(
    "fleet: effects",
    areEffects(
      jobs.flatMap(({ expect }) => expect.effects),
      since,
    ),
    seenEffects(since),
  );
  const { code, out } = await cli(["fleet", "--ledger", place, "--json"]);
  const overview = code === 0 ? JSON.parse(out) : void 0;
  for (const { runId, cron } of (fixture.fleet ?? []).filter(
    ({ expect }) => expect.action === "fleet-schedule",
  )) {
    check(
      `schedule ${cron} is kept`,
      overview?.schedules?.some((each) => each.runId === runId && each.cron === cron),
      overview?.schedules,
    );
  }
  check("fleet: no dead letters", overview?.deadCount === 0, overview?.dead);
  const again = await settled(haft.submit(fixtureAgent(), "Charge order 94", { key: "charge-94" }));
  check(
    "fleet: the same key is the same run",
    again.value?.isNew === false,
    again.value ?? again.error?.message,
  );
  await worker.drain();
  check("pool: calls of dead callers are not made", rendered.length === 0, rendered);
  await haft.close();
};
const checkOne = async (place, fixture) => {
  const env =
    place.startsWith("postgres") && fixture.keys.length > 0
      ? { HAFT_LEDGER_KEY: fixture.keys.join(",") }
      : {};
  if (env.HAFT_LEDGER_KEY === void 0) delete process.env.HAFT_LEDGER_KEY;
  else process.env.HAFT_LEDGER_KEY = env.HAFT_LEDGER_KEY;
  const verify = async (when) => {
    const { code, out, error } = await cli(["log", "--ledger", place, "--verify"], env);
    check(`verify ${when}`, code === 0, `${code} ${out}${error}`.trim());
    if (when === "first")
      say(
        `  log --verify → ${code}: ${out.trim().replaceAll("\n", " | ")}${error.trim() === "" ? "" : ` [${error.trim()}]`}`,
      );
  };
  const early = await cli(["log", "--ledger", place, "--verify"], env);
  const isOld = early.code !== 0 && early.error.includes("haft ledger migrate");
  say(`  log --verify before migrating → ${early.code}${isOld ? " (asks for haft ledger migrate)" : ""}`);
  check("verify before migrating", early.code === 0 || isOld, early);
  const migrated = await cli(["ledger", "migrate", "--ledger", place], env);
  check("ledger migrate", migrated.code === 0, migrated);
  say(`  ledger migrate → ${migrated.code}: ${migrated.out.trim()}${migrated.error.trim()}`);
  await verify("first");
  for (const words of [["runs"], ["approvals", "--status", "all"], ["log", "--limit", "1000"]]) {
    const { code, out, error } = await cli([...words, "--ledger", place, "--json"], env);
    check(words.join(" "), code === 0, `${code} ${error}`);
    const rows =
      out.trim() === ""
        ? []
        : out
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line));
    const count = Object.entries(Object.groupBy(rows, (row) => String(row.ending ?? row.status))).map(
      ([state, all]) => `${state} ${all?.length}`,
    );
    say(`  ${words.join(" ")} → ${code}: ${rows.length} (${count.join(", ")})`);
  }
  await states(place, fixture);
  await verify("after opening");
  await resumeAll(place, fixture);
  if (fixture.calls?.some(({ expect }) => expect.action === "resume-program") === true)
    await resumeOwnTools(place, fixture);
  if (fixture.fleet !== void 0) await workFleet(place, fixture);
  await verify("after resuming");
};
const wantedFixtures = manifest.fixtures.filter(
  ({ file }) => wanted.length === 0 || wanted.some((name) => file.startsWith(name)),
);
const guarded = async (file, work) => {
  say(file);
  try {
    await work();
  } catch (error) {
    problems += 1;
    say(`  FAIL threw ${error instanceof Error ? error.stack : JSON.stringify(error)}`);
  }
};
for (const fixture of wantedFixtures.filter(({ file }) => file.endsWith(".db"))) {
  const scratch = mkdtempSync(join(tmpdir(), "ledger-check-"));
  const copy = join(scratch, fixture.file);
  cpSync(join(folder, fixture.file), copy);
  writeFileSync(
    `${copy}.key`,
    `${fixture.keys.join("\n")}
`,
    { mode: 384 },
  );
  chmodSync(`${copy}.key`, 384);
  if (existsSync(join(folder, `${fixture.file}.blobs`)))
    cpSync(join(folder, `${fixture.file}.blobs`), `${copy}.blobs`, { recursive: true });
  if (process.env.FOREIGN_OWNER === void 0 && process.platform === "linux") {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const database = new DatabaseSync(copy);
    database
      .prepare("UPDATE haft_owners SET host = ?, pid = 4194303")
      .run(`${hostname()} ${boot} ${readlinkSync("/proc/self/ns/pid")}`);
    database.close();
  }
  await guarded(fixture.file, () => checkOne(`sqlite:${copy}`, fixture));
  rmSync(scratch, { recursive: true, force: true });
}
const onServer = wantedFixtures.filter(({ file }) => file.endsWith(".sql"));
if (onServer.length > 0) {
  const { startPostgres } = await import(
    pathToFileURL(join(process.env.HAFT_KIT ?? source, "test/kit/postgres.ts")).href
  );
  const server = await startPostgres([], Number(process.env.POSTGRES_VERSION ?? 18));
  const pg = createRequire(join(source, "package.json"))("pg");
  for (const fixture of onServer) {
    const url = await server.createDatabase(`check_${fixture.file.replaceAll(/\W/g, "_")}`);
    await guarded(fixture.file, async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(readFileSync(join(folder, fixture.file), "utf8"));
      await client.end();
      await checkOne(url, fixture);
    });
  }
  await server.stop();
}
say(`${checks} checks, ${problems} failed`);
process.exit(problems === 0 ? 0 : 1);
