import { describe, expect, it } from "vitest";
import { mask } from "../../json/secrets/span.ts";
import { maskedPlaces, unmasked } from "./read-edit.ts";

const exact = {
  q: "a",
  items: [
    { to: "alice", token: "alice-secret" },
    { to: "bob", token: "bob-secret" },
  ],
  headers: { "the-secret": "v" },
};
const shown = {
  q: "a",
  items: [
    { to: "alice", token: mask },
    { to: "bob", token: mask },
  ],
  headers: { [mask]: "v" },
};
const edited = (more: object) => unmasked({ ...shown, ...more }, shown, exact);

describe("an edit of arguments with masked secrets", () => {
  it("gets back the secrets, and the masked names, of whatever was not touched", () => {
    expect(maskedPlaces(shown)).toEqual(["/items/0/token", "/items/1/token", `/headers/${mask}`]);
    expect(edited({ q: "b" })).toEqual({ value: { ...exact, q: "b" } });
  });

  it("gives an item of a list its own secret when others are taken away or put elsewhere", () => {
    const [alice, bob] = shown.items;
    expect(edited({ items: [bob] })).toEqual({ value: { ...exact, items: [exact.items[1]] } });
    expect(edited({ items: [bob, alice] })).toEqual({
      value: { ...exact, items: [exact.items[1], exact.items[0]] },
    });
  });

  it("is refused where nobody can tell whose secret it means", () => {
    expect(edited({ items: [{ to: "carol", token: mask }, shown.items[1]] })).toBeUndefined();
    expect(edited({ headers: { [mask]: "w" } })).toBeUndefined();
    const alike = { items: [{ token: mask }, { token: mask }] };
    const kept = { items: [{ token: "one" }, { token: "two" }] };
    expect(unmasked({ items: [{ token: mask }] }, alike, kept)).toBeUndefined();
    const same = { items: [{ token: "one" }, { token: "one" }] };
    expect(unmasked({ items: [{ token: mask }] }, alike, same)).toEqual({
      value: { items: [{ token: "one" }] },
    });
    expect(unmasked(`x${mask}`, mask, "secret")).toBeUndefined();
  });
});
