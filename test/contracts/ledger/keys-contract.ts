import { describe, expect, it } from "vitest";
import { LedgerError } from "../../../src/types/errors.ts";
import type { KeyClaim } from "../../../src/types/ledger.ts";
import {
  type CreateLedgerStore,
  createClosing,
  createKeyClaim,
  createOpening,
  ledgerSecret,
  runLedgerEffect,
  runToLedgerError,
} from "./ledger-fixtures.ts";

/** Idempotency keys of callers, and exact texts. */
export const keysContract = (name: string, make: CreateLedgerStore): void => {
  const begin = async () => {
    const store = await make();
    return {
      store,
      open: (id: string) => runLedgerEffect(store.open(createOpening(id))),
      reserve: (key: string, id: string, more?: Partial<KeyClaim>) =>
        runLedgerEffect(store.reserve(createKeyClaim(key, id, more))),
    };
  };

  describe(`${name} idempotency keys`, () => {
    it("the first claim to a key is fresh, and later claims get the status of its call", async () => {
      const { store, open, reserve } = await begin();
      for (const id of ["1", "2", "3"]) await open(id);
      expect(await reserve("k", "1")).toEqual({ kind: "fresh" });
      expect(await reserve("k", "1")).toEqual({ kind: "fresh" });
      expect(await reserve("k", "2")).toEqual({ kind: "known", entryId: "1", ending: "open" });
      await runLedgerEffect(store.close(createClosing("1", { ran: true })));
      expect(await reserve("k", "3")).toEqual({ kind: "known", entryId: "1", ending: "executed" });
    });

    it("a key that was used for another tool or other arguments is refused", async () => {
      const { open, reserve } = await begin();
      for (const id of ["1", "2"]) await open(id);
      await reserve("k", "1");
      expect(await reserve("k", "2", { tool: "ns/other" })).toEqual({ kind: "other", entryId: "1" });
      expect(await reserve("k", "2", { inputHash: "other" })).toEqual({ kind: "other", entryId: "1" });
    });

    it("a key is scoped to agent, user and tenant", async () => {
      const { open, reserve } = await begin();
      const parties = [{}, { agent: "another" }, { user: "ada" }, { tenant: "acme" }, { user: "acme" }];
      for (const [i, party] of parties.entries()) {
        await open(String(i));
        expect(await reserve("k", String(i), party)).toEqual({ kind: "fresh" });
      }
    });

    it("a call that failed without running frees its key, and one that may have run keeps it", async () => {
      const { store, open, reserve } = await begin();
      for (const id of ["1", "2", "3"]) await open(id);
      await reserve("k", "1");
      await runLedgerEffect(
        store.close(createClosing("1", { ending: "failed", code: "denied", ran: false })),
      );
      expect(await reserve("k", "2")).toEqual({ kind: "fresh" });
      await runLedgerEffect(store.close(createClosing("2", { ending: "failed", code: "failed", ran: true })));
      expect(await reserve("k", "3")).toEqual({ kind: "known", entryId: "2", ending: "failed" });
    });

    it("of many concurrent claims to one key, one is fresh", async () => {
      const { open, reserve } = await begin();
      const ids = Array.from({ length: 20 }, (_, i) => String(i));
      await Promise.all(ids.map(open));
      const all = await Promise.all(ids.map((id) => reserve("k", id)));
      expect(all.filter(({ kind }) => kind === "fresh")).toHaveLength(1);
      expect(all.filter(({ kind }) => kind === "known")).toHaveLength(19);
    });

    it("a key can be claimed only for an open entry", async () => {
      const { store, open } = await begin();
      expect(await runToLedgerError(store.reserve(createKeyClaim("k", "1")))).toBeInstanceOf(LedgerError);
      await open("1");
      await runLedgerEffect(store.close(createClosing("1")));
      expect(await runToLedgerError(store.reserve(createKeyClaim("k", "1")))).toBeInstanceOf(LedgerError);
    });
  });

  describe(`${name} recalls`, () => {
    const input = `{ "note": "use ${ledgerSecret}" }`;
    const result = JSON.stringify([ledgerSecret]);

    it("the exact texts of a pending call, next to the redacted row", async () => {
      const { store } = await begin();
      await runLedgerEffect(store.open(createOpening("1", { input })));
      await runLedgerEffect(store.close(createClosing("1", { ending: "pending", result: undefined })));
      const recalled = await runLedgerEffect(store.recall("1"));
      expect(recalled).toMatchObject({
        input,
        result: undefined,
        entry: { entryId: "1", ending: "pending" },
      });
      expect(JSON.stringify(recalled?.entry)).not.toContain(ledgerSecret);
    });

    it("the exact result of a call with a key", async () => {
      const { store, open, reserve } = await begin();
      await open("1");
      await reserve("k", "1");
      await runLedgerEffect(store.close(createClosing("1", { result, ran: true })));
      expect((await runLedgerEffect(store.recall("1")))?.result).toBe(result);
    });

    it("the media of a call with a key, whose bytes are in no row", async () => {
      const { store, open, reserve } = await begin();
      await open("1");
      await reserve("k", "1");
      const data = Buffer.from("a picture").toString("base64");
      const parts = [{ kind: "image", mediaType: "image/png", data } as const];
      const media = [{ kind: "image", mediaType: "image/png", bytes: 9, sha256: "of the picture" } as const];
      await runLedgerEffect(store.close(createClosing("1", { ran: true, media, parts })));
      expect(await runLedgerEffect(store.recall("1"))).toMatchObject({ entry: { media }, parts });
      expect(JSON.stringify(await runLedgerEffect(store.entries()))).not.toContain(data);
    });

    it("the unchanged texts of a row", async () => {
      const { store, open } = await begin();
      await open("1");
      await runLedgerEffect(store.close(createClosing("1")));
      expect(await runLedgerEffect(store.recall("1"))).toMatchObject({
        input: '{"city":"Oslo"}',
        result: '{"celsius":21}',
      });
    });

    it("nothing for an entry that does not exist", async () => {
      const { store } = await begin();
      expect(await runLedgerEffect(store.recall("1"))).toBeUndefined();
    });
  });
};
