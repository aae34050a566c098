import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf, type Schemas } from '../api.ts';
import { useProjectId } from '../session.tsx';
import { Choice } from '../ui/choice.tsx';
import { Problem, Waiting } from '../ui/feedback.tsx';
import { Compose } from './compose.tsx';

/** What threads are filed under, as long as it is in use. */
export function useCategories() {
  const projectId = useProjectId();
  return useQuery({
    queryKey: ['categories', projectId],
    queryFn: async () => (await dataOf(api.GET('/forum/categories'))).categories,
    staleTime: 60_000,
  });
}

/** Begins a thread, about a target if one is given. */
export function NewThread({
  about,
  onDone,
}: {
  about?: Pick<Schemas['ForumPostCreate'], 'chip_id' | 'target_type' | 'target_id'>;
  onDone(thread: Schemas['ForumPost']): Promise<unknown>;
}) {
  const categories = useCategories();
  const [chosen, setChosen] = useState<string>(about?.target_type ?? '');
  if (categories.error) return <Problem error={categories.error} />;
  if (!categories.data) return <Waiting title="Categories" />;
  const category = categories.data.find(({ key }) => key === chosen) ?? categories.data[0];
  if (!category) return <p className="muted">The owner of the project has archived every category.</p>;
  return (
    <>
      <Choice
        label="Filed under"
        value={category.key}
        options={categories.data.map(({ key, name }) => ({ id: key, text: name }))}
        onChange={(id) => setChosen(id)}
      />
      <Compose
        label="Text"
        action="Begin"
        hasTitle
        rows={5}
        onSend={async (draft) =>
          onDone(
            await dataOf(api.POST('/forum/posts', { body: { ...draft, ...about, category: category.key } })),
          )
        }
      />
    </>
  );
}
