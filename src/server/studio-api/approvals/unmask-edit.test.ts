import { describe, expect, it } from "vitest";
import { redactedMark } from "../../../base/json/secrets/span.ts";
import { maskedPointers, unmaskEdit } from "./list-approvals.ts";

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
    { to: "alice", token: redactedMark },
    { to: "bob", token: redactedMark },
  ],
  headers: { [redactedMark]: "v" },
};
const edited = (more: object) => unmaskEdit({ ...shown, ...more }, shown, exact);

describe("edit of masked arguments", () => {
  it("restores the secrets and masked names that were not changed", () => {
    expect(maskedPointers(shown)).toEqual(["/items/0/token", "/items/1/token", `/headers/${redactedMark}`]);
    expect(edited({ q: "b" })).toEqual({ value: { ...exact, q: "b" } });
  });

  it("restores the secret of each list item after items were removed or moved", () => {
    const [alice, bob] = shown.items;
    expect(edited({ items: [bob] })).toEqual({ value: { ...exact, items: [exact.items[1]] } });
    expect(edited({ items: [bob, alice] })).toEqual({
      value: { ...exact, items: [exact.items[1], exact.items[0]] },
    });
  });

  it("is refused when a secret is ambiguous", () => {
    expect(edited({ items: [{ to: "carol", token: redactedMark }, shown.items[1]] })).toBeUndefined();
    expect(edited({ headers: { [redactedMark]: "w" } })).toBeUndefined();
    const alike = { items: [{ token: redactedMark }, { token: redactedMark }] };
    const kept = { items: [{ token: "one" }, { token: "two" }] };
    expect(unmaskEdit({ items: [{ token: redactedMark }] }, alike, kept)).toBeUndefined();
    const same = { items: [{ token: "one" }, { token: "one" }] };
    expect(unmaskEdit({ items: [{ token: redactedMark }] }, alike, same)).toEqual({
      value: { items: [{ token: "one" }] },
    });
    expect(unmaskEdit(`x${redactedMark}`, redactedMark, "secret")).toBeUndefined();
  });
});
