import { http, tool } from "haft";
import { expect, it } from "vitest";
import { rolesOf } from "./argument-roles.ts";

const text = { type: "string" };

const roles = (made: ReturnType<typeof rolesOf>) =>
  Object.fromEntries([...made].map(([name, { role, from }]) => [name, `${role} ${from}`]));

const input = {
  type: "object",
  properties: {
    to: text,
    replyTo: { type: "string", format: "email" },
    messageId: text,
    subject: text,
    bodyText: text,
    amount: { type: "number" },
    date: { type: "string", format: "date" },
    kind: { enum: ["a", "b"] },
    links: { type: "array", items: { type: "string", format: "uri" } },
    memo: { type: "string", "x-haft-role": "content" },
  },
} as const;

const send = tool({
  name: "send",
  description: "Sends",
  input,
  roles: { subject: "content" },
  run: () => "",
});

it("infers roles from names and formats, and prefers declared ones", () => {
  expect(roles(rolesOf(send as never))).toEqual({
    to: "target inferred",
    replyTo: "target inferred",
    messageId: "id inferred",
    subject: "content declared",
    bodyText: "content inferred",
    amount: "value inferred",
    date: "value inferred",
    kind: "value inferred",
    links: "target inferred",
    memo: "content declared",
  });
});

it("names of a remote tool lower no protection", () => {
  const remote = tool({
    name: "remote",
    description: "Sends",
    input,
    implementation: http({ method: "POST", url: "https://127.0.0.1/" }),
  });
  expect(roles(rolesOf(remote as never))).toMatchObject({
    bodyText: "target inferred",
    subject: "target inferred",
    date: "target inferred",
    memo: "target inferred",
    amount: "value inferred",
  });
});

it("refuses a role of an unknown argument and an unknown role", () => {
  const define = (given: object) => () =>
    tool({ name: "send", description: "Sends", input, roles: given, run: () => "" } as never);
  expect(define({ recipient: "target" })).toThrow("has a role for `recipient`, which is not an argument");
  expect(define({ to: "recipient" })).toThrow('one of "target", "id", "subject", "content", "value"');
});
