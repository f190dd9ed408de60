import type { Registration } from "../../types/tool.ts";

/**
 * `crm/contacts/find-one` becomes `tools.crm.contacts.find_one`. Deterministic; conflicting paths are
 * numbered in the order of full names.
 */
export const functionNames = (registrations: readonly Registration[]): ReadonlyMap<string, Registration> => {
  const names = new Map<string, Registration>();
  const folders = new Set(registrations.flatMap(({ key }) => foldersOf(key)));
  const ordered = [...registrations].sort((a, b) => (a.key < b.key ? -1 : 1));
  for (const registration of ordered) {
    const path = pathOf(registration.key);
    // A path with nested functions cannot be a function.
    const base = folders.has(path) ? `${path}_` : path;
    let name = base;
    for (let number = 2; names.has(name) || folders.has(name); number++) name = `${base}_${number}`;
    names.set(name, registration);
  }
  return names;
};

const foldersOf = (key: string): readonly string[] => {
  const segments = pathOf(key).split(".");
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join("."));
};

const pathOf = (key: string): string => key.split("/").map(toIdentifier).join(".");

const toIdentifier = (segment: string): string => {
  const plain = segment.replaceAll(/[^A-Za-z0-9_$]/g, "_");
  return /^\d/.test(plain) ? `_${plain}` : plain;
};
