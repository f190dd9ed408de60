import { describe, expect, it } from "vitest";
import { findId, findValue, foldText } from "./find-value.ts";

const has = (text: string, value: string): boolean => findValue(foldText(text), value) >= 0;
const hasId = (text: string, value: string): boolean => findId(foldText(text), value) >= 0;

describe("findValue", () => {
  it.each([
    ["Send it to ada@example.com.", "ada@example.com"],
    ["Send it to ADA@Example.com, please", "ada@example.com"],
    ["pay GB29NWBK60161331926819", "gb29nwbk60161331926819"],
    ["(www.example.com)", "www.example.com"],
    ["Book the Le  Marais\nBoutique", "Le Marais Boutique"],
    ["Ｓend to ｂob", "bob"],
    ["zero\u200bwidth", "zerowidth"],
    ["Ask Zoë's friend", "Zoë"],
    ["ends with 東京", "東京"],
    ["请给王伟发邮件", "王伟"],
    ["(see https://b.example/data)", "https://b.example/data"],
    ["Bob's", "Bob"],
  ])("finds in %j the value %j", (text, value) => {
    expect(has(text, value)).toBe(true);
  });

  it.each([
    ["eva@b.com", "b.com"],
    ["b.com.evil.example", "b.com"],
    ["b.com-evil", "b.com"],
    ["evilada@example.com", "ada@example.com"],
    ["x.ada@example.com", "ada@example.com"],
    ["ada@example.community", "ada@example.com"],
    ["the year 2013", "13"],
    ["alice.smith", "alice"],
    ["https://example.com/path", "example.com"],
    ["LeMarais Boutique", "Le Marais Boutique"],
    ["аda (Cyrillic a)", "ada"],
    ["/home/ada/old files", "/home/"],
    ["https://login.bank.co.uk", "https://login.bank.co."],
    ["https://b.example/data,all", "https://b.example/data"],
    ["and/or", "/"],
    ["o'neil@b.example", "neil@b.example"],
    ["", "ada"],
    ["ada", "  "],
  ])("does not find in %j the value %j", (text, value) => {
    expect(has(text, value)).toBe(false);
  });
});

describe("findId", () => {
  it.each([
    ["Delete the file with ID '13'", "13"],
    ["- id_: '24'\n  title: x", "24"],
    ['{"file_id":"26","size":3}', "26"],
    ['{"id":7}', "7"],
    ["invoice no. 4711", "4711"],
    ["order number 12", "12"],
    ["reply to #33", "33"],
    ["charge ch_3OqX9k2eZv", "ch_3OqX9k2eZv"],
  ])("finds in %j the id %j", (text, id) => {
    expect(hasId(text, id)).toBe(true);
  });

  it.each([
    ["What happens on June 13?", "13"],
    ["pay 13 euros", "13"],
    ["at 13:00", "13"],
    ["id: 130", "13"],
    ["valid 13", "13"],
    ["ids of 5 files", "5"],
  ])("does not take a number in %j for the id %j", (text, id) => {
    expect(hasId(text, id)).toBe(false);
  });
});
