import type { AnswerBody, AnswerResult, AnswersBody } from "@api/approvals.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { ApiFailure } from "../api/api-request.ts";
import { formatClock } from "../components/time.tsx";
import { useToast } from "../shell/toasts.tsx";

export const useAnswerApproval = (onAnsweredByOther?: () => void) => {
  const client = useQueryClient();
  const say = useToast();
  const invalidateApprovals = (): void => {
    void client.invalidateQueries({ queryKey: ["approvals"] });
    void client.invalidateQueries({ queryKey: ["approval"] });
    void client.invalidateQueries({ queryKey: ["overview"] });
  };
  const answerMutation = useMutation({
    mutationFn: ({ id, body }: { readonly id: string; readonly body: AnswerBody }) => api.answer(id, body),
    onSuccess: ({ message }) => say(message),
    onError: (error) => {
      say(answerErrorText(error), "bad");
      if (isAnsweredByOther(error)) onAnsweredByOther?.();
    },
    onSettled: invalidateApprovals,
  });
  const answerAllMutation = useMutation({
    mutationFn: (body: AnswersBody) => api.answerSeveral(body),
    onSuccess: ({ results }) => {
      const refused = results.filter(({ answered }) => !answered);
      say(`${results.length - refused.length} of ${results.length} answered.`);
      for (const result of refused.slice(0, 3)) say(answerText(result), "bad");
    },
    onError: (error) => say(answerErrorText(error), "bad"),
    onSettled: invalidateApprovals,
  });
  return {
    answer: (id: string, body: AnswerBody) => answerMutation.mutateAsync({ id, body }).catch(() => undefined),
    answerSeveral: (body: AnswersBody) => answerAllMutation.mutateAsync(body).catch(() => undefined),
    isBusy: answerMutation.isPending || answerAllMutation.isPending,
    /** Says who answered first, if another person did. */
    lost: isAnsweredByOther(answerMutation.error) ? answerErrorText(answerMutation.error) : undefined,
  };
};

const isAnsweredByOther = (error: unknown): boolean => error instanceof ApiFailure && error.status === 409;

const answerErrorText = (error: unknown): string => {
  if (!(error instanceof ApiFailure)) return String(error);
  const result = error.body as Partial<AnswerResult> | undefined;
  return result?.message === undefined ? error.message : answerText({ ...result, message: result.message });
};

const answerText = ({ message, approval }: Pick<AnswerResult, "message" | "approval">): string =>
  approval?.answeredAt === undefined
    ? message
    : `${message} It was answered at ${formatClock(approval.answeredAt)}.`;
