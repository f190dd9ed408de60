import type { Registration } from "../words/tool.ts";
import { bearersOf, everyoneOn, type NameIndex, putOn, takeOff } from "./name-index.ts";

export type Resolution =
  | { readonly ok: true; readonly registration: Registration }
  | { readonly ok: false; readonly code: "unknown_tool"; readonly candidates: readonly [] }
  /** The candidates are full names, in canonical order. */
  | { readonly ok: false; readonly code: "ambiguous_tool"; readonly candidates: readonly string[] };

/** What a new tool did to its short name: these tools no longer, or never, answer to it. */
export interface Shadowing {
  readonly shadowed: readonly Registration[];
  readonly by: Registration;
}

export interface Names {
  readonly add: (registration: Registration, overrides: boolean) => Shadowing;
  readonly remove: (registration: Registration) => void;
  /** The tool that answers, in one step. */
  readonly find: (name: string) => Registration | undefined;
  readonly resolve: (name: string) => Resolution;
  /** Whether it answers to its own wire name; an internal tool that is overridden does not. */
  readonly isReachable: (registration: Registration) => boolean;
  /** Every tool of this short name, the one that answers first. */
  readonly bearers: (shortName: string) => readonly Registration[];
}

const unknown: Resolution = Object.freeze({
  ok: false,
  code: "unknown_tool",
  candidates: Object.freeze([]) as [],
});

/**
 * Who answers to which name: a full name first, then the wire name, then the short name by source.
 * All three live in one map that is settled on every change, so that a look-up is one step.
 */
export const names = (): Names => {
  const answers = new Map<string, Registration>();
  const byWireName = new Map<string, Registration>();
  const shelves = new Map<string, NameIndex>();

  const settle = (name: string): void => {
    const wired = byWireName.get(name);
    if (wired !== undefined && wired.tool.spec.name !== name) {
      answers.set(name, wired);
      return;
    }
    const bearers = bearersOf(shelves.get(name));
    const [only] = bearers;
    if (bearers.size !== 1 || only === undefined) answers.delete(name);
    else answers.set(name, only);
  };

  const settleAll = ({ key, wireName, tool }: Registration): void => {
    const short = tool.spec.name;
    settle(short);
    if (wireName !== short) settle(wireName);
    if (key === short) return;
    const found = byWireName.get(wireName);
    if (found === undefined) answers.delete(key);
    else answers.set(key, found);
  };

  return {
    add: (registration, overrides) => {
      const short = registration.tool.spec.name;
      const index = shelves.get(short) ?? {};
      const before = bearersOf(index);
      byWireName.set(registration.wireName, registration);
      putOn(index, registration, overrides);
      shelves.set(short, index);
      settleAll(registration);
      const after = bearersOf(index);
      const shadowed = before === after ? [] : [...before].filter((one) => !after.has(one));
      if (!after.has(registration)) shadowed.push(registration);
      const [by = registration] = after;
      return { shadowed, by };
    },
    remove: (registration) => {
      const short = registration.tool.spec.name;
      const index = shelves.get(short) ?? {};
      byWireName.delete(registration.wireName);
      takeOff(index, registration);
      if (Object.keys(index).length === 0) shelves.delete(short);
      settleAll(registration);
    },
    find: (name) => answers.get(name),
    resolve: (name) => {
      const registration = answers.get(name);
      if (registration !== undefined) return { ok: true, registration };
      const bearers = bearersOf(shelves.get(name));
      if (bearers.size === 0) return unknown;
      const candidates = [...bearers].map((one) => one.key).sort();
      return { ok: false, code: "ambiguous_tool", candidates };
    },
    isReachable: (registration) => answers.get(registration.wireName) === registration,
    bearers: (shortName) => everyoneOn(shelves.get(shortName)),
  };
};
