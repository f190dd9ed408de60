import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLedger } from "haft/ledger";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Terminal } from "../command.ts";
import { addTrustedFolder, createTrust } from "../trust/trust.ts";
import { requireTrustedLedger } from "./known-ledgers.ts";

const scene = (more: Readonly<Record<string, string>> = {}) => {
  const root = mkdtempSync(join(tmpdir(), "haft-known-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "clone");
  mkdirSync(folder);
  const said: string[] = [];
  const terminal = {
    env: { HAFT_CONFIG_DIR: join(root, "config"), ...more },
    error: (text: string) => said.push(text),
    now: () => 0,
    isOperator: false,
    hasColor: false,
  } as unknown as Terminal;
  const trust = createTrust({}, terminal);
  const file = join(folder, "books.db");
  type Access = "read" | "write" | "make";
  const use = (access: Access, given: { readonly ledger?: string } = {}, by = trust) => {
    const asked = { config: join(folder, "haft.config.json"), ...given };
    return requireTrustedLedger({ place: `sqlite:${file}`, given: asked, access, trust: by, terminal });
  };
  const ship = async (path = file) => (await openLedger(`sqlite:${path}`)).end();
  return { root, folder, file, said, terminal, trust, use, ship };
};

describe("ledger in an untrusted folder", () => {
  it("is refused by commands that write when no command of this user created it", async () => {
    const { folder, use, ship } = scene();
    await ship();
    for (const access of ["write", "make"] as const) {
      const error = await use(access).catch((each: unknown) => each);
      expect(error).toMatchObject({ name: "UntrustedError" });
      expect(String(error)).toContain(`haft trust add ${folder}`);
    }
  });

  it.each(["", ".key", ".blobs", "-wal", "-journal"])(
    "is not used through a link %j to the ledger of another folder, which a command created",
    async (end) => {
      const { root, file, said, use, ship } = scene();
      const mine = join(root, "mine.db");
      if (end === "") await ship(mine);
      else writeFileSync(`${mine}${end}`, "");
      symlinkSync(`${mine}${end}`, `${file}${end}`);
      for (const access of ["read", "write", "make"] as const)
        await expect(use(access)).rejects.toMatchObject({ name: "UntrustedError" });
      expect(said).toEqual([]);
    },
  );

  it("is used through a link in a trusted folder", async () => {
    const { root, folder, file, trust, use, ship } = scene();
    await ship(join(root, "mine.db"));
    symlinkSync(join(root, "mine.db"), file);
    await addTrustedFolder(trust.store, folder, 0);
    for (const access of ["read", "write", "make"] as const) await use(access);
  });

  it("is not created with a key that came with the folder", async () => {
    const { file, use } = scene();
    writeFileSync(`${file}.key`, "1".repeat(64));
    await expect(use("make")).rejects.toMatchObject({ name: "UntrustedError" });
    expect(existsSync(file)).toBe(false);
  });

  it("is read with a note on standard error", async () => {
    const { file, said, use, ship } = scene();
    await ship();
    await use("read");
    expect(said.join("")).toContain(`${file} was not created by this user's commands`);
    expect(said.join("").match(/\n/g)).toHaveLength(1);
  });

  it("is accepted by later commands when a command created it", async () => {
    const { said, use } = scene();
    await use("make");
    for (const access of ["make", "write", "read"] as const) await use(access);
    expect(said).toEqual([]);
  });

  it("is used by later commands if a command with --trust made it", async () => {
    const { said, terminal, use, ship } = scene();
    await use("make", {}, createTrust({ trust: true }, terminal));
    await ship();
    await use("write");
    await use("read");
    expect(said).toEqual([]);
  });

  it("is refused after another ledger replaced it together with its key", async () => {
    const { root, file, use, ship } = scene();
    await use("make");
    const other = join(root, "other.db");
    await ship(other);
    for (const end of ["", ".key"]) copyFileSync(`${other}${end}`, `${file}${end}`);
    await expect(use("write")).rejects.toThrow("has not trusted the folder");
  });

  it("is accepted when the command line names it or its folder is trusted", async () => {
    const { folder, file, trust, use, ship } = scene();
    await ship();
    await use("write", { ledger: `sqlite:${file}` });
    await addTrustedFolder(trust.store, folder, 0);
    await use("write");
  });

  it("is not recorded as created by commands that only read or write", async () => {
    const { trust, use } = scene();
    await use("write");
    await use("read");
    expect((await trust.store.read()).entries.ledgers).toBeUndefined();
  });
});
