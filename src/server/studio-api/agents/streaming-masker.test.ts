import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactor } from "../../../base/json/redact.ts";
import { streamingMasker } from "./stream-run-to-chat.ts";

const secrets = ["k3y-of-the-vault-123456789", "open sesame now"];
const masking = redactor({ secrets: () => secrets });

describe("streamed text of a model", () => {
  it("is sent at once when it cannot be part of a secret", () => {
    const words = streamingMasker(masking, () => secrets);
    expect([words.push("Once upon"), words.push(" a time"), words.flush()]).toEqual([
      "Once upon",
      " a time",
      "",
    ]);
  });

  it("shows no part of a secret, however it is split", () => {
    const text = `the key is ${secrets[0]}, and you say ${secrets[1]} at the door`;
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (places) => {
        const cuts = [...new Set([0, ...places, text.length])].toSorted((one, other) => one - other);
        const words = streamingMasker(masking, () => secrets);
        const sent = cuts.slice(1).map((end, i) => words.push(text.slice(cuts[i], end)));
        const all = [...sent, words.flush()].join("");
        expect(all).toBe(masking.text(text));
      }),
      { seed: 20, numRuns: 500 },
    );
  });
});
