import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { AnswerBody, AnswerResult, AnswersBody } from "@words/approvals.ts";
import { api } from "../api/api.ts";
import { ApiFailure } from "../api/ask.ts";
import { useSay } from "../shell/toasts.tsx";

/** Answers questions under the name of who is signed in, and says what came of it. Whoever was second is told who was first. */
export const useAnswer = () => {
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
    onError: (error) => say(messageOf(error), "bad"),
    onSettled: settle,
  });
  const several = useMutation({
    mutationFn: (body: AnswersBody) => api.answerSeveral(body),
    onSuccess: ({ results }) => {
      const refused = results.filter(({ answered }) => !answered);
      say(`${results.length - refused.length} of ${results.length} answered.`);
      for (const { message } of refused.slice(0, 3)) say(message, "bad");
    },
    onError: (error) => say(messageOf(error), "bad"),
    onSettled: settle,
  });
  return {
    answer: (id: string, body: AnswerBody) => one.mutateAsync({ id, body }).catch(() => undefined),
    answerSeveral: (body: AnswersBody) => several.mutateAsync(body).catch(() => undefined),
    isBusy: one.isPending || several.isPending,
    error: one.error,
  };
};

const messageOf = (error: unknown): string => {
  if (error instanceof ApiFailure) {
    const result = error.body as Partial<AnswerResult> | undefined;
    return result?.message ?? error.message;
  }
  return String(error);
};
