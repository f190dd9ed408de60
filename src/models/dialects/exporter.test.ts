import { expect, test } from "vitest";
import { specOf } from "../../../test/exports/spec-of.ts";
import { exporter, toFrozen } from "./exporter.ts";

const counted = () => {
  const calls: string[] = [];
  const exported = exporter(({ wireName, spec }, note) => {
    calls.push(wireName);
    note("/input", "title", "is left out");
    return wireName === "hidden" ? undefined : toFrozen({ name: wireName, schema: spec.input });
  });
  return { calls, exported };
};

test("exports a spec once per name, whatever list contains it", () => {
  const { calls, exported } = counted();
  const spec = toFrozen(specOf({ type: "object" }));
  const first = exported([
    { wireName: "a", spec },
    { wireName: "b", spec },
  ]);
  const again = exported([
    { wireName: "b", spec },
    { wireName: "a", spec },
  ]);
  expect(calls).toStrictEqual(["a", "b"]);
  expect(again.tools).toStrictEqual([first.tools[1], first.tools[0]]);
  expect(again.tools[0]).toBe(first.tools[1]);
});

test("caches a frozen list but not a mutable one", () => {
  const { exported } = counted();
  const list = [{ wireName: "a", spec: specOf({}) }];
  const before = exported(list);
  list.push({ wireName: "b", spec: specOf({}) });
  expect(exported(list).tools).toHaveLength(2);
  expect(before.tools).toHaveLength(1);
  const fixed = Object.freeze(list);
  expect(exported(fixed)).toBe(exported(fixed));
});

test("omits a tool that cannot be exported but reports its losses", () => {
  const { exported } = counted();
  const { tools, report } = exported([{ wireName: "hidden", spec: specOf({}) }]);
  expect(tools).toStrictEqual([]);
  expect(report).toStrictEqual([
    { tool: "hidden", pointer: "/input", keyword: "title", note: "is left out" },
  ]);
});

test("copies a mutable schema and shares a frozen one", () => {
  const { exported } = counted();
  const open = { type: "object", properties: { a: { enum: ["x"] } } };
  const fixed = toFrozen(structuredClone(open));
  const [copy, shared] = exported([
    { wireName: "a", spec: specOf(open) },
    { wireName: "b", spec: specOf(fixed) },
  ]).tools;
  open.properties.a.enum.push("y");
  expect(copy!.schema).toStrictEqual(fixed);
  expect(Object.isFrozen(open)).toBe(false);
  expect(shared!.schema).toBe(fixed);
});
