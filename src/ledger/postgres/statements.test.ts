import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createStatementBuilder, toNumbered, toParameter, typeParsers } from "./statements.ts";

describe("statement", () => {
  it("has its question marks numbered from one", () => {
    expect(toNumbered("SELECT a FROM t WHERE b = ? AND c IN (?, ?)")).toBe(
      "SELECT a FROM t WHERE b = $1 AND c IN ($2, $3)",
    );
  });

  it.each([
    ["a string", "SELECT 'what?' , 'it''s ?', ?", "SELECT 'what?' , 'it''s ?', $1"],
    ["a quoted name", 'SELECT "odd?" FROM t WHERE a = ?', 'SELECT "odd?" FROM t WHERE a = $1'],
    ["a comment", "SELECT 1 -- why?\n, ? /* or ? */, ?", "SELECT 1 -- why?\n, $1 /* or ? */, $2"],
    ["a dollar quote", "SELECT $a$ ? $$ ? $a$, ?", "SELECT $a$ ? $$ ? $a$, $1"],
  ])("keeps a question mark in %s", (_, sql, numbered) => {
    expect(toNumbered(sql)).toBe(numbered);
  });

  it("has the same name for the same text only", () => {
    const toStatements = createStatementBuilder(() => true);
    const [first, again, other] = ["SELECT ?", "SELECT ?", "SELECT ?, 1"].map(
      (sql) => toStatements({ sql, values: [1] })[0],
    );
    expect(first?.name).toBe(again?.name);
    expect(first?.name).not.toBe(other?.name);
  });

  it("has no name when it defines something or contains several statements", () => {
    const toStatements = createStatementBuilder(() => true);
    for (const sql of ["CREATE TABLE a (b text)", "SELECT 1; SELECT 2"]) {
      expect(toStatements({ sql, values: [] })[0]?.name).toBeUndefined();
    }
  });

  it("has no name after the first 300, which bounds the plans of the server", () => {
    const toStatements = createStatementBuilder(() => true);
    const names = Array.from(
      { length: 500 },
      (_, n) => toStatements({ sql: `SELECT ${n}`, values: [] })[0]?.name,
    );
    expect(names.filter((name) => name !== undefined)).toHaveLength(300);
  });
});

describe("inserted rows", () => {
  it("are batched up to 64 per statement", () => {
    const rows = Array.from({ length: 150 }, (_, n) => [n, `row ${n}`]);
    const made = createStatementBuilder(() => true)({ insert: "t", columns: ["a", "b"], rows });
    expect(made.map(({ values }) => values.length)).toEqual([128, 128, 44]);
    expect(made.flatMap(({ values }) => values)).toEqual(rows.flat());
  });

  it("make no statement when there are none", () => {
    expect(createStatementBuilder(() => true)({ insert: "t", columns: ["a"], rows: [] })).toEqual([]);
  });
});

describe("text parameter", () => {
  it("is read as it was written, although PostgreSQL stores no U+0000", () => {
    const readText = typeParsers.getTypeParser(25);
    const special = fc.constantFrom("\0", "\uE000", "0", "a");
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: special }), fc.string()), (text) => {
        const stored = toParameter(text) as string;
        expect(stored).not.toContain("\0");
        expect(readText(stored)).toBe(text);
      }),
    );
  });
});
