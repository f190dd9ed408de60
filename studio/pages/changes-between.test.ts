import { describe, expect, it } from "vitest";
import { changesBetween } from "./approval-answer-form.tsx";

describe("changes of an edit", () => {
  it("have a pointer, the old value and the new value", () => {
    const from = { amount: 12.5, customer: { name: "Bob", notify: true }, tags: ["a", "b"] };
    const to = { amount: 10, customer: { name: "Bob" }, tags: ["a", "c"], note: "less" };
    expect(changesBetween(from, to)).toEqual([
      { pointer: "/amount", from: 12.5, to: 10 },
      { pointer: "/customer/notify", from: true, to: undefined },
      { pointer: "/tags/1", from: "b", to: "c" },
      { pointer: "/note", from: undefined, to: "less" },
    ]);
  });

  it("are empty without a difference, and the whole value when one is not an object", () => {
    expect(changesBetween({ a: 1 }, { a: 1 })).toEqual([]);
    expect(changesBetween({ a: 1 }, [1])).toEqual([{ pointer: "", from: { a: 1 }, to: [1] }]);
    expect(changesBetween({ "a/b": 1 }, { "a/b": 2 })).toEqual([{ pointer: "/a~1b", from: 1, to: 2 }]);
  });
});
