import fc from "fast-check";
import { expect, test } from "vitest";
import { LinkedList, type ListLink } from "./timer.ts";

interface Item extends ListLink<Item> {
  readonly name: number;
}

const names = (list: LinkedList<Item>): number[] => {
  const seen: number[] = [];
  for (let item = list.first; item !== undefined; item = item.after) seen.push(item.name);
  return seen;
};

test("behaves like an array for push, shift and remove", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constant("push"), fc.constant("shift"), fc.nat(20))), (steps) => {
      const list = new LinkedList<Item>();
      const model: number[] = [];
      const items: Item[] = [];
      for (const step of steps) {
        if (step === "push") {
          const item: Item = { name: items.length, before: undefined, after: undefined, linked: false };
          items.push(item);
          list.push(item);
          model.push(item.name);
        } else if (step === "shift") {
          expect(list.shift()?.name).toBe(model.shift());
        } else if (typeof step === "number" && items[step] !== undefined) {
          const place = model.indexOf(step);
          expect(list.remove(items[step])).toBe(place >= 0);
          if (place >= 0) model.splice(place, 1);
        }
        expect(names(list)).toEqual(model);
        expect([list.size, list.first?.name, list.last?.name]).toEqual([
          model.length,
          model[0],
          model.at(-1),
        ]);
      }
    }),
  );
});
