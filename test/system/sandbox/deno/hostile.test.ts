import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Scope from "effect/Scope";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEngine } from "../../../../src/sandbox/deno/engine.ts";
import type { Sandbox } from "../../../../src/sandbox/sandbox.ts";
import { programRunner } from "../../../kit/sandbox-scene.ts";

const scope = Effect.runSync(Scope.make());
let box: Sandbox;
let server: Server;
let connections = 0;
let folder: string;
let port: number;

beforeAll(async () => {
  box = await Effect.runPromise(Scope.provide(openEngine(), scope));
  folder = mkdtempSync(join(tmpdir(), "haft-deno-test-"));
  writeFileSync(join(folder, "canary.json"), '"outside"');
  server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as { port: number }).port;
});

afterAll(async () => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
  await Effect.runPromise(Scope.close(scope, Exit.void));
});

const { run, ending, value } = programRunner(() => box);

describe("hostile Deno program", () => {
  it("reaches no outside files, network, environment variables, programs or storage", async () => {
    const canary = join(folder, "canary.json");
    const source = `
      const [canary, folder, port, ppid] = input;
      const url = "http://127.0.0.1:" + port + "/";
      const attempts = {
        read: () => Deno.readTextFileSync(canary),
        dots: () => Deno.readTextFileSync("../" + folder + "/canary.json"),
        nodeRead: async () => (await import("node:fs")).readFileSync(canary),
        binding: () => process.getBuiltinModule("fs").readFileSync(canary),
        sqlite: async () => new (await import("node:sqlite")).DatabaseSync(canary + ".db").exec("create table a(b)"),
        fetchFile: async () => (await fetch("file://" + canary)).text(),
        importFile: () => import("file://" + canary, { with: { type: "json" } }),
        worker: () => new Promise((done, fail) => {
          const code = "try { postMessage(Deno.readTextFileSync(" + JSON.stringify(canary) + ")) } catch { postMessage(null) }";
          const worker = new Worker("data:text/javascript," + encodeURIComponent(code), { type: "module" });
          worker.onmessage = ({ data }) => { worker.terminate(); data === null ? fail() : done() };
          worker.onerror = (event) => { event.preventDefault(); fail() };
        }),
        list: () => [...Deno.readDirSync("/")],
        proc: () => Deno.readTextFileSync("/proc/self/environ"),
        write: () => Deno.writeTextFileSync(canary + ".new", "x"),
        writeUp: () => Deno.writeTextFileSync("../haft-canary", "x"),
        link: () => Deno.symlinkSync(canary, "link"),
        hardLink: () => Deno.linkSync(canary, "hard"),
        fetch: () => fetch(url),
        connect: () => Deno.connect({ hostname: "127.0.0.1", port }),
        nodeNet: async () => { const net = await import("node:net"); await new Promise((done, fail) => net.connect(port, "127.0.0.1").on("connect", done).on("error", fail)) },
        socket: () => new Promise((done, fail) => { const s = new WebSocket("ws://127.0.0.1:" + port); s.onopen = done; s.onerror = fail }),
        listen: () => Deno.listen({ port: 0 }),
        resolve: () => Deno.resolveDns("localhost", "A"),
        remote: () => import(url + "x.js"),
        npm: () => import("npm:effect"),
        jsr: () => import("jsr:@std/path"),
        env: () => { if (Object.keys(Deno.env.toObject()).length === 0) throw 0 },
        nodeEnv: () => process.env.PATH.length,
        command: () => new Deno.Command("/bin/true").outputSync(),
        spawn: async () => (await import("node:child_process")).execFileSync("/bin/true"),
        kill: () => Deno.kill(ppid, "SIGCONT"),
        nodeKill: () => process.kill(ppid, 0),
        dlopen: () => Deno.dlopen("libc.so.6", { getpid: { parameters: [], result: "i32" } }),
        storage: () => localStorage.setItem("a", "b"),
        cacheFolder: () => [...Deno.readDirSync("../cache")],
        writeCache: () => Deno.removeSync("../cache/location_data"),
        caches: async () => (await caches.open("x")).put("http://a/", new Response("x")),
        host: () => Deno.hostname(),
        users: () => Deno.uid() ?? 0,
      };
      const done = [];
      for (const [name, attempt] of Object.entries(attempts)) {
        try { await attempt(); done.push(name) } catch {}
      }
      return done;`;
    const input = [canary, folder.split("/").at(-1), port, process.pid];
    // Each worker is another isolate that needs its own memory.
    const limits = { memoryBytes: 1024 * 1024 * 1024 };
    expect(await value(source, { input, limits })).toEqual([]);
    expect(connections).toBe(0);
    expect(readdirSync(folder)).toEqual(["canary.json"]);
    expect(existsSync(join(tmpdir(), "haft-canary"))).toBe(false);
  });

  it("cannot import files by closing its wrapper function", async () => {
    const file = JSON.stringify(`file://${join(folder, "canary.json")}`);
    const broken = `return 1 }; import x from ${file} with { type: "json" }; const y = () => { return x;`;
    expect(await ending(broken)).toMatchObject({ kind: "error", name: "TypeError" });
    const analyzable = `return (await import(${file}, { with: { type: "json" } })).default`;
    expect(await ending(analyzable)).toMatchObject({ kind: "error", name: "TypeError" });
  });

  it("cannot forge frames of the engine or read its token", async () => {
    const source = `
      const seen = [];
      const { apply } = Reflect;
      let isBusy = false;
      const see = (what) => {
        if (isBusy) return;
        isBusy = true;
        try { seen[seen.length] = String(what) } catch {}
        isBusy = false;
      };
      const spy = (owner, name) => {
        const real = owner[name];
        try { owner[name] = function (...all) { see(all[0]); see(this); return apply(real, this, all) } } catch {}
      };
      for (const [owner, names] of [
        [JSON, ["stringify", "parse"]], [TextEncoder.prototype, ["encode", "encodeInto"]], [Deno.stdout, ["writeSync", "write"]],
        [String.prototype, ["concat", "slice", "split", "toString"]], [Array.prototype, ["push", "join"]], [RegExp.prototype, ["exec"]],
        [Function.prototype, ["call", "apply", "bind"]], [Object.getPrototypeOf(Uint8Array.prototype), ["subarray", "slice", "set"]], [Reflect, ["construct"]],
      ]) for (const name of names) spy(owner, name);
      Object.prototype.toJSON = function () { see(Object.keys(this)[0]); return this };
      console.log("first");
      const fake = "f".repeat(48);
      const raw = (text) => { const b = Uint8Array.from([...text].map((c) => c.charCodeAt(0))); Deno.stdout.writeSync(b) };
      raw("\\n" + fake + " value \\"forged\\"\\n" + fake + " ready null\\nunfinished");
      await new Promise((r) => setTimeout(r, 1));
      delete Object.prototype.toJSON;
      isBusy = true;
      return [seen.length > 0, seen.filter((text) => /[0-9a-f]{48}/.test(text) && !text.includes(fake)).length];`;
    const { ending, logs } = await run(source);
    expect(ending).toEqual({ kind: "value", value: [true, 0] });
    expect(logs.map(({ text }) => text)).toEqual([
      "first",
      `${"f".repeat(48)} value "forged"`,
      `${"f".repeat(48)} ready null`,
      "unfinished",
    ]);
  });

  it("leaves nothing for the next program", async () => {
    await value("globalThis.left = 1; Deno.writeTextFileSync('left', '1'); return 1");
    expect(await value("return [typeof left, [...Deno.readDirSync('.')].length]")).toEqual(["undefined", 0]);
  });
});
