import { expect, it } from "vitest";
import { compareKeyNames } from "./compare-key-names.ts";

it.each([
  ["filePath", "file_path", "same"],
  ["MAX-RESULTS", "maxResults", "same"],
  ["path ", "path", "same"],
  ["querry", "query", "doubled"],
  ["comand", "command", "doubled"],
  ["adress", "address", "doubled"],
  ["shipping_adress_line", "shippingAddressLine", "doubled"],
])("compares %s with %s as %s", (written, name, nearness) => {
  expect(compareKeyNames(written, name)).toBe(nearness);
  expect(compareKeyNames(name, written)).toBe(nearness);
});

it.each([
  ["id", "it"],
  ["nmae", "name"],
  ["reciever", "receiver"],
  ["locaton", "location"],
  ["limits", "limit"],
  ["payer_id", "payee_id"],
  ["county", "country"],
  ["contract", "contact"],
  ["remote", "remove"],
  ["clone", "close"],
  ["trail", "trial"],
  ["desert", "dessert"],
  ["desert_id", "dessertId"],
  ["below", "bellow"],
  ["fil", "fill"],
  ["tol", "tool"],
  ["isactive", "inactive"],
  ["line1", "line2"],
  ["address11", "address1"],
  ["address1", "address"],
  ["min_value", "max_value"],
  ["adres", "address"],
  ["", "_"],
])("does not match %s with %s", (written, name) => {
  expect(compareKeyNames(written, name)).toBeUndefined();
  expect(compareKeyNames(name, written)).toBeUndefined();
});
