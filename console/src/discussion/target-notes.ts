import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api.ts';
import { useProjectId } from '../session.tsx';
import { isCoupling } from '../targets.ts';

const POLL_MS = 15_000;

/** What is written about one qubit or coupling, and how to write more. */
export function useTargetNotes(chipId: string, target: string) {
  const projectId = useProjectId();
  const client = useQueryClient();
  const summary = useQuery({
    queryKey: ['notes', projectId, chipId],
    queryFn: () =>
      dataOf(api.GET('/chips/{chip_id}/notes-summary', { params: { path: { chip_id: chipId } } })),
    refetchInterval: POLL_MS,
  });
  const changed = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['notes', projectId, chipId] }),
      client.invalidateQueries({ queryKey: ['target', projectId, chipId, target] }),
    ]);
  const all = summary.data && (isCoupling(target) ? summary.data.couplings : summary.data.qubits);
  const writing = writingOf(chipId, target);
  return {
    isPending: summary.isPending,
    error: summary.error,
    found: all?.find(({ target_id }) => target_id === target),
    async writeNote(content: string) {
      await writing.note(content);
      await changed();
    },
    async comment(content: string) {
      await writing.comment(content);
      await changed();
    },
    async changeComment(commentId: string, content: string) {
      await writing.changeComment(commentId, content);
      await changed();
    },
    async deleteComment(commentId: string) {
      await writing.deleteComment(commentId);
      await changed();
    },
  };
}

/** The requests that write about a target; an empty note is taken away. */
function writingOf(chipId: string, target: string) {
  if (isCoupling(target)) {
    const path = { chip_id: chipId, coupling_id: target };
    return {
      note: (content: string) =>
        content.trim() === ''
          ? api.DELETE('/chips/{chip_id}/couplings/{coupling_id}/note', { params: { path } })
          : api.PUT('/chips/{chip_id}/couplings/{coupling_id}/note', { params: { path }, body: { content } }),
      comment: (content: string) =>
        api.POST('/chips/{chip_id}/couplings/{coupling_id}/note/comments', {
          params: { path },
          body: { content },
        }),
      changeComment: (comment_id: string, content: string) =>
        api.PUT('/chips/{chip_id}/couplings/{coupling_id}/note/comments/{comment_id}', {
          params: { path: { ...path, comment_id } },
          body: { content },
        }),
      deleteComment: (comment_id: string) =>
        api.DELETE('/chips/{chip_id}/couplings/{coupling_id}/note/comments/{comment_id}', {
          params: { path: { ...path, comment_id } },
        }),
    };
  }
  const path = { chip_id: chipId, qid: target };
  return {
    note: (content: string) =>
      content.trim() === ''
        ? api.DELETE('/chips/{chip_id}/qubits/{qid}/note', { params: { path } })
        : api.PUT('/chips/{chip_id}/qubits/{qid}/note', { params: { path }, body: { content } }),
    comment: (content: string) =>
      api.POST('/chips/{chip_id}/qubits/{qid}/note/comments', { params: { path }, body: { content } }),
    changeComment: (comment_id: string, content: string) =>
      api.PUT('/chips/{chip_id}/qubits/{qid}/note/comments/{comment_id}', {
        params: { path: { ...path, comment_id } },
        body: { content },
      }),
    deleteComment: (comment_id: string) =>
      api.DELETE('/chips/{chip_id}/qubits/{qid}/note/comments/{comment_id}', {
        params: { path: { ...path, comment_id } },
      }),
  };
}
