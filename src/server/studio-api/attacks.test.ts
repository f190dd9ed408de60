import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Haft, tool } from "haft";
import { type Call, type CallListItem, type Catalog, type Page, studio } from "haft/studio";
import { describe, expect, it, onTestFinished } from "vitest";
import { hostileTexts } from "../../../test/kit/hostile-texts.ts";
import { calls, says, scriptedModel } from "../../../test/kit/scripted-model.ts";
import {
  readServerEvents,
  studioClient,
  studioOrigin,
  studioPostInit,
  studioScene,
} from "../../../test/kit/studio-scene.ts";

const codeOf = async (response: Response): Promise<readonly [number, string]> => [
  response.status,
  ((await response.json()) as { readonly error: { readonly code: string } }).error.code,
];

describe("unauthorized request", () => {
  it("is refused without a session, with an invalid one and with one of another Studio", async () => {
    const { send } = await studioScene();
    const other = await studioScene();
    const cookies = [
      undefined,
      `haft-studio-7334=${"a".repeat(43)}`,
      "haft-studio-7334=",
      await other.signIn(),
    ];
    for (const cookie of cookies) {
      const headers = cookie === undefined ? {} : { cookie };
      expect(await codeOf(await send("/api/v1/calls", { headers }))).toEqual([401, "sign_in"]);
    }
  });

  it("cannot sign in with a used, an unknown or a missing link", async () => {
    const { send, made } = await studioScene();
    const token = made.link("ada").split("#token=")[1];
    const first = await send("/api/v1/sign-in", studioPostInit({ token }));
    expect(first.status).toBe(200);
    const cookie = first.headers.get("set-cookie")!;
    expect(cookie).toMatch(/^haft-studio-7334=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    for (const again of [token, "x".repeat(43), undefined, { a: 1 }]) {
      expect(await codeOf(await send("/api/v1/sign-in", studioPostInit({ token: again })))).toEqual([
        401,
        "link_used",
      ]);
    }
  });

  it("cannot write from a foreign origin, by a form, without the header or by GET", async () => {
    const { haft, refunds, signed } = await studioScene({ ledger: "sqlite::memory:" });
    const [reply] = await haft.turn([{ id: "c", tool: "refund", input: { id: "7" } }]);
    const path = `/approvals/${reply!.pending!.id}/answer`;
    const body = { decision: "allow" };
    const tries: readonly (readonly [RequestInit, number, string])[] = [
      [studioPostInit(body, { origin: "https://evil.test" }), 403, "forbidden_origin"],
      [studioPostInit(body, { origin: "null" }), 403, "forbidden_origin"],
      [studioPostInit(body, { origin: "http://127.0.0.1:9999" }), 403, "forbidden_origin"],
      [studioPostInit(body, { "sec-fetch-site": "cross-site" }), 403, "forbidden_origin"],
      [studioPostInit(body, { "sec-fetch-site": "same-site" }), 403, "forbidden_origin"],
      [
        { ...studioPostInit(body), headers: { "content-type": "application/json", origin: studioOrigin } },
        403,
        "csrf",
      ],
      [
        studioPostInit(body, { "content-type": "application/x-www-form-urlencoded" }),
        415,
        "unsupported_media_type",
      ],
      [studioPostInit(body, { "content-type": "text/plain" }), 415, "unsupported_media_type"],
      [{ method: "GET" }, 405, "method_not_allowed"],
      [{ ...studioPostInit(body), method: "PUT" }, 405, "method_not_allowed"],
      [{ ...studioPostInit(body), body: "{" }, 400, "unreadable"],
      [studioPostInit({ decision: "allow", more: 1 }), 400, "invalid"],
      [studioPostInit({ decision: "maybe" }), 400, "invalid"],
      [studioPostInit({ decision: "allow", reason: "x".repeat(2_000_000) }), 413, "body_too_large"],
    ];
    for (const [init, status, code] of tries) {
      expect(await codeOf(await signed(path, init)), JSON.stringify(init.headers)).toEqual([status, code]);
    }
    expect(refunds).toEqual([]);
    expect((await haft.approvals())[0]).toMatchObject({ status: "waiting" });
  });

  it("cannot read from a foreign origin, even with the cookie", async () => {
    const { signed } = await studioScene();
    for (const headers of [
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "cross-site" },
      { origin: "null" },
      { origin: "http://127.0.0.1:9999" },
      { origin: "http://localhost:7334" },
    ] as readonly Record<string, string>[]) {
      for (const path of ["/calls", "/me", "/live", "/openapi.json"]) {
        expect(await codeOf(await signed(path, { headers })), JSON.stringify(headers)).toEqual([
          403,
          "forbidden_origin",
        ]);
      }
    }
    for (const headers of [
      { "sec-fetch-site": "same-origin", origin: studioOrigin },
      { "sec-fetch-site": "none" },
    ]) {
      expect((await signed("/calls", { headers })).status).toBe(200);
    }
  });

  it("is refused for a host name that was rebound", async () => {
    const { send, signIn } = await studioScene();
    const cookie = await signIn();
    for (const host of ["evil.test", "127.0.0.1.evil.test:7334", "localhost.evil.test", "0.0.0.0:7334"]) {
      expect(await codeOf(await send("/api/v1/calls", { headers: { host, cookie } }))).toEqual([
        403,
        "forbidden_host",
      ]);
    }
    expect((await send("/api/v1/calls", { headers: { host: "localhost:7334", cookie } })).status).toBe(200);
  });

  it("is refused with the name of the missing scope", async () => {
    const { send } = await studioScene();
    const reader = { principal: { agent: "grace", roles: ["studio:read"] }, isHostChecked: true };
    expect((await send("/api/v1/calls", {}, reader)).status).toBe(200);
    const tries = [
      ["/api/v1/approvals/x/answer", { decision: "deny" }, "studio:approve"],
      ["/api/v1/tools/refund/call", { input: {} }, "studio:run"],
    ] as const;
    for (const [path, body, scope] of tries) {
      const response = await send(path, studioPostInit(body), reader);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ error: { code: "missing_scope", scope } });
    }
    const stranger = { principal: { agent: "clerk", allow: ["*"] }, isHostChecked: true };
    expect(await codeOf(await send("/api/v1/calls", {}, stranger))).toEqual([401, "sign_in"]);
  });

  it("is identified by the mounting application", async () => {
    const { made } = await studioScene(
      {},
      {
        principal: (request) =>
          request.headers.get("x-user") === "ada" ? { agent: "ada", roles: ["studio:read"] } : undefined,
      },
    );
    const { send } = studioClient(made);
    const me = await send("/api/v1/me", { headers: { "x-user": "ada" } });
    expect(await me.json()).toMatchObject({ name: "ada", scopes: ["studio:read"] });
    expect((await send("/api/v1/me")).status).toBe(401);
  });

  it("is refused with an invalid filter", async () => {
    const { signed } = await studioScene();
    for (const query of ["tol=x", "limit=0", "limit=x", "ending=done", "since=never", "cursor=zzz"]) {
      expect(await codeOf(await signed(`/calls?${query}`)), query).toEqual([400, "invalid"]);
    }
  });
});

describe("files of the page", () => {
  it("are served with a strict policy, and deep links lead to the page", async () => {
    const folder = await mkdtemp(join(tmpdir(), "haft-studio-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, "index.html"), '<script src="/app-0a1b2c3d.js"></script>');
    await writeFile(join(folder, "app-0a1b2c3d.js"), "1");
    await symlink("/etc/hostname", join(folder, "out.txt"));
    const { send, made } = await studioScene(
      {},
      { assets: folder, base: "/studio", appOrigin: "http://127.0.0.1:7335" },
    );
    const page = await send("/studio/calls/abc");
    expect(await page.text()).toBe('<script src="/studio/app-0a1b2c3d.js"></script>');
    expect(page.headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
        "frame-src http://127.0.0.1:7335; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    for (const [name, value] of [
      ["x-content-type-options", "nosniff"],
      ["referrer-policy", "no-referrer"],
      ["cross-origin-opener-policy", "same-origin"],
      ["cross-origin-resource-policy", "same-origin"],
    ] as const) {
      expect(page.headers.get(name)).toBe(value);
    }
    const script = await send("/studio/app-0a1b2c3d.js");
    expect(script.headers.get("cache-control")).toContain("immutable");
    for (const path of [
      "/studio/out.txt",
      "/studio/%2e%2e/secret.txt",
      "/studio/..%2f..%2fetc%2fhosts.txt",
      "/elsewhere",
    ]) {
      expect((await send(path)).status, path).toBe(404);
    }
    expect(made.link("ada")).toMatch(/^\/studio\/#token=/);
  });

  it("are reported as missing in plain text", async () => {
    const { send } = await studioScene({}, { assets: join(tmpdir(), "haft-no-such-folder") });
    const page = await send("/");
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/plain; charset=utf-8"]);
    expect(await page.text()).toContain("/api/v1/openapi.json");
  });
});

describe("signed-in user", () => {
  it("receives nothing after signing out, and no stream for HEAD", async () => {
    const { haft, signed, send, signIn } = await studioScene({ ledger: "sqlite::memory:" });
    const cookie = await signIn();
    const stream = readServerEvents(await send("/api/v1/live", { headers: { cookie } }));
    expect((await stream.next()).value?.name).toBe("hello");
    await send("/api/v1/sign-out", studioPostInit({}, { cookie }));
    await haft.call("find_order", { id: "7" });
    expect((await stream.next()).done).toBe(true);
    expect((await signed("/live", { method: "HEAD" })).status).toBe(405);
  });

  it("can open fifty streams", async () => {
    const { signed } = await studioScene({ ledger: "sqlite::memory:" });
    const open = await Promise.all(Array.from({ length: 50 }, () => signed("/live")));
    expect(await codeOf(await signed("/live"))).toEqual([429, "too_many_streams"]);
    await open[0]!.body!.cancel();
    const another = await signed("/live");
    expect(another.status).toBe(200);
    for (const each of [...open.slice(1), another]) await each.body!.cancel();
  });

  it("cannot replay or resume a run of another caller without the right to act as that caller", async () => {
    const model = scriptedModel([calls(["find_order", { id: "7" }]), says("Found.")]);
    const eve = { agent: "eve", roles: ["studio:read", "studio:run"] };
    const options = { principal: (request: Request) => (request.headers.has("x-eve") ? eve : undefined) };
    const { haft, desk, send, signed } = await studioScene(
      { ledger: "sqlite::memory:", model, config: { ledger: { keepPayloads: true } } },
      options,
    );
    const { runId } = await haft.as({ agent: "admin", allow: ["*"] }).run(desk, "Find order 7");
    const before = (await haft.log()).length;
    for (const action of ["replay", "resume"]) {
      const body = action === "replay" ? { execute: "all" } : {};
      const answer = await send(`/api/v1/runs/${runId}/${action}`, studioPostInit(body, { "x-eve": "1" }));
      expect([403, 409]).toContain(answer.status);
    }
    expect(await haft.log()).toHaveLength(before);
    const own = await signed(`/runs/${runId}/replay`, studioPostInit({}));
    expect(own.status).toBe(200);
  });

  it("receives 503 after the runtime was closed", async () => {
    const { haft, signed } = await studioScene({ ledger: "sqlite::memory:" });
    expect((await signed("/me")).status).toBe(200);
    await haft.close();
    for (const path of ["/me", "/calls", "/live"]) {
      expect(await codeOf(await signed(path))).toEqual([503, "closed"]);
    }
  });

  it("cannot send a body that is nested too deep", async () => {
    const { signed } = await studioScene();
    const deep = `{"input":${"[".repeat(3_000)}${"]".repeat(3_000)}}`;
    const init = { ...studioPostInit({}), body: deep };
    expect(await codeOf(await signed("/tools/find_order/validate", init))).toEqual([400, "unreadable"]);
  });
});

describe("forty hostile texts", () => {
  it("are returned unchanged as JSON, with secrets masked", async () => {
    expect(new Set(hostileTexts).size).toBe(40);
    const secret = "canary-77aa-do-not-print";
    const echo = tool({
      name: "echo",
      description: hostileTexts.slice(0, 3).join(" "),
      input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      annotations: { readOnly: true },
      run: ({ text }) => ({ text, secret }),
    });
    const haft = await Haft.open({
      tools: [echo],
      principal: { agent: "<b>clerk</b>", allow: ["*"] },
      ledger: "sqlite::memory:",
      credentials: { values: { canary: secret } },
    });
    const made = studio(haft as Haft);
    onTestFinished(async () => {
      await made.close();
      await haft.close();
    });
    const { signed, get } = studioClient(made, "<i>ada</i>");
    for (const text of hostileTexts) {
      const sent = await signed("/tools/echo/call", studioPostInit({ input: { text } }));
      expect(sent.headers.get("content-type")).toBe("application/json");
      const answer = (await sent.json()) as {
        readonly value: { readonly text: string };
        readonly entryId: string;
      };
      expect(answer.value.text.toWellFormed()).toBe(text.toWellFormed());
      const call = await get<Call>(`/calls/${answer.entryId}`, "Call");
      expect(JSON.parse(call.stages.hydrate.input.text).text.toWellFormed()).toBe(text.toWellFormed());
      expect(JSON.stringify(call)).not.toContain(secret);
    }
    const { items } = await get<Catalog>("/tools", "Catalog");
    expect(items[0]!.description).toBe(hostileTexts.slice(0, 3).join(" "));
    const lines = await get<Page<CallListItem>>("/calls", "CallPage");
    expect(lines.items[0]!.agent).toBe("<b>clerk</b>");
    for (const name of ["<script>", "../x", "__proto__", "a%00b"]) {
      const missing = await signed(`/calls/${encodeURIComponent(name)}`);
      expect([missing.status, missing.headers.get("content-type")]).toEqual([404, "application/json"]);
    }
  });

  it("are truncated at 65,536 characters, and available in full as an attachment of plain text", async () => {
    const { haft, get, signed } = await studioScene({
      ledger: "sqlite::memory:",
      config: { ledger: { keepPayloads: true } },
    });
    const long = "<script>".repeat(100_000);
    await haft.call("find_order", { id: long });
    const { items } = await get<Page<CallListItem>>("/calls", "CallPage");
    const call = await get<Call>(`/calls/${items[0]!.entryId}`, "Call");
    const { input } = call.stages.hydrate;
    expect([input.isTruncated, input.text.length]).toEqual([true, 65_536]);
    const whole = await signed(input.href!.replace("/api/v1", ""));
    expect(whole.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(whole.headers.get("content-disposition")).toBe("attachment");
    expect(await whole.text()).toBe(JSON.stringify({ id: long }));
    expect(input.length).toBe(JSON.stringify({ id: long }).length);
  });
});
