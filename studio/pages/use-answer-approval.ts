import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { AnswerBody, AnswerResult, AnswersBody } from "@words/approvals.ts";
import { api } from "../api/api.ts";
import { ApiFailure } from "../api/ask.ts";
import { formatClock } from "../components/format.ts";
import { useSay } from "../shell/toasts.tsx";

/** Answers questions under the name of who is signed in, and says what came of it. Whoever was second is told who was first, and when. */
export const useAnswer = (onLost?: () => void) => {
  const client = useQueryClient();
  const say = useSay();
  const settle = (): void => {
    void client.invalidateQueries({ queryKey: ["approvals"] });
    void client.invalidateQueries({ queryKey: ["approval"] });
    void client.invalidateQueries({ queryKey: ["overview"] });
  };
  const one = useMutation({
    mutationFn: ({ id, body }: { readonly id: string; readonly body: AnswerBody }) => api.answer(id, body),
    onSuccess: ({ message }) => say(message),
    onError: (error) => {
      say(messageOf(error), "bad");
      if (isLost(error)) onLost?.();
    },
    onSettled: settle,
  });
  const several = useMutation({
    mutationFn: (body: AnswersBody) => api.answerSeveral(body),
    onSuccess: ({ results }) => {
      const refused = results.filter(({ answered }) => !answered);
      say(`${results.length - refused.length} of ${results.length} answered.`);
      for (const result of refused.slice(0, 3)) say(wordsOf(result), "bad");
    },
    onError: (error) => say(messageOf(error), "bad"),
    onSettled: settle,
  });
  return {
    answer: (id: string, body: AnswerBody) => one.mutateAsync({ id, body }).catch(() => undefined),
    answerSeveral: (body: AnswersBody) => several.mutateAsync(body).catch(() => undefined),
    isBusy: one.isPending || several.isPending,
    /** Who answered first, where an answer came too late. */
    lost: isLost(one.error) ? messageOf(one.error) : undefined,
  };
};

const isLost = (error: unknown): boolean => error instanceof ApiFailure && error.status === 409;

const messageOf = (error: unknown): string => {
  if (!(error instanceof ApiFailure)) return String(error);
  const result = error.body as Partial<AnswerResult> | undefined;
  return result?.message === undefined ? error.message : wordsOf({ ...result, message: result.message });
};

/** The API says who it was; the record beside it says when. */
const wordsOf = ({ message, approval }: Pick<AnswerResult, "message" | "approval">): string =>
  approval?.answeredAt === undefined
    ? message
    : `${message} That was at ${formatClock(approval.answeredAt)}.`;
