import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RequestDeadline } from "./request-deadline.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("ends after its duration", () => {
  const end = vi.fn();
  new RequestDeadline(100, 400, end);
  vi.advanceTimersByTime(99);
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(end).toHaveBeenCalledOnce();
});

it("is paused until every pause is resumed", () => {
  const end = vi.fn();
  const deadline = new RequestDeadline(100, 400, end);
  vi.advanceTimersByTime(60);
  deadline.pause();
  deadline.pause();
  vi.advanceTimersByTime(10_000);
  deadline.resume();
  vi.advanceTimersByTime(10_000);
  deadline.resume();
  vi.advanceTimersByTime(39);
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(end).toHaveBeenCalledOnce();
});

it("can be extended up to its hard limit", () => {
  const end = vi.fn();
  const deadline = new RequestDeadline(100, 400, end);
  for (let i = 0; i < 7; i++) {
    vi.advanceTimersByTime(55);
    deadline.extend();
  }
  expect(end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(15);
  expect(end).toHaveBeenCalledOnce();
});

it("does not end after clear", () => {
  const end = vi.fn();
  const deadline = new RequestDeadline(100, 400, end);
  deadline.pause();
  deadline.clear();
  deadline.resume();
  vi.advanceTimersByTime(10_000);
  expect(end).not.toHaveBeenCalled();
});
